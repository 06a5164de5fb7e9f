// SPDX-License-Identifier: Apache-2.0

/// New files. Everything that writes a file opens it here; folders and names are made in `NewFile+Names.swift` of Trace.
///
/// In a folder that others may write too, a name may turn into a link to somebody's file at any time. So a new file is made
/// where nothing is, never through a link, and takes no name that something has.
package enum NewFile {
    /// Only its owner reads and writes it, as is fit for what tells where somebody was.
    package static let privateMode: mode_t = 0o600

    /// Opens a new file for writing, where nothing has that name. The answer is below zero when that fails, with the reason
    /// in errno.
    ///
    /// - Parameters:
    ///   - mode: its permissions, without those that umask takes away.
    ///   - folder: a descriptor of the folder that the path counts from.
    ///   - access: O_RDWR to read it too, and O_APPEND to write at its end only.
    package static func open(
        _ path: String, mode: mode_t = privateMode, in folder: Int32 = AT_FDCWD, access: Int32 = O_WRONLY
    ) -> Int32 {
        var descriptor: Int32
        repeat {
            descriptor = openat(folder, path, access | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        } while descriptor < 0 && errno == EINTR
        return descriptor
    }
}
