// SPDX-License-Identifier: Apache-2.0

package import SystemCalls

extension NewFile {
    /// The folder that a path leads through last, and what is behind it.
    package static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    /// Makes a folder for files of those permissions: who may read them may enter it. 0, or -1 with the reason in errno.
    package static func makeFolder(_ path: String, for mode: mode_t? = nil) -> Int32 {
        guard mkdir(path, 0o700) == 0 else { return -1 }
        guard let mode else { return 0 }
        // Something else may have its name by now.
        let folder = systemOpen(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return -1 }
        defer { systemClose(folder) }
        var status = stat()
        // Whatever umask says, as for the files.
        if fstat(folder, &status) == 0, status.st_uid == geteuid() {
            _ = fchmod(folder, 0o700 | (mode & 0o777) | (mode & 0o444) >> 2)
        }
        return 0
    }

    /// Gives a file a name that nothing has. 0, or -1 with the reason in errno.
    package static func move(_ old: String, to new: String) -> Int32 {
        // A second name is not given where something has it; renaming would replace that.
        if linkat(AT_FDCWD, old, AT_FDCWD, new, 0) == 0 {
            unlink(old)
            return 0
        }
        // Some file systems (FAT) know one name for a file only, and no owners from whom it would have to be kept.
        guard errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK else { return -1 }
        guard !FileBytes.isThere(new) else {
            errno = EEXIST
            return -1
        }
        return rename(old, new)
    }

    /// True for a link that somebody else has made: it leads where this user never meant to write.
    package static func isForeignLink(_ path: String) -> Bool {
        var status = stat()
        // A slash at the end would lead through it.
        let path = path.hasSuffix("/") ? String(path[...(path.lastIndex { $0 != "/" } ?? path.startIndex)]) : path
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return false }
        return status.st_uid != geteuid() && status.st_uid != 0
    }

    /// Why a folder cannot be used, and what to do.
    package static func failure(_ path: String, call: String, errno number: Int32) -> DeviceError {
        guard number == EEXIST, isForeignLink(path) else {
            return FileBytes.failedToWrite(path, call: call, errno: number)
        }
        return DeviceError(
            .permissionDenied,
            "\(path) is a link that another user has made, and is not followed. Choose another name.",
            cause: .system(call: call, errno: ELOOP))
    }
}
