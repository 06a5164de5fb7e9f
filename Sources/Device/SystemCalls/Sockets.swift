// SPDX-License-Identifier: Apache-2.0

/// A socket type as an integer. The C constants cannot be used directly, because their Swift type differs between C
/// libraries.
package struct SocketType: Sendable {
    package let number: Int32

    #if canImport(Glibc)
    private init(_ type: __socket_type) { number = Int32(type.rawValue) }
    #else
    private init(_ type: Int32) { number = type }
    #endif

    package static let stream = SocketType(SOCK_STREAM)
    package static let datagrams = SocketType(SOCK_DGRAM)
    package static let packets = SocketType(SOCK_SEQPACKET)

    package var nonBlockingCloseOnExec: Int32 {
        number | SocketType(SOCK_NONBLOCK).number | SocketType(SOCK_CLOEXEC).number
    }
}

package enum Sockets {
    /// Creates a non-blocking, close-on-exec socket. Returns a negative value on failure, with the reason in `errno`.
    package static func open(_ family: Int32, _ kind: SocketType, protocol number: Int32 = 0) -> Int32 {
        socket(family, kind.nonBlockingCloseOnExec, number)
    }

    /// Accepts a connection as a non-blocking, close-on-exec socket. Returns a negative value on failure.
    package static func acceptNext(_ listener: Int32) -> Int32 {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return descriptor }
        // Unlike accept4(2), accept(2) cannot set these flags.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        return descriptor
    }

    /// Calls the closure with a Unix domain socket's address. Sets `errno` and returns nil if the path is too long.
    package static func withAddress<Result>(
        of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { space in
            guard bytes.count < space.count else { return false }
            space.copyBytes(from: bytes)
            return true
        }
        guard fits else {
            errno = ENAMETOOLONG
            return nil
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Connects to a Unix domain socket. Returns the result of connect(2), or nil if the path is too long.
    package static func connect(_ descriptor: Int32, to path: String) -> Int32? {
        withAddress(of: path) { address, length in connectSocket(descriptor, address, length) }
    }

    /// Returns true for `localhost`, which always means the loopback addresses (RFC 6761), even without /etc/hosts.
    package static func isLocalhost(_ host: String) -> Bool { ["localhost", "localhost."].contains(host.lowercased()) }

    /// Passes the host's addresses to the closure, one at a time, until the closure returns true. Returns the result of
    /// getaddrinfo(3), which may block.
    package static func resolve(_ host: String, port: UInt16, isAccepted: (addrinfo) -> Bool) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = SocketType.stream.number
        hints.ai_flags = Int32(AI_NUMERICSERV)
        var list: UnsafeMutablePointer<addrinfo>?
        // Without a host name, getaddrinfo() returns the loopback addresses.
        let result =
            isLocalhost(host)
            ? getaddrinfo(nil, String(port), &hints, &list) : getaddrinfo(host, String(port), &hints, &list)
        guard result == 0 else { return result }
        defer { freeaddrinfo(list) }
        var entry = list
        while let current = entry?.pointee, !isAccepted(current) { entry = current.ai_next }
        return 0
    }

    /// Sets an integer socket option. Returns false on failure, with the reason in `errno`.
    @discardableResult
    package static func setOption(_ descriptor: Int32, level: Int32, name option: Int32, value: Int32) -> Bool {
        var value = value
        return setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    /// Reads and clears `SO_ERROR`. Returns 0 if there is no error, or nil if getsockopt(2) fails.
    package static func clearPendingError(_ descriptor: Int32) -> Int32? {
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size) == 0 ? number : nil
    }

    /// Returns true if a read would return immediately, with data, an end of file or an error.
    package static func isReadable(_ descriptor: Int32) -> Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) > 0
    }
}

/// The resolved address of a server, stored so that later connections need no name lookup.
package struct ServerAddress: Sendable {
    package let family: Int32
    private let bytes: [UInt8]

    package init?(_ address: addrinfo) {
        guard let pointer = address.ai_addr else { return nil }
        family = address.ai_family
        bytes = Array(UnsafeRawBufferPointer(start: pointer, count: Int(address.ai_addrlen)))
    }

    /// Starts a connection and returns the socket, which the caller must close. Returns nil on failure.
    package func connect() -> Int32? {
        let descriptor = Sockets.open(family, .stream)
        guard descriptor >= 0 else { return nil }
        if connect(descriptor) == 0 || errno == EINPROGRESS { return descriptor }
        systemClose(descriptor)
        return nil
    }

    /// Starts connecting an open socket to the address. Returns the result of connect(2).
    package func connect(_ descriptor: Int32) -> Int32 {
        bytes.withUnsafeBytes { bytes -> Int32 in
            guard let start = bytes.baseAddress else { return -1 }
            return connectSocket(descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }
}

/// Calls connect(2). Inside the types in this file, the methods named `connect` hide the C function.
private func connectSocket(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}
