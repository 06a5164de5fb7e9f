// SPDX-License-Identifier: Apache-2.0

extension FileIO {
    /// Creates a directory and its missing parents, unless the directory exists. The path must be absolute.
    package static func createDirectory(_ path: String) throws(DeviceError) {
        if isDirectory(path) { return }
        var parent = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: true) {
            parent += "/" + part
            guard mkdir(parent, 0o755) != 0 else { continue }
            let number = errno
            // mkdir(2) may report EACCES or EROFS instead of EEXIST for an existing directory.
            if isDirectory(parent) { continue }
            throw writeError(parent, call: "mkdir", errno: number, locationHint: stateLocationHint)
        }
    }

    /// Returns true if the path is a directory. Follows symbolic links.
    package static func isDirectory(_ path: String) -> Bool { fileType(path) == S_IFDIR }

    /// Returns true if the path is a regular file. Follows symbolic links.
    package static func isRegularFile(_ path: String) -> Bool { fileType(path) == S_IFREG }

    private static func fileType(_ path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// Returns true if the path exists, even if it is a dangling symbolic link.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Replaces a file atomically: after a power failure, the path contains either the old file or the new file.
    ///
    /// - Parameter temporary: The path of the temporary file, in the same directory.
    package static func replace(
        _ path: String, with bytes: [UInt8], temporary: String, mode: mode_t = 0o644,
        locationHint: String = "choose another location"
    ) throws(DeviceError) {
        // A terminated process with the same ID may have left this file behind.
        unlink(temporary)
        let descriptor = ExclusiveFile.open(temporary, mode: mode)
        guard descriptor >= 0 else { throw writeError(path, call: "open", errno: errno, locationHint: locationHint) }
        var failure: (call: String, errno: Int32)?
        if let number = write(bytes, to: descriptor) {
            failure = ("write", number)
        } else if fsync(descriptor) != 0 {
            failure = ("fsync", errno)
        }
        // Ignores errors from close(2), such as EINTR, because fsync(2) has already written the file.
        close(descriptor)
        if failure == nil, rename(temporary, path) != 0 { failure = ("rename", errno) }
        if let failure {
            unlink(temporary)
            throw writeError(path, call: failure.call, errno: failure.errno, locationHint: locationHint)
        }
        syncDirectory(of: path)
    }

    /// Writes a new file that all users can read. Throws if the file exists and `overwrite` is false.
    package static func write(_ bytes: [UInt8], to path: String, overwrite: Bool) throws(DeviceError) {
        if overwrite { unlink(path) }
        let descriptor = ExclusiveFile.open(path, mode: 0o644)
        guard descriptor >= 0 else { throw writeError(path, call: "open", errno: errno) }
        var number = write(bytes, to: descriptor)
        if close(descriptor) != 0, number == nil, errno != EINTR { number = errno }
        if let number { throw writeError(path, call: "write", errno: number) }
    }

    /// Returns nil on success, or an error number.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { buffer in writeAll(buffer) { systemWrite(descriptor, $0) } }
    }

    /// Writes all bytes using `call`, which must return the same results as write(2). Repeats the call after EINTR.
    /// Returns nil on success, or an error number.
    package static func writeAll(
        _ bytes: UnsafeRawBufferPointer, _ call: (UnsafeRawBufferPointer) -> Int
    ) -> Int32? {
        var offset = 0
        while offset < bytes.count {
            let count = call(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
            if count > 0 {
                offset += count
            } else if count == 0 || errno != EINTR {
                return count == 0 ? EIO : errno
            }
        }
        return nil
    }

    /// Writes all bytes. While the descriptor is not writable, calls `shouldContinue` ten times a second, and returns
    /// EPIPE as soon as the result is false. Returns nil on success, or an error number.
    package static func writeAll(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, while shouldContinue: () -> Bool
    ) -> Int32? {
        writeAll(bytes) { rest in
            var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            while true {
                let count = poll(&wait, 1, 100)
                // If a signal interrupted poll(2), the descriptor may not be writable yet.
                if count > 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { break }
                guard shouldContinue() else {
                    errno = EPIPE
                    return -1
                }
            }
            // If poll(2) reports that a pipe is writable, a write of at most PIPE_BUF bytes does not block.
            let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest.prefix(Int(PIPE_BUF))))
            // EINTR makes `writeAll` repeat the call.
            if count < 0, errno == EAGAIN { errno = EINTR }
            return count
        }
    }

    /// Flushes the directory entry to disk. Ignores errors because the file itself is already written.
    private static func syncDirectory(of path: String) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let descriptor = open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    package static let stateLocationHint = "set XDG_STATE_HOME to another one"

    package static func writeError(
        _ path: String, call: String, errno number: Int32, locationHint: String = "choose another location"
    ) -> DeviceError {
        let (code, message): (DeviceError.Code, String) =
            switch number {
            case EEXIST: (.inputOutput, "\(path) already exists. Choose another location, or allow overwriting.")
            case ENOENT:
                (.notFound, "\(path) or its directory does not exist. Create the directory, or check the path.")
            case ENOTDIR: (.notFound, "A part of \(path) is not a directory. Check the path.")
            case EACCES, EPERM, EROFS:
                (
                    .permissionDenied,
                    "This user may not write \(path). Change the permissions of its directory or \(locationHint)."
                )
            case ENOSPC, EDQUOT: (.inputOutput, "There is no space left for \(path). Free some space and try again.")
            default: (.inputOutput, "\(path) cannot be written.")
            }
        return DeviceError(code, message, cause: .system(call: call, errno: number))
    }
}
