// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Locks a folder for one logger until this object is released or the program ends for any reason.
final class FolderLock {
    private let path: String
    private let descriptor: Int32

    /// Throws if another logger has locked the folder.
    init(_ folder: URL) throws {
        path = folder.path
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw TrackLogError("\(path): \(String(cString: strerror(errno)))") }
        // Some network file systems do not support locks on folders. Only an existing lock is treated as an error.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            throw TrackLogError("Another logger writes into it. End that, or choose another folder.")
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        // A child process that another thread is starting may share the descriptor, so closing it would not release the
        // lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// False if the folder was removed or replaced, for example because a memory card was changed.
    var isCurrent: Bool {
        var (held, named) = (stat(), stat())
        return fstat(descriptor, &held) == 0 && stat(path, &named) == 0 && held.st_dev == named.st_dev
            && held.st_ino == named.st_ino
    }

    /// Waits until the folder's file names are on disk.
    func sync() { fsync(descriptor) }
}
