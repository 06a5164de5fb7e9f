// SPDX-License-Identifier: Apache-2.0

extension FileBytes {
    /// Makes a folder, and those above it, unless they are there.
    package static func makeFolder(_ path: String) throws(DeviceError) {
        if isFolder(path) { return }
        var place = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: true) {
            place += "/" + part
            guard mkdir(place, 0o755) != 0 else { continue }
            let number = errno
            // Whoever may not write above may still find the folder there; a read-only file system says so first.
            if isFolder(place) { continue }
            throw failedToWrite(place, call: "mkdir", errno: number, elsewhere: elsewhereToStore)
        }
    }

    /// True when the path leads to a folder.
    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// True when the path leads to a plain file.
    package static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// True when something has that name, be it a link that leads nowhere.
    package static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Puts a file of those bytes in the place of what is there, in one step: after a power failure it is the old or the
    /// new one. The temporary file is in the same folder. `elsewhere` is how to choose another place.
    package static func replace(
        _ path: String, with bytes: [UInt8], temporary: String, mode: mode_t = 0o644,
        elsewhere: String = "choose another place"
    ) throws(DeviceError) {
        // Left by a process of the same number that has ended in between.
        unlink(temporary)
        let descriptor = NewFile.open(temporary, mode: mode)
        guard descriptor >= 0 else { throw failedToWrite(path, call: "open", errno: errno, elsewhere: elsewhere) }
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
            throw failedToWrite(path, call: failure.call, errno: failure.errno, elsewhere: elsewhere)
        }
        syncFolder(of: path)
    }

    /// Writes a new file of those bytes, which all may read; in the place of what has that name only when that may go.
    package static func write(_ bytes: [UInt8], to path: String, overwrite: Bool) throws(DeviceError) {
        if overwrite { unlink(path) }
        let descriptor = NewFile.open(path, mode: 0o644)
        guard descriptor >= 0 else { throw failedToWrite(path, call: "open", errno: errno) }
        var number = write(bytes, to: descriptor)
        if close(descriptor) != 0, number == nil, errno != EINTR { number = errno }
        if let number { throw failedToWrite(path, call: "write", errno: number) }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { buffer in
            var offset = 0
            while offset < buffer.count {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[offset...])
                let count = systemWrite(descriptor, rest)
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

    /// How to choose another place for what is stored.
    package static let elsewhereToStore = "set XDG_STATE_HOME to another"

    /// Why a file or a folder could not be written, and what to do. `elsewhere` is how to choose another place.
    package static func failedToWrite(
        _ path: String, call: String, errno number: Int32, elsewhere: String = "choose another place"
    ) -> DeviceError {
        let (code, message): (DeviceError.Code, String) =
            switch number {
            case EEXIST: (.inputOutput, "\(path) exists already. Choose another place, or allow it to be overwritten.")
            case ENOENT: (.notFound, "There is no place \(path). Make its folder first, or check the path.")
            case ENOTDIR: (.notFound, "\(path) is not a folder. Check the path.")
            case EACCES, EPERM, EROFS:
                (
                    .permissionDenied,
                    "\(path) may not be written by this user. Change the folder's mode or \(elsewhere)."
                )
            case ENOSPC, EDQUOT: (.inputOutput, "There is no space left for \(path). Free some and write it again.")
            default: (.inputOutput, "\(path) cannot be written.")
            }
        return DeviceError(code, message, cause: .system(call: call, errno: number))
    }
}
