// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A blocking client whose every wait is bounded.
final class TestClient {
    struct Failure: Error {
        let what: String
    }

    private let descriptor: Int32
    private var pending: [UInt8] = []

    init(_ port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(what: "socket \(errno)") }
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(what: "connect \(errno)") }
    }

    deinit {
        close(descriptor)
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(what: "send \(errno)") }
            sent += count
        }
    }

    func send(line: String) throws { try send(Array((line + "\r\n").utf8)) }

    /// Says that nothing more will be sent.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Sends a line and reads one line.
    func ask(_ line: String) throws -> String {
        try send(line: line)
        return try readLine()
    }

    func readLine() throws -> String {
        while true {
            if let end = pending.firstIndex(of: 10) {
                defer { pending.removeSubrange(...end) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            guard try more() else { throw Failure(what: "the server has closed") }
        }
    }

    func read(_ count: Int) throws -> [UInt8] {
        while pending.count < count {
            guard try more() else { throw Failure(what: "the server has closed") }
        }
        defer { pending.removeSubrange(..<count) }
        return Array(pending[..<count])
    }

    /// True when the server closes within the limit, whatever it sends before.
    func isClosed() -> Bool {
        while let more = try? more() {
            if !more { return true }
            pending = []
        }
        return errno != EAGAIN
    }

    /// Reads what comes; false at the end.
    private func more() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw Failure(what: "recv \(errno)") }
        pending += buffer[..<count]
        return count > 0
    }
}
