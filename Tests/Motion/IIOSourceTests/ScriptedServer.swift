// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import DeviceCore
import IIOFormat
import SystemCalls
import Testing

@testable import IIOSource

/// A server whose responses are set by the test.
final class ScriptedServer: Sendable {
    private let socket: Int32
    private let peer: Int32

    init(_ answer: String = "") throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, SocketType.stream.nonBlockingCloseOnExec, 0, &ends) == 0)
        (socket, peer) = (ends[0], ends[1])
        send(answer)
    }

    deinit { systemClose(peer) }

    func send(_ first: String, _ samples: [UInt8] = [], then second: String = "", _ more: [UInt8] = []) {
        send(bytes: Array(first.utf8) + samples + Array(second.utf8) + more)
    }

    func send(bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        #expect(bytes.withUnsafeBytes { systemSend(peer, $0) } == bytes.count)
    }

    /// Sends text. Returns false if the client has closed the connection.
    func send(_ text: String, mayFail: Bool) -> Bool {
        Array(text.utf8).withUnsafeBytes { systemSend(peer, $0) } >= 0 || errno == EAGAIN
    }

    func hangUp() { shutdown(peer, Int32(SHUT_WR)) }

    /// Returns the requests since the last call.
    func requests() -> [String] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = bytes.withUnsafeMutableBytes { systemRead(peer, $0) }
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        return text.split(separator: "\r\n").map { String($0) }
    }

    /// Waits for a request for samples. Returns false on timeout.
    func waitForRequest() -> Bool {
        var state = pollfd(fd: peer, events: Int16(POLLIN), revents: 0)
        while poll(&state, 1, 60_000) == 1 {
            if requests().contains(where: { $0.hasPrefix("READBUF") }) { return true }
        }
        return false
    }

    /// Creates the only capture over the connection.
    func buffer(
        _ device: IIODevice, _ channels: [Int], samples: Int, step: Int = 16,
        capabilities: ServerCapabilities = ServerCapabilities(),
        startTimeout: Double = 600
    ) throws -> ServerBuffer {
        try ServerBuffer(
            socket, device: device, channels: channels, step: step, samples: samples, kernelBuffers: 4,
            capabilities: capabilities,
            startTimeout: startTimeout)
    }
}
#endif
