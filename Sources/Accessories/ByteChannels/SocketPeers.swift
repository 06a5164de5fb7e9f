// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The programs connected to a socket, as far as this user can see them.
package struct SocketPeers: Sendable {
    /// The number of connections that the server has accepted. Connections still waiting to be accepted are not
    /// counted.
    package let count: Int
    /// The connected programs. The current process is last.
    package let holders: [NodeHolder]

    /// Queries the kernel, which may take tens of milliseconds.
    ///
    /// - Parameter limit: The maximum number of open files to check.
    package init(of path: String, limit: Int = 50_000) {
        let sockets = Self.sockets(at: path)
        count = sockets.count
        holders = sockets.isEmpty ? [] : Self.holders(of: sockets, limit: limit)
    }

    // MARK: Programs

    private static func holders(of sockets: Set<UInt32>, limit: Int) -> [NodeHolder] {
        var holders: [NodeHolder] = []
        var remaining = limit
        for pid in NodeHolder.numericEntries(of: "/proc", limit: 100_000) where remaining > 0 {
            let folder = "/proc/\(pid)/fd"
            let files = NodeHolder.numericEntries(of: folder, limit: remaining)
            remaining -= files.count
            let hasSocket = files.contains { file in socket(at: "\(folder)/\(file)").map(sockets.contains) ?? false }
            if hasSocket { holders.append(NodeHolder(pid: pid, program: NodeHolder.name(pid))) }
        }
        return holders.filter { $0.pid != getpid() } + holders.filter { $0.pid == getpid() }
    }

    /// Returns the inode number of the socket that a descriptor refers to. `path` is the descriptor's entry in /proc, a
    /// link of the form "socket:[INODE]".
    private static func socket(at path: String) -> UInt32? {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start.assumingMemoryBound(to: CChar.self), buffer.count)
            let text = buffer.prefix(max(0, count))
            let prefix = "socket:[".utf8
            guard text.starts(with: prefix), text.last == UInt8(ascii: "]") else { return nil }
            return UInt32(String(decoding: text.dropFirst(prefix.count).dropLast(), as: UTF8.self))
        }
    }

    // MARK: Sockets

    // These values come from linux/netlink.h, sock_diag.h and unix_diag.h, which Swift does not import.
    static let netlinkSockDiag: Int32 = 4
    static let sockDiagByFamily: UInt16 = 20
    static let requestDumpFlags: UInt16 = 0x301
    static let error: UInt16 = 2
    static let done: UInt16 = 3
    static let showsNameFileAndPeer: UInt32 = 1 << 0 | 1 << 1 | 1 << 2
    private static let established: UInt32 = 1
    static let nameAttribute: UInt16 = 0
    static let fileAttribute: UInt16 = 1
    static let peerAttribute: UInt16 = 2
    static let headerLength = 16
    static let messageLength = 16
    static let requestLength = 40

    /// The socket file that a path refers to.
    private struct SocketFile {
        var status = stat()
        var name: ArraySlice<UInt8>

        init?(_ path: String) {
            guard let resolved = realpath(path, nil) else { return nil }
            defer { free(resolved) }
            guard stat(resolved, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
            let bytes = Array(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
            name = SocketPeers.lastPathComponent(bytes[...])
        }
    }

    private static func lastPathComponent(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        path.lastIndex(of: UInt8(ascii: "/")).map { path[($0 + 1)...] } ?? path
    }

    /// Returns the inode numbers of all sockets that are connected to the socket at a path.
    private static func sockets(at path: String) -> Set<UInt32> {
        guard let socketFile = SocketFile(path) else { return [] }
        let descriptor = Sockets.open(Int32(AF_NETLINK), .datagrams, protocol: netlinkSockDiag)
        guard descriptor >= 0 else { return [] }
        defer { systemClose(descriptor) }
        var request: [UInt8] = []
        func append(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value) { request += $0 } }
        // `struct nlmsghdr`: length, type, flags, sequence number and port ID.
        append(UInt32(requestLength))
        append(sockDiagByFamily)
        append(requestDumpFlags)
        append(UInt32(1))
        append(UInt32(0))
        // `struct unix_diag_req`: family, protocol, padding, states, inode, attributes to show and cookie.
        append(UInt8(AF_UNIX))
        append(UInt8(0))
        append(UInt16(0))
        append(UInt32(1) << established)
        append(UInt32(0))
        append(showsNameFileAndPeer)
        append(UInt64.max)
        guard request.withUnsafeBytes({ systemSend(descriptor, $0) }) == request.count else { return [] }
        var sockets: Set<UInt32> = []
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            // The kernel sends the reply in several parts, without delay. The limit prevents an endless loop.
            for _ in 0..<10_000 {
                var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&state, 1, 100) > 0 else { return }
                let count = systemRead(descriptor, buffer)
                guard count > 0 else { return }
                let part = UnsafeRawBufferPointer(rebasing: buffer[..<min(count, buffer.count)])
                guard parse(part, file: socketFile, into: &sockets) else { return }
            }
        }
        return sockets
    }

    /// Parses part of the reply. Returns false at the end of the reply.
    private static func parse(
        _ part: UnsafeRawBufferPointer, file socketFile: SocketFile, into sockets: inout Set<UInt32>
    ) -> Bool {
        var remaining = part[...]
        while remaining.count >= headerLength {
            let message = UnsafeRawBufferPointer(rebasing: remaining)
            let length = Int(clamping: message.loadUnaligned(as: UInt32.self))
            let type = message.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
            guard type != done, type != error, length >= headerLength, length <= message.count else { return false }
            if type == sockDiagByFamily, length >= headerLength + messageLength {
                let attributes = UnsafeRawBufferPointer(rebasing: message[(headerLength + messageLength)..<length])
                if let peer = peer(attributes, socketFile) { sockets.insert(peer) }
            }
            remaining = remaining.dropFirst((length + 3) & ~3)
        }
        return true
    }

    /// Returns the inode number of a socket's peer, or `nil` if the socket is not bound to the given file.
    private static func peer(_ attributes: UnsafeRawBufferPointer, _ socketFile: SocketFile) -> UInt32? {
        var remaining = attributes[...]
        var (isFile, isDevice, isName) = (false, false, false)
        var peer: UInt32?
        while remaining.count >= 4 {
            let attribute = UnsafeRawBufferPointer(rebasing: remaining)
            let length = Int(attribute.loadUnaligned(as: UInt16.self))
            let type = attribute.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
            guard length >= 4, length <= attribute.count else { return nil }
            if type == fileAttribute, length >= 12 {
                let file = attribute.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
                isFile = file == UInt32(truncatingIfNeeded: socketFile.status.st_ino)
                let device = UInt64(attribute.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
                // The message contains the kernel's device number, with 12 bits for the major number and 20 bits for
                // the minor number. stat(2) uses a different layout.
                let userDeviceNumber = ((device >> 20) << 8) | (device & 0xFF) | ((device & 0xFFF00) << 12)
                isDevice = userDeviceNumber == UInt64(socketFile.status.st_dev)
            } else if type == nameAttribute {
                let name = Array(attribute[4..<length].prefix { $0 != 0 })
                isName = lastPathComponent(name[...]) == socketFile.name
            } else if type == peerAttribute, length >= 8 {
                peer = attribute.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
            }
            remaining = remaining.dropFirst((length + 3) & ~3)
        }
        // Depending on the file system, the device number from stat(2) may differ from the kernel's number. In that
        // case, a matching name is sufficient.
        return isFile && (isDevice || isName) ? peer : nil
    }
}
