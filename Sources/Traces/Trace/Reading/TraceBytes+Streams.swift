// SPDX-License-Identifier: Apache-2.0

import SystemCalls
package import DeviceCore

extension TraceBytes {
    /// The maximum number of stream bytes kept in memory (16 MiB). A longer stream is written to a temporary file.
    private static let maximumStreamBytesInMemory = 16 << 20
    /// The maximum number of bytes read from a device other than a terminal (64 MiB). Reading a device such as
    /// /dev/zero would never end.
    private static let maximumDeviceBytes = 64 << 20

    /// Reads a stream, such as a pipe, to its end. A stream that exceeds the memory limit is stored in an unnamed
    /// temporary file. `name` identifies the stream in messages. The descriptor stays open.
    package init(stream descriptor: Int32, name: String) throws(DeviceError) {
        try self.init(stream: descriptor, name: name, largestInMemory: Self.maximumStreamBytesInMemory)
    }

    init(
        stream descriptor: Int32, name: String, largestInMemory: Int, limit: Int = TraceFile.maximumSize
    ) throws(DeviceError) {
        var status = stat()
        let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
        let isDevice = kind == S_IFBLK || (kind == S_IFCHR && isatty(descriptor) == 0)
        let limit = isDevice && limit > Self.maximumDeviceBytes ? Self.maximumDeviceBytes : limit
        var bytes: [UInt8] = []
        if kind == S_IFREG, status.st_size > 0, status.st_size <= largestInMemory {
            bytes.reserveCapacity(Int(status.st_size))
        }
        var temporaryBuffer: TemporaryBuffer?
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0) }
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                if errno == EAGAIN {
                    // Waits for data, because the descriptor is in nonblocking mode.
                    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    _ = poll(&wait, 1, 1000)
                    continue
                }
                throw FileIO.readError(name, call: "read", errno: errno)
            }
            guard bytes.count + (temporaryBuffer?.count ?? 0) + count <= limit else {
                throw DeviceError(.inputOutput, "\(name) exceeds the limit of \(limit) bytes.")
            }
            if bytes.count + count > largestInMemory {
                if temporaryBuffer == nil { temporaryBuffer = try TemporaryBuffer() }
                try temporaryBuffer?.append(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
            bytes.append(contentsOf: chunk[..<count])
        }
        if let temporaryBuffer {
            try temporaryBuffer.append(bytes)
            self = try temporaryBuffer.bytes()
        } else {
            self.init(bytes)
        }
    }
}

extension DeviceError {
    package static func truncatedWhileReading(_ name: String) -> DeviceError {
        DeviceError(.inputOutput, "\(name) became shorter while it was read. Read it again when no program writes it.")
    }
}
