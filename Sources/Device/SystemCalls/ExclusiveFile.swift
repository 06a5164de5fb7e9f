// SPDX-License-Identifier: Apache-2.0

/// Opens new files for writing. All code that creates files with a given name uses this type.
///
/// If other users can write to a directory, they can create a symbolic link there that leads to another user's file.
/// `open` therefore does not follow symbolic links, and fails if the name exists.
package enum ExclusiveFile {
    /// The mode of files that may reveal positions: only the owner can read and write them.
    package static let privateMode: mode_t = 0o600

    /// Creates and opens a file. Returns a negative value on failure, with the reason in `errno`.
    ///
    /// - Parameter access: `O_RDWR` to also read the file. Add `O_APPEND` to write only at the end of the file.
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
