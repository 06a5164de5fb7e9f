// SPDX-License-Identifier: Apache-2.0

/// Creates new files. All code that writes files uses this type to open them. `ExclusiveFile+Names.swift` in Trace
/// creates directories and names.
///
/// In a directory that other users can write to, a name may become a symbolic link to another user's file at any time.
/// Therefore, a new file is created only if its name does not exist, and symbolic links are not followed.
package enum ExclusiveFile {
    /// Read and write permission for the owner only. Used for files that may reveal positions.
    package static let privateMode: mode_t = 0o600

    /// Creates a file and opens it for writing. Fails if the name already exists. Returns a negative value on failure,
    /// with the reason in `errno`.
    ///
    /// - Parameters:
    ///   - mode: The permissions, which the umask may reduce.
    ///   - folder: The descriptor of the directory against which a relative path is resolved.
    ///   - access: `O_RDWR` to also read the file. Add `O_APPEND` to write only at the end of the file.
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
