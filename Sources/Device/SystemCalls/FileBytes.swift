// SPDX-License-Identifier: Apache-2.0

/// Reads whole files without Foundation.
package enum FileBytes {
    /// The bytes of a file, of which there may be no more than the limit. The error says what to do.
    package static func read(_ path: String, limit: Int) throws(DeviceError) -> [UInt8] {
        var status = stat()
        return try read(path, limit: limit, status: &status)
    }

    /// - Parameter status: Becomes what the file was when it was opened: by now the path may lead to another one.
    package static func read(_ path: String, limit: Int, status: inout stat) throws(DeviceError) -> [UInt8] {
        // Not blocking: a path may lead to a pipe that nobody writes.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failedToRead(path, call: "open", errno: errno) }
        defer { close(descriptor) }
        let isKnown = fstat(descriptor, &status) == 0
        let isPipe = isKnown && status.st_mode & S_IFMT == S_IFIFO
        var number: Int32 = 0
        var isWhole = false
        /// Reads on; 0 when that is over, and then why is known.
        func more(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
            while !isWhole, number == 0 {
                let count = systemRead(descriptor, buffer)
                if count > 0 { return count }
                if count == 0 {
                    isWhole = true
                } else if isPipe, errno == EAGAIN {
                    // Somebody writes it, and has a while for that.
                    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    if poll(&wait, 1, 10_000) == 0 { number = ETIMEDOUT }
                } else if errno != EINTR {
                    number = errno
                }
            }
            return 0
        }
        let size = isKnown ? max(0, min(Int(clamping: status.st_size), limit)) : 0
        // Straight into its place; the byte that is too many is where the end shows.
        var bytes = [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, filled in
            let space = UnsafeMutableRawBufferPointer(buffer)
            while size > 0, filled < space.count, !isWhole, number == 0 {
                filled += more(UnsafeMutableRawBufferPointer(rebasing: space[filled...]))
            }
        }
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            while !isWhole, number == 0, bytes.count <= limit {
                bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<more(buffer)]))
            }
        }
        guard number == 0 else { throw failedToRead(path, call: "read", errno: number) }
        guard bytes.count <= limit else {
            throw DeviceError(
                .inputOutput,
                "\(ShownText.cleaned(path)) is larger than \(limit) bytes, which is the limit for such a file.")
        }
        return bytes
    }

    /// Why a file or a folder could not be read, and what to do.
    package static func failedToRead(_ path: String, call: String, errno number: Int32) -> DeviceError {
        let path = ShownText.cleaned(path)
        let (code, message): (DeviceError.Code, String) =
            switch number {
            case ENOENT, ENOTDIR: (.notFound, "There is no file \(path). Check the path.")
            case EACCES, EPERM:
                (.permissionDenied, "\(path) may not be read by this user. Change its mode or run as a user who may.")
            case EISDIR: (.inputOutput, "\(path) is a folder, and a file is needed.")
            default: (.inputOutput, "\(path) cannot be read.")
            }
        return DeviceError(code, message, cause: .system(call: call, errno: number))
    }
}
