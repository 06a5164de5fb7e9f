// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A file that is there as a whole or not at all. Until it is whole it has no name, so that nothing is left of it whatever
/// ends the program; in the place of another file it comes in one step.
///
/// File systems that know no files without names (NFS, FAT) have it beside the former one, or under its own name, meanwhile.
struct TraceReplacement: Sendable {
    /// Why no new file could be made.
    struct Failure: Error {
        let number: Int32
        /// True in a folder that may not be written, whose files may.
        var isOfFolder: Bool { [EACCES, EPERM, EROFS].contains(number) }
    }

    private let path: String
    /// The name beside it that a new file has until it takes the former one's place; the path where there is none.
    private let temporary: String
    private let overwrite: Bool
    /// Of the file that is replaced.
    private let former: (user: uid_t, group: gid_t, mode: mode_t)?
    /// True for a new file that has a name already.
    private var isNamed = false

    /// Nil for what is no plain file, and where one may not be replaced: also for another user's, who may not be given the
    /// new one.
    init?(_ path: String, overwrite: Bool) {
        self.overwrite = overwrite
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { return nil }
            self.path = path
            temporary = path
            former = nil
            return
        }
        guard overwrite, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            // Whoever may not write the file may not replace it either.
            access(path, W_OK) == 0,
            // Of a link the file that it leads to is replaced, and the link stays.
            let real = realpath(path, nil)
        else { return nil }
        defer { free(real) }
        let file = String(cString: real)
        guard geteuid() == 0 || geteuid() == status.st_uid else { return nil }
        self.path = file
        temporary = Self.temporary(for: file, number: status.st_ino)
        former = (status.st_uid, status.st_gid, status.st_mode & 0o7777)
    }

    /// Short, since names as long as names may be are replaced too; the number keeps apart those that are replaced at the
    /// same time.
    private static func temporary(for file: String, number: ino_t) -> String {
        "\(folder(of: file))/.\(getpid())-\(number).part"
    }

    private static func folder(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Makes the new file. Fails with the error's number.
    mutating func open() -> Result<Int32, Failure> {
        let descriptor = openNameless()
        isNamed = descriptor < 0
        let result = isNamed ? openNamed() : .success(descriptor)
        if let former, case .success(let descriptor) = result {
            // As far as this user may; the mode last, because a change of the owner may take bits out of it.
            if fchown(descriptor, former.user, former.group) != 0 { _ = fchown(descriptor, .max, former.group) }
            _ = fchmod(descriptor, former.mode)
        }
        return result
    }

    private var mode: mode_t { former == nil ? 0o644 : 0o600 }

    /// Less than 0 where there are no files without names, or no way to give them one.
    private func openNameless() -> Int32 {
        #if os(Linux)
        let descriptor = system_open(Self.folder(of: path), O_WRONLY | O_CLOEXEC | openTemporary, mode)
        guard descriptor >= 0, access(Self.link(to: descriptor), F_OK) != 0 else { return descriptor }
        close(descriptor)
        #endif
        return -1
    }

    /// Where the system shows an open file, named or not.
    private static func link(to descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    private func openNamed() -> Result<Int32, Failure> {
        // Left by a process of the same number that has ended in between.
        if former != nil { unlink(temporary) }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        var descriptor: Int32
        repeat {
            descriptor = system_open(temporary, flags, mode)
        } while descriptor < 0 && errno == EINTR
        return descriptor < 0 ? .failure(Failure(number: errno)) : .success(descriptor)
    }

    /// Gives the new file its name, in the place of the other one. Returns what failed, and the error's number.
    func finish(_ descriptor: Int32) -> (call: String, errno: Int32)? {
        guard !isNamed else { return move(temporary) }
        if former == nil {
            if link(descriptor, as: path) { return nil }
            guard errno == EEXIST, overwrite else { return ("link", errno) }
        }
        // There is one now, in whose place it comes.
        var status = stat()
        _ = fstat(descriptor, &status)
        let name = former == nil ? Self.temporary(for: path, number: status.st_ino) : temporary
        unlink(name)
        return link(descriptor, as: name) ? move(name) : ("link", errno)
    }

    private func move(_ name: String) -> (call: String, errno: Int32)? {
        if rename(name, path) == 0 { return nil }
        let number = errno
        unlink(name)
        return ("rename", number)
    }

    private func link(_ descriptor: Int32, as name: String) -> Bool {
        linkat(AT_FDCWD, Self.link(to: descriptor), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0
    }

    /// Removes the new file.
    func remove() {
        // What has no name goes by itself, and the name may be that of somebody else's file.
        if isNamed { unlink(temporary) }
    }
}

#if os(Linux)
/// O_TMPFILE, which Swift does not import.
private let openTemporary: Int32 = 0o20_000_000 | O_DIRECTORY
#endif

/// The C function, whose name the method hides.
private func system_open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
