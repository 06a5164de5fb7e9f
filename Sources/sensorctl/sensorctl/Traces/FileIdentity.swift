// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Which file or folder a path leads to: two that are equal are one, whatever they are called.
struct FileIdentity: Equatable {
    let isFolder: Bool
    private let device: UInt64
    private let number: UInt64

    /// Nil when there is nothing.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let kind = status.st_mode & S_IFMT
        // Whoever reads from a terminal and writes to it loses nothing.
        guard kind == S_IFREG || kind == S_IFDIR else { return nil }
        isFolder = kind == S_IFDIR
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
