// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls
package import DeviceCore

/// A folder of a simulator's own. It goes with the process, or, when that was killed, with the next one that makes such a
/// folder in the same place.
package final class ScratchFolder: Sendable {
    /// Folders that belong to the same sort of simulator.
    package struct Kind: Sendable {
        /// What their names begin with; the system adds letters of its own.
        let prefix: String
        /// What they are for, in the words of an error: "the simulated servers".
        let owner: String
        /// True for what a simulator puts into its folder. Nothing else is removed, and a folder without any is not taken
        /// for one that was left behind: it may be new.
        let owns: @Sendable (String) -> Bool

        package init(prefix: String, owner: String, owns: @escaping @Sendable (String) -> Bool) {
            self.prefix = prefix
            self.owner = owner
            self.owns = owns
        }
    }

    /// Folders in folders that are removed; those of simulators are two deep.
    private static let maximumDepth = 4
    /// More than a simulator makes for itself; a shared folder above it may hold more of others'.
    private static let mostNames = 100_000

    package let path: String
    private let kind: Kind
    /// Locked for as long as this process lives, so that others can tell whether the folder has been left behind. Nil when
    /// it is removed.
    private let descriptor: Mutex<Int32?>

    /// Makes one, below TMPDIR, else /tmp, unless another folder is named.
    package init(_ kind: Kind, below parent: String?) throws(DeviceError) {
        let parent = parent ?? TemporaryFiles.place(otherwise: "/tmp")
        Self.removeAbandoned(kind, below: parent)
        guard let path = TemporaryFiles.makeFolder(kind.prefix, in: parent) else {
            throw Self.failure(kind, parent, call: "mkdtemp")
        }
        let descriptor = Self.open(path)
        guard descriptor >= 0 else {
            let error = Self.failure(kind, parent, call: "open")
            rmdir(path)
            throw error
        }
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
        self.kind = kind
        self.path = path
        self.descriptor = Mutex(descriptor)
    }

    deinit { remove() }

    /// Removes it with what its simulator has put into it.
    package func remove() {
        let former = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let former else { return }
        Self.empty(former, where: kind.owns)
        rmdir(path)
        close(former)
    }

    /// Removes what processes that were killed have left behind: watchers would take what they find there for real for
    /// ever.
    private static func removeAbandoned(_ kind: Kind, below parent: String) {
        for name in names(in: parent) where TemporaryFiles.isName(name, of: kind.prefix) {
            let path = "\(parent)/\(name)"
            let descriptor = open(path)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0,
                names(in: descriptor).contains(where: kind.owns), flock(descriptor, LOCK_EX | LOCK_NB) == 0
            else { continue }
            empty(descriptor, where: kind.owns)
            rmdir(path)
        }
    }

    /// Removes such entries of a folder with all that is in them. Links are removed and not followed.
    private static func empty(_ descriptor: Int32, depth: Int = 0, where isRemoved: (String) -> Bool = { _ in true }) {
        for name in names(in: descriptor) where isRemoved(name) {
            if unlinkat(descriptor, name, 0) == 0 { continue }
            guard depth < maximumDepth else { continue }
            let inner = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard inner >= 0 else { continue }
            empty(inner, depth: depth + 1)
            close(inner)
            unlinkat(descriptor, name, AT_REMOVEDIR)
        }
    }

    private static func names(in path: String) -> [String] { FolderEntries.names(path, limit: mostNames) ?? [] }

    private static func names(in descriptor: Int32) -> [String] { names(in: "/proc/self/fd/\(descriptor)") }

    private static func open(_ path: String) -> Int32 {
        systemOpen(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }

    private static func failure(_ kind: Kind, _ parent: String, call: String) -> DeviceError {
        let cause = DeviceError.Cause.system(call: call, errno: errno)
        return DeviceError(
            .inputOutput, "No folder for \(kind.owner) can be made below \(parent). Set TMPDIR to another.",
            cause: cause)
    }
}
