// SPDX-License-Identifier: Apache-2.0

import SystemCalls
import DeviceCore

/// A Unix stream socket.
package final class SocketPort: Port {
    package let descriptor: Int32
    package let path: String
    package var errorOfLoss: Int32 { ECONNRESET }
    package var isSlowToRelease: Bool { false }
    /// The other side waits.
    package var inputPatience: Double? { .infinity }

    /// Takes over a connected socket that does not block.
    package init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    static func attempt(_ path: String) throws(NodeFailure) -> SocketPort {
        guard !path.utf8.contains(0), Sockets.withAddress(of: path, { _, _ in true }) != nil else {
            throw NodeFailure(
                .invalidConfiguration, "\(path) is too long for a socket, or no path. Use one of fewer than 108 bytes.")
        }
        let descriptor = Sockets.open(AF_UNIX, .stream)
        guard descriptor >= 0 else { throw NodeFailure(opening: path, call: "socket", errno: errno) }
        guard Sockets.connect(descriptor, to: path) == 0 else {
            let number = errno
            systemClose(descriptor)
            if number == EAGAIN {
                // Not what it means elsewhere: the queue of those who want to connect is full. What serves one program
                // at a time has a short one.
                throw NodeFailure(isPassing: true) {
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
            return
                "\(path) takes no connection: what serves it is busy, or more programs want one than it takes. Try again."
        }
        let holder = peers.holders.first?.text ?? "a program that this user may not see"
        return "\(path) is in use by \(holder). Close it there first."
    }

    package func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> PortResult {
        .written(systemSend(descriptor, bytes), path: path)
    }

    package func release(patience: Double, isGivenUp: () -> Bool) {
        // What was not read would turn the end that the other side sees into an error.
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { buffer in
            for _ in 0..<64 where systemRead(descriptor, buffer) <= 0 { break }
        }
        systemClose(descriptor)
    }
}
