// SPDX-License-Identifier: Apache-2.0

/// Kinds of sockets, as numbers: the constants have another type with each C library.
package struct SocketKind: Sendable {
    /// The number of the kind by itself.
    package let number: Int32

    #if canImport(Glibc)
    private init(_ type: __socket_type) { number = Int32(type.rawValue) }
    #else
    private init(_ type: Int32) { number = type }
    #endif

    package static let stream = SocketKind(SOCK_STREAM)
    package static let datagrams = SocketKind(SOCK_DGRAM)
    package static let packets = SocketKind(SOCK_SEQPACKET)

    /// The kind, for a socket that does not block and that no other program inherits.
    package var quiet: Int32 { number | SocketKind(SOCK_NONBLOCK).number | SocketKind(SOCK_CLOEXEC).number }
}

/// The calls of sockets that several rooms make.
package enum Sockets {
    /// A socket that does not block and that no other program inherits; below zero with the reason in errno.
    package static func open(_ family: Int32, _ kind: SocketKind, protocol number: Int32 = 0) -> Int32 {
        socket(family, kind.quiet, number)
    }

    /// The next connection, which does not block and is not inherited; below zero with the reason in errno.
    package static func acceptNext(_ listener: Int32) -> Int32 {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return descriptor }
        // Without accept4() the flags are set afterwards.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        return descriptor
    }

    /// Lends the address of the Unix socket at a path; nil, with ENAMETOOLONG in errno, when the path is too long.
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

    /// Connects to the Unix socket at a path; nil when the path is too long, else what connect(2) says.
    package static func connect(_ descriptor: Int32, to path: String) -> Int32? {
        withAddress(of: path) { address, length in connectSocket(descriptor, address, length) }
    }

    /// True for `localhost`, which always stands for the loopback addresses (RFC 6761), also on a board without /etc/hosts.
    package static func isLocalhost(_ host: String) -> Bool { ["localhost", "localhost."].contains(host.lowercased()) }

    /// Passes the addresses of a host to a closure until it returns true. Returns the result of getaddrinfo(3), which is 0 on
    /// success. The resolver may take long.
    package static func resolve(_ host: String, port: UInt16, isTaken: (addrinfo) -> Bool) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = SocketKind.stream.number
        hints.ai_flags = Int32(AI_NUMERICSERV)
        var list: UnsafeMutablePointer<addrinfo>?
        // Without a name, getaddrinfo gives the loopback addresses.
        let result =
            isLocalhost(host)
            ? getaddrinfo(nil, String(port), &hints, &list) : getaddrinfo(host, String(port), &hints, &list)
        guard result == 0 else { return result }
        defer { freeaddrinfo(list) }
        var entry = list
        while let current = entry?.pointee, !isTaken(current) { entry = current.ai_next }
        return 0
    }

    /// What connect(2) says.
    package static func connect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
        connectSocket(descriptor, address, length)
    }

    /// Sets an option that is a number; false with the reason in errno.
    @discardableResult
    package static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) -> Bool {
        var value = value
        return setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    /// Takes the pending error away from a socket: 0 when there is none; nil when it is no socket.
    package static func takeError(_ descriptor: Int32) -> Int32? {
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size) == 0 ? number : nil
    }

    /// True when a read would give something or an error.
    package static func isReadable(_ descriptor: Int32) -> Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) > 0
    }
}

/// The C function, whose name the method hides.
private func connectSocket(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}
