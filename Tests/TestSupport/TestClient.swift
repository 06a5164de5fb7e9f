// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A blocking client of a server on the loopback interface. Every wait has a timeout.
package final class TestClient {
    package struct Failure: Error, CustomStringConvertible {
        let call: String
        let number: Int32

        package var description: String {
            number == 0 ? "\(call): the server has closed" : "\(call): \(String(cString: strerror(number)))"
        }
    }

    private let descriptor: Int32
    private var pending: [UInt8] = []

    /// Connects to the port.
    package init(_ port: UInt16) throws(Failure) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let failure = Failure(call: "connect", number: errno)
            close(descriptor)
            throw failure
        }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    package func send(_ bytes: [UInt8]) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(call: "send", number: errno) }
            sent += count
        }
    }

    package func send(_ text: String) throws(Failure) { try send(Array(text.utf8)) }

    package func send(line: String) throws(Failure) { try send(line + "\r\n") }

    /// Sets the number of seconds that sending may block.
    package func limitSending(seconds: Double) {
        var limit = timeval(tv_sec: Int(seconds), tv_usec: Int(seconds * 1e6) % 1_000_000)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sets the size of the receive buffer in bytes.
    package func limitReceiving(bytes: Int32) {
        var limit = bytes
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &limit, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Shuts down the sending direction.
    package func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Sends a line and reads one line.
    package func ask(_ line: String) throws(Failure) -> String {
        try send(line: line)
        return try readLine()
    }

    /// Returns the next line, without LF or CR LF.
    package func readLine() throws(Failure) -> String {
        while true {
            if let end = pending.firstIndex(of: 10) {
                defer { pending.removeSubrange(...end) }
                return Self.text(pending[..<end])
            }
            guard try more() else { throw Failure(call: "recv", number: 0) }
        }
    }

    /// Returns `count` bytes.
    package func read(_ count: Int) throws(Failure) -> [UInt8] {
        while pending.count < count {
            guard try more() else { throw Failure(call: "recv", number: 0) }
        }
        defer { pending.removeSubrange(..<count) }
        return Array(pending[..<count])
    }

    /// Returns all lines until the server closes the connection.
    package func readToEnd() throws(Failure) -> [String] {
        while try more() {}
        defer { pending = [] }
        return pending.split(separator: 10).map { Self.text($0) }
    }

    /// Discards received data until the server closes the connection in any way. Returns false on timeout.
    package func isClosed() -> Bool {
        do throws(Failure) {
            while try more() { pending = [] }
            return true
        } catch {
            return error.number != EAGAIN
        }
    }

    private static func text(_ line: ArraySlice<UInt8>) -> String {
        String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
    }

    /// Reads available data. Returns false at the end.
    private func more() throws(Failure) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw Failure(call: "recv", number: errno) }
        pending += buffer[..<count]
        return count > 0
    }
}
