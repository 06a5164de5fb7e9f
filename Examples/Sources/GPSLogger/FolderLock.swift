// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Keeps a folder to one logger, until this is gone or the program has ended, however that was.
final class FolderLock {
    private let path: String
    private let descriptor: Int32

    /// Throws when somebody else has the folder.
    init(_ folder: URL) throws {
        path = folder.path
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw TrackLogError("\(path): \(String(cString: strerror(errno)))") }
        // Some network file systems have no locks for folders: only one that is taken is a reason to stop.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            throw TrackLogError("Another logger writes into it. End that, or choose another folder.")
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        // A child that another thread is just starting may have the descriptor, too, so closing it would not be enough.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// False when the folder was removed, or another is in its place: a card was changed.
    var isCurrent: Bool {
        var (held, named) = (stat(), stat())
        return fstat(descriptor, &held) == 0 && stat(path, &named) == 0 && held.st_dev == named.st_dev
            && held.st_ino == named.st_ino
    }

    /// Waits until the names in it are on the disk.
    func sync() { fsync(descriptor) }
}
