// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// The other end of a channel: a descriptor that the test reads and writes. Each wait lasts at most a minute.
final class Peer: Sendable {
    let descriptor: Int32
    private let isClosed = Flag()

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit {
        close()
    }

    func close() {
        if isClosed.raise() { Glibc.close(descriptor) }
    }

    private func wait(_ events: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return poll(&entry, 1, 60_000) > 0
    }

    /// Returns false after a minute.
    func waitForSpace() -> Bool { wait(POLLOUT) }

    /// Sends all bytes, as fast as the other side reads them.
    func send(_ bytes: [UInt8]) {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            let written =
                count >= 0 || errno != ENOTSOCK
                ? count
                : bytes[done...].withUnsafeBytes {
                    Glibc.write(descriptor, $0.baseAddress, $0.count)
                }
            if written > 0 {
                done += written
            } else if errno != EAGAIN || !wait(POLLOUT) {
                return
            }
        }
    }

    /// Sends as many bytes as fit at once, and returns their number.
    func sendSome(_ bytes: [UInt8]) -> Int {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        return max(0, count)
    }

    /// Receives `count` bytes, or fewer if the other side ends or a minute passes.
    func receive(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var result = 0
            let part = [UInt8](unsafeUninitializedCapacity: min(65_536, count - bytes.count)) { buffer, size in
                result = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                size = max(0, result)
            }
            bytes += part
            if result == 0 { return bytes }
            if result < 0, errno != EAGAIN || !wait(POLLIN) { return bytes }
        }
        return bytes
    }

    /// Receives all bytes until the other side ends.
    func receiveAll() -> [UInt8] { receive(.max) }
}
