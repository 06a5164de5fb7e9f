// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import SystemCalls

/// The socket and session of one client. Confined to the server's thread.
final class IIODConnection {
    let descriptor: Int32
    var session = IIODSession()
    /// The time at which the connection must be served even if no socket event occurs.
    var deadline = BootTime.never
    /// True while the socket does not accept more output.
    var isBlocked = false
    var hasReceivedEndOfFile = false
    var isFinished = false
    /// True once a reply has been sent. The server sends only replies, so this stays false until the client sends a
    /// command.
    private(set) var hasReceivedReply = false

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { LoopbackAcceptor.shutDownAndClose(descriptor) }

    func reset() {
        LoopbackAcceptor.reset(descriptor)
        isFinished = true
    }

    func read(through buffer: UnsafeMutableRawBufferPointer) {
        guard !hasReceivedEndOfFile, session.acceptsInput else { return }
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 {
            session.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        } else if count == 0 {
            hasReceivedEndOfFile = true
        } else if errno != EINTR, errno != EAGAIN, errno != EWOULDBLOCK {
            isFinished = true
        }
    }

    /// Sends replies until the socket would block.
    func write() {
        while !session.output.isEmpty {
            let count = session.withOutput { head, scans in
                var parts = (
                    iovec(iov_base: UnsafeMutableRawPointer(mutating: head.baseAddress), iov_len: head.count),
                    iovec(iov_base: UnsafeMutableRawPointer(mutating: scans.baseAddress), iov_len: scans.count)
                )
                return withUnsafeMutablePointer(to: &parts) { pointer in
                    pointer.withMemoryRebound(to: iovec.self, capacity: 2) { vector in
                        var message = msghdr()
                        message.msg_iov = vector
                        message.msg_iovlen = 2
                        return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                    }
                }
            }
            if count >= 0 {
                hasReceivedReply = true
                session.output.sent += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                isBlocked = true
                return
            } else if errno != EINTR {
                isFinished = true
                return
            }
        }
        isBlocked = false
    }
}
