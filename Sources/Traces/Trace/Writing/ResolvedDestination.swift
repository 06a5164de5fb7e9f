// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The destination of a write, found by resolving the symbolic links in a path.
///
/// Symbolic links are resolved one at a time, each through its own descriptor, so that no other process can replace a
/// link after it has been checked. A symbolic link in the last component of a path is followed only if this user or
/// root created the link. The same rule applies to the path stored in the link.
final class ResolvedDestination: Sendable {
    /// The descriptor of the directory that contains the file, for calls such as `openat`.
    let folder: Int32
    let name: String
    /// An `O_PATH` descriptor of the file. It is negative if the file does not exist, or if the path leads to a link in
    /// /proc that refers to an open file.
    private let file: Int32
    /// True if the path leads to a link in /proc that refers to an open file of this or another process.
    private let isProcLink: Bool
    /// The status of the file, or of the link itself if `isProcLink` is true. nil if the file does not exist.
    let status: Status?

    /// The required fields of stat(2). A separate type is necessary, because the C structure is not `Sendable`.
    struct Status: Sendable {
        let isFile: Bool
        let user: uid_t
        let group: gid_t
        let mode: mode_t
        let inode: ino_t
        let linkCount: Int
    }

    /// Resolves a path, or returns nil with the reason in `errno`. `ELOOP` means that another user created a link in
    /// the path, or that there are too many links.
    static func resolve(_ path: String) -> ResolvedDestination? {
        var path = path
        var folder: Int32 = AT_FDCWD
        // Like the kernel, follows at most 40 links.
        for _ in 0..<40 {
            let (parent, name) = ExclusiveFile.split(path)
            let next = openat(folder, parent, O_PATH | O_DIRECTORY | O_CLOEXEC)
            let number = errno
            if folder >= 0 { systemClose(folder) }
            guard next >= 0 else {
                errno = number
                return nil
            }
            folder = next
            let file = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC)
            var status = stat()
            guard file >= 0 else {
                if errno == ENOENT { return ResolvedDestination(folder, name, file: -1, nil) }
                return fail(folder, errno)
            }
            guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else {
                return ResolvedDestination(folder, name, file: file, status)
            }
            defer { systemClose(file) }
            guard status.st_uid == geteuid() || status.st_uid == 0 else { return fail(folder, ELOOP) }
            if isProcLink(status) { return ResolvedDestination(folder, name, file: -1, status, isProcLink: true) }
            var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
            guard readlinkat(file, "", &target, target.count - 1) > 0 else { return fail(folder, errno) }
            path = String(decoding: target.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return fail(folder, ELOOP)
    }

    private init(_ folder: Int32, _ name: String, file: Int32, _ status: stat?, isProcLink: Bool = false) {
        (self.folder, self.name, self.file, self.isProcLink) = (folder, name, file, isProcLink)
        self.status = status.map {
            Status(
                isFile: $0.st_mode & S_IFMT == S_IFREG, user: $0.st_uid, group: $0.st_gid, mode: $0.st_mode & 0o7777,
                inode: $0.st_ino, linkCount: Int($0.st_nlink))
        }
    }

    deinit {
        systemClose(folder)
        if file >= 0 { systemClose(file) }
    }

    /// True if ``open()`` returns a duplicate of a descriptor that this process already has open.
    var duplicatesOwnDescriptor: Bool { isProcLink && ownDescriptor != nil }

    var isWritable: Bool { file >= 0 && access("/proc/self/fd/\(file)", W_OK) == 0 }

    /// Opens the resolved file for writing. Returns a negative value on failure, with the reason in `errno`.
    func open() -> Int32 {
        if isProcLink {
            // If this process already has the file open, as with /dev/stdout, the descriptor is duplicated. The
            // duplicate shares the file position. Therefore, output that a shell redirects with `>>` is still appended.
            guard let own = ownDescriptor else { return openat(folder, name, O_WRONLY | O_CLOEXEC) }
            guard fcntl(own, F_GETFL) & O_ACCMODE != O_RDONLY else {
                errno = EACCES
                return -1
            }
            return fcntl(own, F_DUPFD_CLOEXEC, 0)
        }
        let procPath = "/proc/self/fd/\(file)"
        return access(procPath, F_OK) == 0
            ? systemOpen(procPath, O_WRONLY | O_CLOEXEC) : openat(folder, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
    }

    /// The descriptor of this process to which the path refers, for example 1 for /dev/stdout. nil if the path refers
    /// to any other file.
    private var ownDescriptor: Int32? {
        var (folderStatus, descriptors) = (stat(), stat())
        guard fstat(folder, &folderStatus) == 0, stat("/proc/self/fd", &descriptors) == 0,
            folderStatus.st_ino == descriptors.st_ino,
            folderStatus.st_dev == descriptors.st_dev
        else { return nil }
        return Int32(name)
    }

    private static func fail(_ folder: Int32, _ number: Int32) -> ResolvedDestination? {
        systemClose(folder)
        errno = number
        return nil
    }

    /// True for a link in /proc. Unlike other symbolic links, such a link leads to an open file, even if its text is
    /// not the path of that file.
    private static func isProcLink(_ link: stat) -> Bool {
        var system = stat()
        return stat("/proc/self", &system) == 0 && link.st_dev == system.st_dev
    }
}

/// `O_PATH`, which Swift does not import.
private let O_PATH: Int32 = 0o10_000_000
