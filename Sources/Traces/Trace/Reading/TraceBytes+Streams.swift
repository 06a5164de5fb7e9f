// SPDX-License-Identifier: Apache-2.0

import SystemCalls
package import DeviceCore

extension TraceBytes {
    /// So much of what can be read only once stays in memory.
    private static let largestStreamInMemory = 16 << 20
    /// So much is taken of a device that is no terminal: none that has an end has more.
    private static let largestOfDevice = 64 << 20

    /// The bytes of what can be read only once, such as a pipe, to its end. What is too much for memory lies in a file
    /// without a name.
    ///
    /// - Parameters:
    ///   - descriptor: stays open.
    ///   - name: what to call it in messages.
    package init(stream descriptor: Int32, name: String) throws(DeviceError) {
        try self.init(stream: descriptor, name: name, largestInMemory: Self.largestStreamInMemory)
    }

    init(
        stream descriptor: Int32, name: String, largestInMemory: Int, limit: Int = TraceFile.maximumSize
    ) throws(DeviceError) {
        var status = stat()
        let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
        let isDevice = kind == S_IFBLK || (kind == S_IFCHR && isatty(descriptor) == 0)
        let limit = isDevice && limit > Self.largestOfDevice ? Self.largestOfDevice : limit
        var bytes: [UInt8] = []
        if kind == S_IFREG, status.st_size > 0, status.st_size <= largestInMemory {
            bytes.reserveCapacity(Int(status.st_size))
        }
        var spilled: SpillFile?
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0) }
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                if errno == EAGAIN {
                    // Somebody made a pipe that does not block: wait as a blocking one would.
                    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    _ = poll(&wait, 1, 1000)
                    continue
                }
                throw FileBytes.failedToRead(name, call: "read", errno: errno)
            }
            guard bytes.count + (spilled?.count ?? 0) + count <= limit else {
                throw DeviceError(.inputOutput, "\(name) has more than \(limit) bytes, which is the limit.")
            }
            if bytes.count + count > largestInMemory {
                if spilled == nil { spilled = try SpillFile() }
                try spilled?.append(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
            bytes.append(contentsOf: chunk[..<count])
        }
        if let spilled {
            try spilled.append(bytes)
            self = try spilled.bytes()
        } else {
            self.init(bytes)
        }
    }
}

extension DeviceError {
    /// A file that somebody cut off while it was read.
    package static func becameShorter(_ name: String) -> DeviceError {
        DeviceError(.inputOutput, "\(name) became shorter while it was read. Read it again when nothing changes it.")
    }
}
