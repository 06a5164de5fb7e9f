// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Whether a node can be opened.
enum NodeReach: Sendable {
    case ready
    /// There is no such node.
    case missing
    /// This program may not open it.
    case forbidden

    /// Asks without opening: that would raise "data terminal ready", which resets many boards.
    init(path: String) {
        if access(path, R_OK | W_OK) == 0 {
            self = .ready
        } else {
            self = errno == EACCES || errno == EPERM || errno == EROFS ? .forbidden : .missing
        }
    }
}
