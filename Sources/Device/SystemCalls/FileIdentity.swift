// SPDX-License-Identifier: Apache-2.0

/// Identifies a file or folder regardless of its path.
package struct FileIdentity: Equatable {
    package let isFolder: Bool
    private let device: UInt64
    private let number: UInt64

    /// Returns nil if the file does not exist, or if it is neither a regular file nor a folder.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let kind = status.st_mode & S_IFMT
        // Other files, such as terminals, need no identity: they can be both input and output without data loss.
        guard kind == S_IFREG || kind == S_IFDIR else { return nil }
        isFolder = kind == S_IFDIR
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
