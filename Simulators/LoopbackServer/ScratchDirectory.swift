// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls
package import DeviceCore

/// A temporary directory that is removed when the object is released. After a crash, the next simulator that creates a
/// directory of the same kind removes the abandoned one.
package final class ScratchDirectory: Sendable {
    package struct Kind: Sendable {
        /// The beginning of the directory's name. mkdtemp(3) appends a random suffix.
        let prefix: String
        /// The owner of the directory as named in error messages, for example "the simulated servers".
        let owner: String
        /// Returns true for the names of entries that the simulator itself creates. Entries with other names are never
        /// removed. A directory without such entries may be new, so it is not considered abandoned.
        let isOwnedEntry: @Sendable (String) -> Bool

        package init(prefix: String, owner: String, owns: @escaping @Sendable (String) -> Bool) {
            (self.prefix, self.owner, self.isOwnedEntry) = (prefix, owner, owns)
        }
    }

    private static let maximumDepth = 4
    private static let maximumEntryCount = 100_000

    package let path: String
    private let kind: Kind
    /// The descriptor of the directory, or nil after removal. A flock(2) lock on it marks the directory as in use.
    private let descriptor: Mutex<Int32?>

    /// Creates a directory in `parent`. If `parent` is nil, uses TMPDIR or /tmp.
    package init(_ kind: Kind, below parent: String?) throws(DeviceError) {
        let parent = parent ?? TemporaryFiles.directory(default: "/tmp")
        Self.removeAbandoned(kind, below: parent)
        guard let path = TemporaryFiles.createDirectory(prefix: kind.prefix, in: parent) else {
            throw Self.failure(kind, parent, call: "mkdtemp")
        }
        let descriptor = Self.open(path)
        guard descriptor >= 0 else {
            let error = Self.failure(kind, parent, call: "open")
            rmdir(path)
            throw error
        }
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
        (self.kind, self.path) = (kind, path)
        self.descriptor = Mutex(descriptor)
    }

    deinit { remove() }

    package func remove() {
        guard let former = descriptor.withLock({ exchange(&$0, with: nil) }) else { return }
        Self.removeEntries(of: former, where: kind.isOwnedEntry)
        rmdir(path)
        close(former)
    }

    /// Removes directories that killed processes have left behind. Otherwise, other programs could mistake their
    /// contents for those of a running process.
    private static func removeAbandoned(_ kind: Kind, below parent: String) {
        for name in names(in: parent) where TemporaryFiles.isDirectoryName(name, prefix: kind.prefix) {
            let path = "\(parent)/\(name)"
            let descriptor = open(path)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0,
                names(in: descriptor).contains(where: kind.isOwnedEntry), flock(descriptor, LOCK_EX | LOCK_NB) == 0
            else { continue }
            removeEntries(of: descriptor, where: kind.isOwnedEntry)
            rmdir(path)
        }
    }

    /// Removes entries and their contents. Does not follow symbolic links.
    private static func removeEntries(
        of descriptor: Int32, depth: Int = 0, where isRemoved: (String) -> Bool = { _ in true }
    ) {
        for name in names(in: descriptor) where isRemoved(name) {
            if unlinkat(descriptor, name, 0) == 0 { continue }
            guard depth < maximumDepth else { continue }
            let inner = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard inner >= 0 else { continue }
            removeEntries(of: inner, depth: depth + 1)
            close(inner)
            unlinkat(descriptor, name, AT_REMOVEDIR)
        }
    }

    private static func names(in path: String) -> [String] {
        DirectoryEntries.names(path, limit: maximumEntryCount) ?? []
    }

    private static func names(in descriptor: Int32) -> [String] { names(in: "/proc/self/fd/\(descriptor)") }

    private static func open(_ path: String) -> Int32 {
        systemOpen(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }

    private static func failure(_ kind: Kind, _ parent: String, call: String) -> DeviceError {
        let cause = DeviceError.Cause.system(call: call, errno: errno)
        return DeviceError(
            .inputOutput,
            "No directory for \(kind.owner) can be created in \(parent). Set TMPDIR to another directory.",
            cause: cause)
    }
}
