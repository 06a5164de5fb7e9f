// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import Foundation
import SystemCalls
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SocketChannelTests {
    /// A server in its own directory.
    private struct Server {
        let folder: String
        let path: String
        let descriptor: Int32

        init(backlog: Int32 = 4) throws {
            let temporary = FileManager.default.temporaryDirectory.path
            // `sun_path` holds 107 bytes and a NUL.
            var template = Array("\(temporary.utf8.count < 80 ? temporary : "/tmp")/channel-XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            path = folder + "/s"
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
            let bound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(bound == 0)
            if backlog >= 0 { try #require(listen(descriptor, backlog) == 0) }
        }

        func end() {
            close(descriptor)
            unlink(path)
            rmdir(folder)
        }
    }

    private func open(_ path: String) throws -> NodeChannel {
        try ChannelOpener.open(.socket(path: path), clock: LiveClock(), retryDelays: [])
    }

    @Test("Bytes are exchanged with a server in both directions")
    func server() throws {
        let server = try Server()
        defer { server.end() }
        let watch = Watch(try open(server.path))
        let peer = Peer(accept(server.descriptor, nil, nil))
        let bytes = pattern(300_000)
        Thread.detachNewThread { peer.send(bytes) }
        expectSame(watch.receive(bytes.count), bytes)
        watch.write([1, 2, 3])
        #expect(peer.receive(3) == [1, 2, 3])
        peer.close()
        #expect(watch.waitForEnd()?.reason == .hungUp)
    }

    @Test("Writing to a closed peer raises no signal, and the loss is reported")
    func gone() throws {
        let pair = try SocketPair()
        pair.peer.close()
        let accepted = pair.watch.write([1, 2, 3])
        let end = pair.watch.waitForEnd()
        #expect(end?.reason == .hungUp)
        #expect(accepted == -1 || end?.unsentBytes == 3)
    }

    @Test("Bytes lost by a closed peer are reported with ECONNRESET")
    func lost() throws {
        let pair = try SocketPair()
        #expect(pair.watch.write(pattern(1_000_000)) > 65_536)
        pair.peer.close()
        let end = pair.watch.waitForEnd()
        #expect(end?.reason == .hungUp)
        #expect(end?.error?.cause == .system(call: "write", errno: ECONNRESET))
    }

    @Test("A missing socket, a path that is too long and a socket without a listener throw errors")
    func refused() throws {
        #expect { try open("/nowhere/at/all") } throws: { ($0 as? DeviceError)?.code == .notFound }
        #expect { try open("/" + String(repeating: "x", count: 200)) } throws: {
            ($0 as? DeviceError)?.code == .invalidConfiguration
        }
        let unresponsive = try Server(backlog: -1)
        defer { unresponsive.end() }
        #expect { try open(unresponsive.path) } throws: { ($0 as? DeviceError)?.code == .unreachable }
    }

    @Test("A server with a full backlog is busy, and the attempt to connect does not block")
    func backlog() throws {
        let server = try Server(backlog: 0)
        defer { server.end() }
        var channels: [NodeChannel] = []
        // No connection has been accepted yet, and pending connections do not count as users.
        let refusal = #expect(throws: DeviceError.self) {
            for _ in 0..<10 { channels.append(try open(server.path)) }
        }
        #expect(refusal?.code == .busy)
        #expect(refusal?.message.hasPrefix("The server of \(server.path) is busy, ") == true)
        let accepted = accept(server.descriptor, nil, nil)
        defer { close(accepted) }
        let error = #expect(throws: DeviceError.self) {
            for _ in 0..<10 { channels.append(try open(server.path)) }
        }
        #expect(error?.code == .busy)
        #expect(error?.message == "\(server.path) is in use by this program itself. Close it there first.")
    }

    @Test("The processes connected to a socket are found, also through a symbolic link")
    func peers() throws {
        let server = try Server()
        defer { server.end() }
        #expect(SocketPeers(of: server.path).count == 0)
        let helper = try Helper(["connect", server.path])
        defer { helper.end() }
        #expect(helper.line() == "connected")
        let accepted = accept(server.descriptor, nil, nil)
        defer { close(accepted) }
        let link = server.folder + "/link"
        symlink(server.path, link)
        defer { unlink(link) }
        for path in [server.path, link] {
            let peers = SocketPeers(of: path)
            #expect(peers.count == 1)
            #expect(peers.holders.map(\.pid) == [helper.pid])
            #expect(peers.holders.first?.program == TestProgram.commands.processName)
        }
        #expect(SocketPeers(of: server.folder).count == 0)
        #expect(SocketPeers(of: "/nowhere/at/all").count == 0)
    }
}
