// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that is there as a whole or not at all. In the place of another one it comes in one step: until it is whole, it
/// lies beside that one.
struct TraceReplacement: Sendable {
    /// Why no new file could be made.
    struct Failure: Error {
        let number: Int32
        /// True in a folder that may not be written, whose files may.
        var isOfFolder: Bool { [EACCES, EPERM, EROFS].contains(number) }
    }

    private let path: String
    /// The same path where nothing is replaced.
    private let temporary: String
    /// Of the file that is replaced.
    private let former: (user: uid_t, group: gid_t, mode: mode_t)?

    /// Nil for what is no plain file, and where one may not be replaced.
    init?(_ path: String, overwrite: Bool) {
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
        self.path = file
        // Short, since names as long as names may be are replaced too; the file's own number keeps apart those that are
        // replaced at the same time.
        let folder = file.utf8.lastIndex(of: UInt8(ascii: "/")).map { file[..<$0] } ?? "."
        temporary = "\(folder)/.\(getpid())-\(status.st_ino).part"
        former = (status.st_uid, status.st_gid, status.st_mode & 0o7777)
    }

    /// Makes the new file. Fails with the error's number.
    func open() -> Result<Int32, Failure> {
        // Left by a process of the same number that has ended in between.
        if former != nil { unlink(temporary) }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        var descriptor: Int32
        repeat {
            descriptor = system_open(temporary, flags, former == nil ? 0o644 : 0o600)
        } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { return .failure(Failure(number: errno)) }
        if let former {
            // As far as this user may; the mode last, because a change of the owner may take bits out of it.
            _ = fchown(descriptor, former.user, former.group)
            _ = fchmod(descriptor, former.mode)
        }
        return .success(descriptor)
    }

    /// Puts the new file in the place of the other one. Returns the error's number when that fails.
    func finish() -> Int32? { rename(temporary, path) == 0 ? nil : errno }

    /// Removes the new file.
    func remove() { unlink(temporary) }
}

/// The C function, whose name the method hides.
private func system_open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
