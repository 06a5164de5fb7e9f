// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension FileBytes {
    /// Makes a folder, and those above it, unless they are there.
    static func makeFolder(_ path: String) throws(DeviceError) {
        if isFolder(path) { return }
        var place = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: true) {
            place += "/" + part
            guard mkdir(place, 0o755) != 0 else { continue }
            let number = errno
            // Whoever may not write above may still find the folder there; a read-only file system says so first.
            if isFolder(place) { continue }
            throw failedToWrite(place, call: "mkdir", errno: number)
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Puts a file of those bytes in the place of what is there, in one step: after a power failure it is the old or the
    /// new one. The temporary file is in the same folder.
    static func replace(_ path: String, with bytes: [UInt8], temporary: String) throws(DeviceError) {
        // Left by a process of the same number that has ended in between.
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw failedToWrite(temporary, call: "open", errno: errno) }
        var failure: (call: String, errno: Int32)?
        if let number = write(bytes, to: descriptor) {
            failure = ("write", number)
        } else if fsync(descriptor) != 0 {
            failure = ("fsync", errno)
        }
        if close(descriptor) != 0, failure == nil { failure = ("close", errno) }
        if failure == nil, rename(temporary, path) != 0 { failure = ("rename", errno) }
        if let failure {
            unlink(temporary)
            throw failedToWrite(path, call: failure.call, errno: failure.errno)
        }
        syncFolder(of: path)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { buffer in
            var offset = 0
            while offset < buffer.count {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[offset...])
                let count = system_write(descriptor, rest.baseAddress, rest.count)
                if count > 0 {
                    offset += count
                } else if count == 0 || errno != EINTR {
                    return count == 0 ? EIO : errno
                }
            }
            return nil
        }
    }

    /// Has the new name reach the disk too. Where that cannot be done the file is there all the same.
    private static func syncFolder(of path: String) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let descriptor = open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func failedToWrite(_ path: String, call: String, errno number: Int32) -> DeviceError {
        let code: DeviceError.Code
        let message: String
        switch number {
        case EACCES, EPERM, EROFS:
            code = .permissionDenied
            message =
                "\(path) may not be written by this user. Change the folder's mode or set XDG_STATE_HOME to another."
        case ENOSPC, EDQUOT:
            code = .inputOutput
            message = "\(path) cannot be written, for there is no space left. Make some."
        default:
            code = .inputOutput
            message = "\(path) cannot be written."
        }
        return DeviceError(code, message, cause: .system(call: call, errno: number))
    }
}

/// The C function, whose name the method hides.
private func system_write(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}
