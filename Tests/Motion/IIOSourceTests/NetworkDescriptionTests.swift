// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import DeviceCore
import LoopbackServer
import SystemCalls
import Testing

@testable import IIOSource

@Suite("Descriptions announced by network servers")
struct NetworkDescriptionTests {
    @Test(
        "localhost is replaced by the loopback address before libiio resolves it",
        arguments: [
            ("ip:localhost", "ip:127.0.0.1"), ("ip:LOCALHOST:30431", "ip:127.0.0.1:30431"),
            ("ip:localhost.example", "ip:localhost.example"), ("ip:[::1]:5", "ip:[::1]:5"), ("local:", "local:"),
        ])
    func localhost(text: String, uri: String) throws {
        #expect(LibIIO.uri(of: try MotionSourceAddress(text)) == uri)
    }

    @Test("localhost resolves to the loopback addresses", arguments: ["localhost", "LocalHost", "localhost."])
    func loopback(host: String) {
        var families: Set<Int32> = []
        var isLoopback = true
        let result = Sockets.resolve(host, port: 1) { entry in
            families.insert(entry.ai_family)
            if entry.ai_family == AF_INET, let address = entry.ai_addr {
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    // 127.0.0.1 and port 1 in network byte order.
                    isLoopback =
                        $0.pointee.sin_addr.s_addr.bigEndian == 0x7F00_0001 && $0.pointee.sin_port.bigEndian == 1
                }
            }
            return false
        }
        #expect(result == 0 && isLoopback && families.contains(AF_INET))
    }

    @Test("An address is split into host and port")
    func hostsAndPorts() throws {
        for (text, host, port) in [
            ("board", "board", 30_431), ("board:99", "board", 99), ("::1", "::1", 30_431), ("[::1]", "::1", 30_431),
            ("[fe80::1%eth0]:99", "fe80::1%eth0", 99), ("10.0.0.2:1", "10.0.0.2", 1),
        ] as [(String, String, UInt16)] {
            let target = try #require(DescriptionSizeCheck.hostAndPort(text))
            #expect(target.host == host && target.port == port, "\(text)")
        }
    }

    @Test(
        "An oversized description is rejected before libiio allocates memory; other responses are left to libiio",
        arguments: [
            ("2147483647\n", true), ("16777217\n", true), ("16777216\n", false), ("1234\n<context", false),
            ("-22\n", false), ("what?\n", false), ("", false),
            // libiio skips leading whitespace and parses up to the last digit.
            (" 2147483647\n", true), ("\t+2147483647\n", true), ("2147483647\r\n", true), ("2147483647 x\n", true),
            ("00000000002147483647\n", true), ("99999999999999999999999999", true), (" 16777216 \n", false),
        ])
    func sizes(answer: String, isRefused: Bool) throws {
        let server = try AnsweringServer(answer)
        let address = try MotionSourceAddress("ip:127.0.0.1:\(server.port)")
        if isRefused {
            let failure = #expect(throws: IIOFailure.self) { try DescriptionSizeCheck.check(address) }
            #expect(failure?.error(.open(address)).message.contains("announces a description") == true)
        } else {
            #expect(throws: Never.self) { try DescriptionSizeCheck.check(address) }
        }
    }

    @Test("The check returns the address of a server that has responded")
    func connectsToResolvedAddress() throws {
        let server = try AnsweringServer("1234\n")
        #expect(try DescriptionSizeCheck.check(try MotionSourceAddress("ip:127.0.0.1:\(server.port)")) != nil)
        let listener = try LoopbackListener(port: 0, for: "The test")
        var serverAddress: ServerAddress?
        _ = Sockets.resolve("127.0.0.1", port: listener.port) { address in
            serverAddress = ServerAddress(address)
            return true
        }
        let client = try #require(serverAddress?.connect())
        defer { systemClose(client) }
        var wait = pollfd(fd: client, events: Int16(POLLOUT), revents: 0)
        #expect(poll(&wait, 1, 60_000) == 1)
        #expect(Sockets.clearPendingError(client) == 0)
    }

    @Test("A server that accepts a connection and sends nothing is not passed to libiio")
    func silent() throws {
        // The kernel completes the connection although the listener never accepts it.
        let listener = try LoopbackListener(port: 0, for: "The test")
        let address = try MotionSourceAddress("ip:127.0.0.1:\(listener.port)")
        let failure = #expect(throws: IIOFailure.self) { try DescriptionSizeCheck.check(address, answerTimeout: 0.1) }
        #expect(failure == IIOFailure("PRINT", ETIMEDOUT))
    }

    @Test("Unreachable servers and addresses without a network are left to libiio")
    func unreachable() throws {
        for text in ["ip:127.0.0.1:1", "local:", "usb:"] {
            try DescriptionSizeCheck.check(try MotionSourceAddress(text))
        }
    }
}

/// A server on a free local port that sends one response to its first client and closes the connection.
private final class AnsweringServer: Sendable {
    let port: UInt16

    init(_ answer: String) throws {
        let listener = try LoopbackListener(port: 0, for: "The test")
        port = listener.port
        try WorkerThread.start {
            var wait = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, 60_000) == 1, case .connection(let client) = listener.accept() else { return }
            wait = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
            poll(&wait, 1, 60_000)
            var request = [UInt8](repeating: 0, count: 64)
            _ = request.withUnsafeMutableBytes { systemRead(client, $0) }
            _ = Array(answer.utf8).withUnsafeBytes { systemSend(client, $0) }
            shutdown(client, Int32(SHUT_WR))
            systemClose(client)
        }
    }
}
#endif
