// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import SystemCalls

/// A TCP socket that listens on 127.0.0.1 until the object is released. Can be used from any thread.
package final class LoopbackListener: Sendable {
    package enum AcceptResult {
        /// A new connection. The caller must close its descriptor.
        case connection(Int32)
        case wouldBlock
        /// accept(2) failed, for example because the process has no free descriptors.
        case failed
    }

    /// The listening socket, which is readable while a connection is pending.
    package let descriptor: Int32
    package let port: UInt16
    /// The size of each connection's send buffer in bytes, or nil to use the system default.
    private let sendBufferSize: Int32?
    let reopen: @Sendable () throws(DeviceError) -> LoopbackListener

    /// Creates a listener on 127.0.0.1. If `port` is 0, the system chooses a port. `owner` names the server in
    /// error messages, for example "The simulated iiod".
    package init(port: UInt16, for owner: String, sendBufferSize: Int32? = nil) throws(DeviceError) {
        let descriptor = Sockets.open(AF_INET, .stream)
        guard descriptor >= 0 else { throw Self.failure("socket", port, owner) }
        Sockets.setOption(descriptor, level: SOL_SOCKET, name: SO_REUSEADDR, value: 1)
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
        self.sendBufferSize = sendBufferSize
        let chosen = self.port
        reopen = { () throws(DeviceError) in
            try LoopbackListener(port: chosen, for: owner, sendBufferSize: sendBufferSize)
        }
    }

    deinit { LoopbackAcceptor.shutDownAndClose(descriptor) }

    package func accept() -> AcceptResult {
        while true {
            let connection = Sockets.acceptNext(descriptor)
            guard connection < 0 else {
                Sockets.setOption(connection, level: Int32(IPPROTO_TCP), name: TCP_NODELAY, value: 1)
                if let size = sendBufferSize {
                    Sockets.setOption(connection, level: SOL_SOCKET, name: SO_SNDBUF, value: size)
                }
                return .connection(connection)
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            default: return .failed
            }
        }
    }

    /// This function reads `errno`, so it must be called before close(2).
    private static func failure(_ call: String, _ port: UInt16, _ owner: String) -> DeviceError {
        let number = errno
        let remedy =
            number == EADDRINUSE
            ? "Another program uses the port. Stop it, or choose another port (0 for any)." : "Choose another port."
        return DeviceError(
            number == EADDRINUSE ? .busy : .unreachable, "\(owner) cannot listen on port \(port). \(remedy)",
            cause: .system(call: call, errno: number))
    }
}

/// Accepts clients on a port that can be closed and reopened. Used only on the server's thread.
package final class LoopbackAcceptor {
    /// The maximum number of connections to accept per call. The limit prevents a burst of connections from blocking
    /// other work.
    private static let maximumAcceptsPerCall = 64
    private static let retryDelay = 0.1

    private let reopen: () throws(DeviceError) -> LoopbackListener
    private var listener: LoopbackListener?
    private var nextAttempt = BootTime.zero

    /// Setting this to false closes the port immediately. After it is set to true, `acceptPending` reopens the port.
    package var isOpen = true { didSet { if !isOpen { listener = nil } } }

    package init(_ listener: LoopbackListener) {
        self.listener = listener
        reopen = listener.reopen
    }

    package func pollDescriptor(now: BootTime) -> pollfd {
        pollfd(fd: nextAttempt <= now ? listener?.descriptor ?? -1 : -1, events: Int16(POLLIN), revents: 0)
    }

    package func deadline(now: BootTime) -> BootTime {
        nextAttempt > now || (isOpen && listener == nil) ? nextAttempt : .never
    }

    /// Passes the descriptor of each pending connection to the closure, which takes ownership of it.
    package func acceptPending(revents: Int16, now: BootTime, _ receive: (Int32) -> Void) {
        guard isOpen, nextAttempt <= now, listener == nil || revents != 0 else { return }
        if listener == nil { listener = try? reopen() }
        guard let listener else {
            // Another process may be using the port, so the next attempt is made later.
            nextAttempt = now.advanced(bySeconds: Self.retryDelay)
            return
        }
        for _ in 0..<Self.maximumAcceptsPerCall {
            switch listener.accept() {
            case .wouldBlock: return
            case .connection(let descriptor): receive(descriptor)
            case .failed:
                nextAttempt = now.advanced(bySeconds: Self.retryDelay)
                return
            }
        }
    }

    // While another process holds a copy of the descriptor, close(2) does not end the connection. A child process holds
    // copies of all descriptors between fork(2) and exec(3). The following functions therefore do not rely on close(2).

    /// Ends a connection normally. The client receives all pending data, followed by end of file.
    package static func shutDownAndClose(_ connection: Int32) {
        shutdown(connection, Int32(SHUT_RDWR))
        close(connection)
    }

    /// Resets a connection. The client receives ECONNRESET. The caller must also call `shutDownAndClose(_:)`.
    package static func reset(_ connection: Int32) {
        var unspecifiedAddress = sockaddr()
        unspecifiedAddress.sa_family = sa_family_t(AF_UNSPEC)
        connect(connection, &unspecifiedAddress, socklen_t(MemoryLayout<sockaddr>.size))
    }
}
