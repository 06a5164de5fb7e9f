// SPDX-License-Identifier: Apache-2.0

package import AccessoryFinding
import DeviceCore
import SystemCalls

/// A connected Unix stream socket.
package final class SocketPort: Port {
    package let descriptor: Int32
    package let path: String
    package var lossErrno: Int32 { ECONNRESET }
    package var isSlowToRelease: Bool { false }
    /// Infinite, because no input is lost: when the socket's buffer is full, the peer waits.
    package var inputBufferingTime: Double? { .infinity }

    /// Creates a port for a connected, nonblocking socket. The port closes the socket.
    package init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    static func attempt(_ path: String) throws(NodeFailure) -> SocketPort {
        guard !path.utf8.contains(0), Sockets.withAddress(of: path, { _, _ in true }) != nil else {
            throw NodeFailure(
                .invalidConfiguration, "\(path) is not a valid socket path. Use a path of fewer than 108 bytes.")
        }
        let descriptor = Sockets.open(AF_UNIX, .stream)
        guard descriptor >= 0 else { throw NodeFailure(opening: path, call: "socket", errno: errno) }
        guard Sockets.connect(descriptor, to: path) == 0 else {
            let number = errno
            systemClose(descriptor)
            if number == EAGAIN {
                // EAGAIN means that the Unix socket's listen backlog is full. The backlog is short if the server
                // accepts only one client.
                throw NodeFailure(isTemporary: true) {
                    DeviceError(
                        .busy, busy(path, SocketPeers(of: path)), cause: .system(call: "connect", errno: number))
                }
            }
            throw NodeFailure(opening: path, call: "connect", errno: number)
        }
        return SocketPort(descriptor: descriptor, path: path)
    }

    private static func busy(_ path: String, _ peers: SocketPeers) -> String {
        guard peers.count > 0 else {
            return "The server of \(path) is busy, or too many programs are connecting to it. Try again."
        }
        let holder = peers.holders.first?.description ?? "a program of another user"
        return "\(path) is in use by \(holder). Close it there first."
    }

    package func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> PortResult {
        .result(ofWrite: systemSend(descriptor, bytes), path: path)
    }

    package func release(timeout: Double, isAborted: () -> Bool) {
        // Discards pending input before closing the socket. Otherwise, the peer would receive an error instead of an
        // orderly shutdown.
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { buffer in
            for _ in 0..<64 where systemRead(descriptor, buffer) <= 0 { break }
        }
        systemClose(descriptor)
    }
}

/// A HID device that transfers reports. Each report to be written begins with its number, or with 0 if reports are not
/// numbered.
package final class HIDPort: Port {
    package let descriptor: Int32
    package let path: String
    private let settings: HIDFraming
    package var framing: HIDFraming? { settings }

    /// Creates a port for an open, nonblocking descriptor. The port closes the descriptor.
    package init(descriptor: Int32, path: String, framing: HIDFraming) {
        self.descriptor = descriptor
        self.path = path
        settings = framing
    }

    static func attempt(_ path: String, _ framing: HIDFraming) throws(NodeFailure) -> HIDPort {
        guard (1...16_384).contains(framing.reportLength) else {
            throw NodeFailure(
                .invalidConfiguration,
                "The report length \(framing.reportLength) of \(path) is invalid. Use a length from 1 to 16384.")
        }
        let descriptor = systemOpen(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw NodeFailure(opening: path, errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            systemClose(descriptor)
            throw NodeFailure(opening: path, call: "flock", errno: number)
        }
        return HIDPort(descriptor: descriptor, path: path, framing: framing)
    }

    package func interest(reads: Bool, writes: Bool) -> Int16 { reads ? Int16(POLLIN) : 0 }

    /// Reads a report and removes its number. A numbered report begins with its number, so the buffer must be one byte
    /// longer than the report's data. Reports with a different number are skipped. The kernel drops bytes that do not
    /// fit into the buffer.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> PortResult {
        let isNumbered = settings.reportNumber != 0
        let length = min(buffer.count, settings.reportLength + (isNumbered ? 1 : 0))
        let result = PortResult.read(
            descriptor, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<length]), path: path)
        guard case .bytes(let count) = result, isNumbered else { return result }
        guard buffer[0] == settings.reportNumber else { return .bytes(0) }
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[1..<count]))
        return .bytes(count - 1)
    }

    package func release(timeout: Double, isAborted: () -> Bool) { systemClose(descriptor) }
}
