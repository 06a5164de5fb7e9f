// SPDX-License-Identifier: Apache-2.0

package import SystemCalls

/// Functions that create directories and rename files. Like ``open(_:mode:in:access:)``, they neither replace files nor
/// follow symbolic links.
extension ExclusiveFile {
    package static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    /// Creates a directory for files with the given mode. The directory's mode is derived from this mode, so that users
    /// who can read the files can also enter the directory. Returns 0, or -1 with the reason in `errno`.
    package static func createDirectory(_ path: String, for mode: mode_t? = nil) -> Int32 {
        guard mkdir(path, 0o700) == 0 else { return -1 }
        guard let mode else { return 0 }
        // Another process may have replaced the directory, so the mode is set only if this user owns the directory.
        // Ownership by another user is not an error, because some file servers assign a different owner.
        let folder = systemOpen(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return -1 }
        defer { systemClose(folder) }
        var status = stat()
        // Sets the mode explicitly, because the umask restricts the mode passed to mkdir.
        if fstat(folder, &status) == 0, status.st_uid == geteuid() {
            _ = fchmod(folder, 0o700 | (mode & 0o777) | (mode & 0o444) >> 2)
        }
        return 0
    }

    /// Renames a file without replacing an existing one. Returns 0, or -1 with the reason in `errno`.
    package static func renameExclusively(_ old: String, to new: String) -> Int32 {
        // Unlike `rename`, `linkat` fails if the new name exists.
        if linkat(AT_FDCWD, old, AT_FDCWD, new, 0) == 0 {
            unlink(old)
            return 0
        }
        // File systems such as FAT have no hard links, and others limit their number (EMLINK). In both cases, the
        // function checks that the new name is unused, then renames the file.
        guard errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK else { return -1 }
        guard !FileIO.exists(new) else {
            errno = EEXIST
            return -1
        }
        return rename(old, new)
    }

    /// True for a symbolic link that neither this user nor root created. Following such a link could overwrite an
    /// unintended file.
    package static func isLinkOfOtherUser(_ path: String) -> Bool {
        var status = stat()
        // Trailing slashes are removed, because `lstat` follows a link if its path ends with a slash.
        let path = path.hasSuffix("/") ? String(path[...(path.lastIndex { $0 != "/" } ?? path.startIndex)]) : path
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return false }
        return status.st_uid != geteuid() && status.st_uid != 0
    }

    /// Returns the error for a failed `open` or `mkdir`. Both fail with EEXIST if the path is a symbolic link.
    package static func failure(_ path: String, call: String, errno number: Int32) -> DeviceError {
        guard number == EEXIST, isLinkOfOtherUser(path) else {
            return FileIO.writeError(path, call: call, errno: number)
        }
        return DeviceError(
            .permissionDenied,
            "\(path) is a link that another user created, and is not followed. Choose another name.",
            cause: .system(call: call, errno: ELOOP))
    }
}
