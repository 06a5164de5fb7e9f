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

    /// The folder of a file that is replaced, or that a link leads to, from which its name and the temporary one count; nil for paths as they are.
    private let place: WritePlace?
    /// What it is called in the end: one path, or each time another one that nothing has.
    private let name: @Sendable () -> String
    /// True when another name is asked for where one is taken.
    private let isRenamed: Bool
    /// The name beside it that a new file has until it takes the former one's place; the path where there is none.
    private let temporary: String
    private let overwrite: Bool
    private let mode: mode_t?
    /// Of the file that is replaced.
    private let former: (user: uid_t, group: gid_t, mode: mode_t)?
    /// True for a new file that has a name already.
    private var isNamed = false

    /// Nil for what is no plain file, and where one may not be replaced: also for another user's, who may not be given the
    /// new one.
    init?(_ path: String, overwrite: Bool, mode: mode_t? = nil) {
        (self.overwrite, self.mode, isRenamed) = (overwrite, mode, false)
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { return nil }
            name = { path }
            temporary = path
            (place, former) = (nil, nil)
            return
        }
        // Of a link the file that it leads to is replaced, and the link stays. Whoever may not write the file may not
        // replace it either.
        guard overwrite, let place = WritePlace.find(path) else { return nil }
        let file = place.name
        name = { file }
        guard let there = place.status else {
            // A link to nothing yet.
            (temporary, self.place, former) = (file, place, nil)
            return
        }
        guard there.isFile, place.mayWrite, geteuid() == 0 || geteuid() == there.user else { return nil }
        temporary = Self.temporary(for: file, number: there.number)
        self.place = place
        former = (there.user, there.group, mode ?? there.mode)
    }

    /// A new file whose name is asked for when it is whole, and again where something has that name by then.
    init(named name: @escaping @Sendable () -> String, temporary: String, mode: mode_t?) {
        (self.name, self.temporary, self.mode, place) = (name, temporary, mode, nil)
        (isRenamed, overwrite, former) = (true, false, nil)
    }

    /// Short, since names as long as names may be are replaced too; the number keeps apart those that are replaced at the
    /// same time.
    private static func temporary(for file: String, number: ino_t) -> String {
        "\(NewFile.split(file).folder)/.\(getpid())-\(number).part"
    }

    /// What paths count from.
    private var base: Int32 { place?.folder ?? AT_FDCWD }

    /// Makes the new file. Fails with the error's number.
    mutating func open() -> Result<Int32, Failure> {
        let descriptor = openNameless()
        isNamed = descriptor < 0
        let result = isNamed ? openNamed() : .success(descriptor)
        guard case .success(let descriptor) = result else { return result }
        if let former {
            // As far as this user may; the mode last, because a change of the owner may take bits out of it.
            if fchown(descriptor, former.user, former.group) != 0 { _ = fchown(descriptor, .max, former.group) }
        }
        if let mode = former?.mode ?? mode { _ = fchmod(descriptor, mode) }
        return result
    }

    /// Less than 0 where there are no files without names, or no way to give them one.
    private func openNameless() -> Int32 {
        #if os(Linux)
        let folder = NewFile.split(temporary).folder
        let descriptor = openat(base, folder, O_WRONLY | O_CLOEXEC | openTemporary, NewFile.privateMode)
        guard descriptor >= 0, access(Self.link(to: descriptor), F_OK) != 0 else { return descriptor }
        close(descriptor)
        #endif
        return -1
    }

    /// Where the system shows an open file, named or not.
    private static func link(to descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    private func openNamed() -> Result<Int32, Failure> {
        // Left by a process of the same number that has ended in between.
        if former != nil || isRenamed { unlinkat(base, temporary, 0) }
        let descriptor = NewFile.open(temporary, in: base)
        return descriptor < 0 ? .failure(Failure(number: errno)) : .success(descriptor)
    }

    /// Gives the new file its name, in the place of the other one. Returns what failed, and the error's number.
    func finish(_ descriptor: Int32) -> (call: String, errno: Int32)? {
        if isRenamed { return finishUnderFreeName(descriptor) }
        let path = name()
        if isNamed { return temporary == path ? nil : move(temporary, to: path) }
        if former == nil {
            if link(descriptor, as: path) { return nil }
            guard errno == EEXIST, overwrite else { return ("link", errno) }
        }
        // There is one now, in whose place it comes.
        var status = stat()
        _ = fstat(descriptor, &status)
        let name = former == nil ? Self.temporary(for: path, number: status.st_ino) : temporary
        unlinkat(base, name, 0)
        return link(descriptor, as: name) ? move(name, to: path) : ("link", errno)
    }

    private func finishUnderFreeName(_ descriptor: Int32) -> (call: String, errno: Int32)? {
        // Whoever takes each name that is free must not hold this up for ever.
        for _ in 0..<1000 {
            if isNamed {
                guard isOurs(descriptor) else { return ("rename", EEXIST) }
                if NewFile.move(temporary, to: name()) == 0 { return nil }
            } else if link(descriptor, as: name()) {
                return nil
            }
            guard errno == EEXIST else { break }
        }
        return ("link", errno)
    }

    /// True when nobody has put something else in the place of the new file.
    private func isOurs(_ descriptor: Int32) -> Bool {
        var (own, there) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && fstatat(base, temporary, &there, AT_SYMLINK_NOFOLLOW) == 0
            && own.st_ino == there.st_ino
            && own.st_dev == there.st_dev
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

    /// Removes the new file.
    func remove() {
        // What has no name goes by itself, and the name may be that of somebody else's file.
        if isNamed { unlinkat(base, temporary, 0) }
    }
}

#if os(Linux)
/// O_TMPFILE, which Swift does not import.
private let openTemporary: Int32 = 0o20_000_000 | O_DIRECTORY
#endif
