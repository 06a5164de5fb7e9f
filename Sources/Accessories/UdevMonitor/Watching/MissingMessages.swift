// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Whether the log has said already that messages about devices may not come.
enum MissingMessages {
    private static let isSaid = Atomic<Bool>(false)

    /// True the first time.
    static func isNews() -> Bool { !isSaid.exchange(true, ordering: .relaxed) }
}
