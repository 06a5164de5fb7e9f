// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import SystemCalls

/// The socket on the loopback interface that clients connect to.
package final class LoopbackListener: Sendable {
    package enum Accepted {
        /// A connection, which belongs to the caller.
        case connection(Int32)
        /// Nobody waits.
        case nobody
        /// There is no descriptor or memory for the connection that waits.
        case refused
    }

    /// Readable while a connection waits.
    package let descriptor: Int32
    /// The port, which the system may have chosen.
    package let port: UInt16
    /// The room for what is sent that each connection gets, in bytes; nil for the system's own.
    private let sendRoom: Int32?
    /// Listens on the same port again, when this one is gone.
    let reopening: @Sendable () throws(DeviceError) -> LoopbackListener

    /// Listens on 127.0.0.1.
    ///
    /// - Parameters:
    ///   - port: the TCP port; 0 lets the system choose.
    ///   - owner: who listens, in the words of an error: "The simulated iiod".
    ///   - sendRoom: the room for what is sent that each connection gets, in bytes; nil for the system's own.
    package init(port: UInt16, for owner: String, sendRoom: Int32? = nil) throws(DeviceError) {
        let descriptor = Sockets.open(AF_INET, .stream)
        guard descriptor >= 0 else { throw Self.failure("socket", port, owner) }
        Sockets.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let call: String? = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                if bind(descriptor, generic, length) != 0 { return "bind" }
                if listen(descriptor, 128) != 0 { return "listen" }
                return getsockname(descriptor, generic, &length) == 0 ? nil : "getsockname"
            }
        }
        if let call {
            let error = Self.failure(call, port, owner)
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.port = UInt16(bigEndian: address.sin_port)
        self.sendRoom = sendRoom
        let chosen = self.port
        reopening = { () throws(DeviceError) in
            try LoopbackListener(port: chosen, for: owner, sendRoom: sendRoom)
        }
    }

    deinit { LoopbackDoor.hangUp(descriptor) }

    /// Takes the next connection: not blocking, closed on exec, and sending at once.
    package func accept() -> Accepted {
        while true {
            let connection = Sockets.acceptNext(descriptor)
            guard connection < 0 else {
                Sockets.set(connection, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
                if let room = sendRoom { Sockets.set(connection, SOL_SOCKET, SO_SNDBUF, room) }
                return .connection(connection)
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN, EWOULDBLOCK: return .nobody
            default: return .refused
            }
        }
    }

    private static func failure(_ call: String, _ port: UInt16, _ owner: String) -> DeviceError {
        let number = errno
        let remedy =
            number == EADDRINUSE
            ? "Somebody listens there already: stop it, or choose another port (0 for any)." : "Choose another port."
        return DeviceError(
            number == EADDRINUSE ? .busy : .unreachable, "\(owner) cannot listen on port \(port). \(remedy)",
            cause: .system(call: call, errno: number))
    }
}

/// Lets clients in at a port, which can be given up for a while. It belongs to the server's thread.
package final class LoopbackDoor {
    /// So many are let in at a time, so that a flood of connections does not stop all else.
    private static let mostAtOnce = 64
    /// Nobody is let in for so long after that has failed, in seconds.
    private static let pause = 0.1

    private let reopen: () throws(DeviceError) -> LoopbackListener
    private var listener: LoopbackListener?
    /// When to let somebody in, or to listen, again after that has failed.
    private var opensAt = BootTime.zero

    /// False while nobody listens on the port.
    package var isOpen = true { didSet { if !isOpen { listener = nil } } }

    package init(_ listener: LoopbackListener) {
        self.listener = listener
        reopen = listener.reopening
    }

    package func interest(now: BootTime) -> pollfd {
        pollfd(fd: opensAt <= now ? listener?.descriptor ?? -1 : -1, events: Int16(POLLIN), revents: 0)
    }

    /// When to look again though nobody has come.
    package func deadline(now: BootTime) -> BootTime { opensAt > now || (isOpen && listener == nil) ? opensAt : .never }

    /// Hands over those who wait, each as a descriptor that belongs to the closure.
    ///
    /// - Parameter revents: what poll(2) told of it.
    package func letIn(revents: Int16, now: BootTime, _ take: (Int32) -> Void) {
        guard isOpen, opensAt <= now, listener == nil || revents != 0 else { return }
        if listener == nil { listener = try? reopen() }
        guard let listener else {
            // Somebody else has the port; it may become free again.
            opensAt = now.advanced(bySeconds: Self.pause)
            return
        }
        for _ in 0..<Self.mostAtOnce {
            switch listener.accept() {
            case .nobody: return
            case .connection(let descriptor): take(descriptor)
            case .refused:
                opensAt = now.advanced(bySeconds: Self.pause)
                return
            }
        }
    }

    // A program that is just being started has a copy of every descriptor until it begins. What follows does not wait for
    // that, as close(2) alone would.

    /// Ends a connection: the client has what was sent, and then the end.
    package static func hangUp(_ connection: Int32) {
        shutdown(connection, Int32(SHUT_RDWR))
        close(connection)
    }

    /// Ends a connection abruptly: the client sees a reset. It has to be hung up as well.
    package static func reset(_ connection: Int32) {
        var nobody = sockaddr()
        nobody.sa_family = sa_family_t(AF_UNSPEC)
        connect(connection, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
    }
}
