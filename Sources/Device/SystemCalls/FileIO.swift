// SPDX-License-Identifier: Apache-2.0

/// Reads and writes whole files without Foundation.
package enum FileIO {
    /// Reads a file. Throws an error that describes how to resolve it if the file cannot be read or exceeds the limit,
    /// in bytes.
    package static func read(_ path: String, limit: Int) throws(DeviceError) -> [UInt8] {
        var status = stat()
        return try read(path, limit: limit, status: &status)
    }

    /// Reads a file and its status. See `read(_:limit:)`.
    ///
    /// - Parameter status: Receives the status of the opened file. The path may refer to another file by now.
    package static func read(_ path: String, limit: Int, status: inout stat) throws(DeviceError) -> [UInt8] {
        // Opened non-blocking because the path may be a FIFO without a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw readError(path, call: "open", errno: errno) }
        defer { close(descriptor) }
        let isKnown = fstat(descriptor, &status) == 0
        let isPipe = isKnown && status.st_mode & S_IFMT == S_IFIFO
        var number: Int32 = 0
        var isAtEnd = false
        /// Reads the next bytes. Returns 0 at the end of the file or after an error.
        func readMore(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
            while !isAtEnd, number == 0 {
                let count = systemRead(descriptor, buffer)
                if count > 0 { return count }
                if count == 0 {
                    isAtEnd = true
                } else if isPipe, errno == EAGAIN {
                    // A writer has opened the FIFO. It has 10 s to write the next bytes.
                    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    if poll(&wait, 1, 10_000) == 0 { number = ETIMEDOUT }
                } else if errno != EINTR {
                    number = errno
                }
            }
            return 0
        }
        let size = isKnown ? max(0, min(Int(clamping: status.st_size), limit)) : 0
        // Reads directly into the array. The additional byte detects the end of the file.
        var bytes = [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, filled in
            let space = UnsafeMutableRawBufferPointer(buffer)
            while size > 0, filled < space.count, !isAtEnd, number == 0 {
                filled += readMore(UnsafeMutableRawBufferPointer(rebasing: space[filled...]))
            }
        }
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            while !isAtEnd, number == 0, bytes.count <= limit {
                bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<readMore(buffer)]))
            }
        }
        guard number == 0 else { throw readError(path, call: "read", errno: number) }
        guard bytes.count <= limit else {
            throw DeviceError(
                .inputOutput,
                "\(TerminalSanitizer.sanitized(path)) is larger than the limit of \(limit) bytes.")
        }
        return bytes
    }

    /// Returns the error for a file or directory that cannot be read.
    package static func readError(_ path: String, call: String, errno number: Int32) -> DeviceError {
        let path = TerminalSanitizer.sanitized(path)
        let (code, message): (DeviceError.Code, String) =
            switch number {
            case ENOENT, ENOTDIR: (.notFound, "There is no file \(path). Check the path.")
            case EACCES, EPERM:
                (
                    .permissionDenied,
                    "This user may not read \(path). Change its permissions or run as a user with access."
                )
            case EISDIR: (.inputOutput, "\(path) is a directory, but a file is needed.")
            default: (.inputOutput, "\(path) cannot be read.")
            }
        return DeviceError(code, message, cause: .system(call: call, errno: number))
    }
}
