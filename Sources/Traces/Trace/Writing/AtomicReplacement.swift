// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A file that is created or replaced atomically. The new file has no name until it is complete, so an interrupted
/// process leaves nothing behind. An existing file is replaced in one step.
///
/// File systems such as NFS and FAT do not support unnamed files. On such file systems, the new file is created under a
/// temporary name, or directly under its final name if the path does not exist yet.
struct AtomicReplacement: Sendable {
    /// The reason why the new file cannot be created.
    struct Failure: Error {
        let number: Int32
        /// True if files cannot be created in the directory. An existing file may still be writable.
        var isDirectoryError: Bool { [EACCES, EPERM, EROFS].contains(number) }
    }

    /// The resolved destination. File names are relative to its directory. nil if the path does not exist yet.
    private let destination: ResolvedDestination?
    /// Returns the final name of the file: either a fixed name or an unused one.
    private let name: @Sendable () -> String
    private let retriesWithOtherName: Bool
    /// The name of the incomplete file. If there is no file to replace, this may already be the final path.
    private let temporary: String
    private let overwrite: Bool
    private let mode: mode_t?
    private let replacedFile: (user: uid_t, group: gid_t, mode: mode_t)?
    private var hasName = false

    /// Returns nil if the path cannot be resolved, or if an existing file is not a regular file, is not writable or
    /// must not be overwritten. Only root can replace another user's file, because only root can transfer ownership.
    init?(_ path: String, overwrite: Bool, mode: mode_t? = nil) {
        (self.overwrite, self.mode, retriesWithOtherName) = (overwrite, mode, false)
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { return nil }
            name = { path }
            temporary = path
            (destination, replacedFile) = (nil, nil)
            return
        }
        // If the path is a symbolic link, its target is replaced and the link is kept. A file is replaced only if it is
        // writable, and only if this user owns it or is root.
        guard overwrite, let resolved = ResolvedDestination.resolve(path) else { return nil }
        let file = resolved.name
        name = { file }
        guard let existing = resolved.status else {
            // The path is a link whose target does not exist.
            (temporary, self.destination, replacedFile) = (file, resolved, nil)
            return
        }
        guard existing.isFile, resolved.isWritable, geteuid() == 0 || geteuid() == existing.user else { return nil }
        temporary = Self.temporary(for: file, number: existing.inode)
        self.destination = resolved
        replacedFile = (existing.user, existing.group, mode ?? existing.mode)
    }

    /// Prepares a new file. When the file is complete, `name` is called to choose its final path. If another file has
    /// been created at that path in the meantime, `name` is called again.
    init(named name: @escaping @Sendable () -> String, temporary: String, mode: mode_t?) {
        (self.name, self.temporary, self.mode, destination) = (name, temporary, mode, nil)
        (retriesWithOtherName, overwrite, replacedFile) = (true, false, nil)
    }

    /// Returns a short temporary name. A name derived from the existing name could be too long. The inode number
    /// distinguishes concurrent replacements.
    private static func temporary(for file: String, number: ino_t) -> String {
        "\(ExclusiveFile.split(file).folder)/.\(getpid())-\(number).part"
    }

    /// The descriptor of the directory to which paths are relative.
    private var base: Int32 { destination?.folder ?? AT_FDCWD }

    mutating func open() -> Result<Int32, Failure> {
        let descriptor = openUnnamed()
        hasName = descriptor < 0
        let result = hasName ? openNamed() : .success(descriptor)
        guard case .success(let descriptor) = result else { return result }
        if let replacedFile {
            // Sets the owner and the group, or only the group if changing the owner is not permitted. The mode is set
            // last, because changing the owner may clear mode bits.
            if fchown(descriptor, replacedFile.user, replacedFile.group) != 0 {
                _ = fchown(descriptor, .max, replacedFile.group)
            }
        }
        if let mode = replacedFile?.mode ?? mode { _ = fchmod(descriptor, mode) }
        return result
    }

    /// Creates an unnamed file. Returns a negative value if the file system does not support unnamed files, or if
    /// /proc, which is needed to name the file later, is not mounted.
    private func openUnnamed() -> Int32 {
        #if os(Linux)
        let folder = ExclusiveFile.split(temporary).folder
        let descriptor = openat(base, folder, O_WRONLY | O_CLOEXEC | openTemporary, ExclusiveFile.privateMode)
        guard descriptor >= 0, access(Self.link(to: descriptor), F_OK) != 0 else { return descriptor }
        close(descriptor)
        #endif
        return -1
    }

    /// Returns the path in /proc of an open file. It exists even if the file has no name.
    private static func link(to descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    private func openNamed() -> Result<Int32, Failure> {
        // Removes a file left behind by an earlier process with the same ID.
        if replacedFile != nil || retriesWithOtherName { unlinkat(base, temporary, 0) }
        let descriptor = ExclusiveFile.open(temporary, in: base)
        return descriptor < 0 ? .failure(Failure(number: errno)) : .success(descriptor)
    }

    /// Gives the new file its final name. Returns the failed call and its error number, or nil on success.
    func finish(_ descriptor: Int32) -> (call: String, errno: Int32)? {
        if retriesWithOtherName { return finishWithUnusedName(descriptor) }
        let path = name()
        if hasName { return temporary == path ? nil : move(temporary, to: path) }
        if replacedFile == nil {
            if link(descriptor, as: path) { return nil }
            guard errno == EEXIST, overwrite else { return ("link", errno) }
        }
        // A file with this name exists, so it is replaced.
        var status = stat()
        _ = fstat(descriptor, &status)
        let name = replacedFile == nil ? Self.temporary(for: path, number: status.st_ino) : temporary
        unlinkat(base, name, 0)
        return link(descriptor, as: name) ? move(name, to: path) : ("link", errno)
    }

    private func finishWithUnusedName(_ descriptor: Int32) -> (call: String, errno: Int32)? {
        // The number of attempts is limited, because another process may keep creating files with the generated names.
        for _ in 0..<1000 {
            if hasName {
                guard isSameFile(descriptor) else { return ("rename", EEXIST) }
                if ExclusiveFile.renameExclusively(temporary, to: name()) == 0 { return nil }
            } else if link(descriptor, as: name()) {
                return nil
            }
            guard errno == EEXIST else { break }
        }
        return (hasName ? "rename" : "link", errno)
    }

    /// True if the temporary name still refers to the new file.
    private func isSameFile(_ descriptor: Int32) -> Bool {
        var (openStatus, pathStatus) = (stat(), stat())
        return fstat(descriptor, &openStatus) == 0 && fstatat(base, temporary, &pathStatus, AT_SYMLINK_NOFOLLOW) == 0
            && openStatus.st_ino == pathStatus.st_ino
            && openStatus.st_dev == pathStatus.st_dev
    }

    private func move(_ name: String, to path: String) -> (call: String, errno: Int32)? {
        if renameat(base, name, base, path) == 0 { return nil }
        let number = errno
        unlinkat(base, name, 0)
        return ("rename", number)
    }

    private func link(_ descriptor: Int32, as name: String) -> Bool {
        linkat(AT_FDCWD, Self.link(to: descriptor), base, name, AT_SYMLINK_FOLLOW) == 0
    }

    /// Removes the incomplete file. Must not be called after `finish(_:)` has succeeded.
    func remove() {
        // An unnamed file disappears when it is closed, so nothing has to be removed. Its intended name may belong to
        // another file, which must be kept.
        if hasName { unlinkat(base, temporary, 0) }
    }
}

#if os(Linux)
/// `O_TMPFILE`, which Swift does not import.
private let openTemporary: Int32 = 0o20_000_000 | O_DIRECTORY
#endif
