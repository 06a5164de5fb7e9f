// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A program's end of a simulated port. Uses plain system calls, so that the project's code is not tested with itself.
package final class PlainPort {
    /// The timeout for each event, in milliseconds.
    private static let limit: Int32 = 60_000

    package private(set) var descriptor: Int32
    /// Bytes that were read but not returned yet.
    private var pending: [UInt8] = []

    /// Connects to a socket. nil if the connection is refused, with the reason in `errno`.
    ///
    /// - Parameter waits: Whether to wait until another program has disconnected.
    package init?(socket path: String, waits: Bool = false) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        // The timeout for a free entry in the listener's queue.
        var limit = timeval(tv_sec: Int(Self.limit) / 1000, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if !waits { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if result != 0 {
            let number = errno
            Glibc.close(descriptor)
            descriptor = -1
            errno = number
            return nil
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    /// Opens a terminal as programs do: in raw mode, and flushed last.
    package init?(terminal path: String, flushes: Bool = true) {
        descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var settings = termios()
        tcgetattr(descriptor, &settings)
        cfmakeraw(&settings)
        tcsetattr(descriptor, TCSANOW, &settings)
        if flushes { tcflush(descriptor, TCIOFLUSH) }
    }

    deinit {
        close()
    }

    package func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Writes all bytes. Returns false if the port has ended.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = put(bytes[offset...])
            if count > 0 {
                offset += count
            } else if errno != EAGAIN || !wait(Int16(POLLOUT)) {
                return false
            }
        }
        return true
    }

    /// Writes as many bytes as the port accepts without blocking, and returns their number.
    package func fill(_ bytes: [UInt8]) -> Int {
        var total = 0
        while true {
            let count = put(bytes[...])
            if count <= 0 { return total }
            total += count
        }
    }

    /// Reads `count` bytes, fewer if the port ends.
    package func read(_ count: Int) -> [UInt8] {
        while pending.count < count, more(count - pending.count) {}
        defer { pending.removeFirst(min(count, pending.count)) }
        return Array(pending.prefix(count))
    }

    /// Returns the next line with its line end. nil if the port ends before that or no data arrives.
    package func readLine() -> String? {
        while true {
            if let end = pending.firstIndex(of: 10) {
                defer { pending.removeFirst(end + 1) }
                return String(decoding: pending[...end], as: UTF8.self)
            }
            guard more(4096) else { return nil }
        }
    }

    /// Reads at most `most` bytes. Returns false at the end or on timeout.
    private func more(_ most: Int) -> Bool {
        var buffer = [UInt8](repeating: 0, count: min(most, 65_536))
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 {
                pending += buffer[..<count]
                return true
            }
            if count == 0 || errno != EAGAIN || !wait(Int16(POLLIN)) { return false }
        }
    }

    /// True if the other end is closed.
    package var isHungUp: Bool { hangsUp(seconds: 0) }

    /// Waits until the other end is closed. A child process that another test is starting may hold it open for a
    /// moment.
    package func hangsUp(seconds: Int32 = 60) -> Bool {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&entry, 1, seconds * 1000) > 0 && entry.revents & Int16(POLLHUP) != 0
    }

    /// Reads until the port ends.
    package func readAll() -> [UInt8] { read(.max) }

    private func put(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.withUnsafeBytes { buffer in
            // Without MSG_NOSIGNAL a signal would end the tests.
            let count = send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
            return count < 0 && errno == ENOTSOCK ? Glibc.write(descriptor, buffer.baseAddress, buffer.count) : count
        }
    }

    private func wait(_ events: Int16) -> Bool {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        return poll(&entry, 1, Self.limit) > 0
    }
}
