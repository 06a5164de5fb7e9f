// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import SystemCalls

/// One client: its socket and its session. It belongs to the server's thread.
final class Connection {
    let descriptor: Int32
    var session = IIODSession()
    /// When it is to be looked at again though nothing has come in.
    var deadline = BootTime.never
    /// True while the socket takes no more.
    var isBlocked = false
    /// True when the client sends no more.
    var hasEnded = false
    var isOver = false
    /// False as long as nothing was answered: the client has asked for nothing.
    private(set) var hasAsked = false

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { LoopbackDoor.hangUp(descriptor) }

    /// Ends it abruptly: the client sees a reset.
    func abort() {
        LoopbackDoor.reset(descriptor)
        isOver = true
    }

    func read(through buffer: UnsafeMutableRawBufferPointer) {
        guard !hasEnded, session.takesInput else { return }
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 {
            session.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        } else if count == 0 {
            hasEnded = true
        } else if errno != EINTR, errno != EAGAIN, errno != EWOULDBLOCK {
            isOver = true
        }
    }

    /// Sends replies as far as the socket takes them.
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
                hasAsked = true
                session.output.sent += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                isBlocked = true
                return
            } else if errno != EINTR {
                isOver = true
                return
            }
        }
        isBlocked = false
    }
}
