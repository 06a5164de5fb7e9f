// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Where a path leads to whose file is to be written over.
///
/// Links are followed one by one, each looked at through a descriptor of its own, so that nobody can put another one in its
/// place in between. Those that another user has made are not followed, wherever they stand behind the path's last slash.
final class WritePlace: Sendable {
    /// The folder that the file lies in, for calls that take one.
    let folder: Int32
    /// What the file is called there, where that is no link.
    let name: String
    /// The file, without access to its bytes; below zero for none.
    private let file: Int32
    /// True for a link of the system's to something that is open already, in this program or another.
    private let isOpenAlready: Bool
    /// What lies there; nil for nothing.
    let status: Status?

    /// A part of stat(2), which cannot be handed between threads by itself.
    struct Status: Sendable {
        let isFile: Bool
        let user: uid_t
        let group: gid_t
        let mode: mode_t
        let number: ino_t
        let names: Int
    }

    /// Nil when the path leads nowhere that may be written, with the reason in errno: ELOOP for the link of another user.
    static func find(_ path: String) -> WritePlace? {
        var path = path
        var folder: Int32 = AT_FDCWD
        // As many as the system follows.
        for _ in 0..<40 {
            let (place, name) = NewFile.split(path)
            let next = openat(folder, place, openPathOnly | O_DIRECTORY | O_CLOEXEC)
            let number = errno
            if folder >= 0 { systemClose(folder) }
            guard next >= 0 else {
                errno = number
                return nil
            }
            folder = next
            let file = openat(folder, name, openPathOnly | O_NOFOLLOW | O_CLOEXEC)
            var status = stat()
            guard file >= 0 else {
                if errno == ENOENT { return WritePlace(folder, name, file: -1, nil) }
                return fail(folder, errno)
            }
            guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else {
                return WritePlace(folder, name, file: file, status)
            }
            defer { systemClose(file) }
            guard status.st_uid == geteuid() || status.st_uid == 0 else { return fail(folder, ELOOP) }
            if isOfSystem(status) { return WritePlace(folder, name, file: -1, status, isOpenAlready: true) }
            var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
            guard readlinkat(file, "", &target, target.count - 1) > 0 else { return fail(folder, errno) }
            path = String(decoding: target.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return fail(folder, ELOOP)
    }

    private init(
        _ folder: Int32, _ name: String, file: Int32, _ status: stat?, isOpenAlready: Bool = false
    ) {
        (self.folder, self.name, self.file, self.isOpenAlready) = (folder, name, file, isOpenAlready)
        self.status = status.map {
            Status(
                isFile: $0.st_mode & S_IFMT == S_IFREG, user: $0.st_uid, group: $0.st_gid, mode: $0.st_mode & 0o7777,
                number: $0.st_ino, names: Int($0.st_nlink))
        }
    }

    deinit {
        systemClose(folder)
        if file >= 0 { systemClose(file) }
    }

    /// True when `open` gives another descriptor of what this process has open.
    var isShared: Bool { isOpenAlready && ownDescriptor != nil }

    /// True when this user may write the file.
    var mayWrite: Bool { file >= 0 && access("/proc/self/fd/\(file)", W_OK) == 0 }

    /// Opens what lies there for writing, and nothing else; below zero with the reason in errno.
    func open() -> Int32 {
        if isOpenAlready {
            // What is open here, as /dev/stdout is in the end, is written where it stands: `>>` adds to a file.
            guard let own = ownDescriptor else { return openat(folder, name, O_WRONLY | O_CLOEXEC) }
            guard fcntl(own, F_GETFL) & O_ACCMODE != O_RDONLY else {
                errno = EACCES
                return -1
            }
            return fcntl(own, F_DUPFD_CLOEXEC, 0)
        }
        let shown = "/proc/self/fd/\(file)"
        return access(shown, F_OK) == 0
            ? systemOpen(shown, O_WRONLY | O_CLOEXEC) : openat(folder, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
    }

    /// The descriptor of this process that the name stands for; nil for anything else.
    private var ownDescriptor: Int32? {
        var (there, own) = (stat(), stat())
        guard fstat(folder, &there) == 0, stat("/proc/self/fd", &own) == 0, there.st_ino == own.st_ino,
            there.st_dev == own.st_dev
        else { return nil }
        return Int32(name)
    }

    private static func fail(_ folder: Int32, _ number: Int32) -> WritePlace? {
        systemClose(folder)
        errno = number
        return nil
    }

    /// True for a link in /proc, which leads to what is open and not to its text.
    private static func isOfSystem(_ link: stat) -> Bool {
        var system = stat()
        return stat("/proc/self", &system) == 0 && link.st_dev == system.st_dev
    }
}

/// O_PATH, which Swift does not import.
private let openPathOnly: Int32 = 0o10_000_000
