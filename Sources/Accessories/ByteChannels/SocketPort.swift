// SPDX-License-Identifier: Apache-2.0

import SystemCalls
import DeviceCore

/// A Unix stream socket.
package final class SocketPort: Port {
    package let descriptor: Int32
    package let path: String
    package var lossErrno: Int32 { ECONNRESET }
    package var isSlowToRelease: Bool { false }
    /// Infinite, because the peer waits when the socket buffer is full.
    package var inputBufferingTime: Double? { .infinity }

    /// Creates a port of a connected, nonblocking socket. The port closes it.
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
                // On a Unix socket, EAGAIN means that the listen backlog is full. Servers for a single client have a
                // short backlog.
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
                "\(path) accepts no connection: its server is busy, or too many programs are connecting. Try again."
        }
        let holder = peers.holders.first?.description ?? "a program of another user"
        return "\(path) is in use by \(holder). Close it there first."
    }

    package func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> PortResult {
        .result(ofWrite: systemSend(descriptor, bytes), path: path)
    }

    package func release(timeout: Double, isAborted: () -> Bool) {
        // Closing a socket with unread input would turn the end of the connection into an error for the peer.
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { buffer in
            for _ in 0..<64 where systemRead(descriptor, buffer) <= 0 { break }
        }
        systemClose(descriptor)
    }
}
