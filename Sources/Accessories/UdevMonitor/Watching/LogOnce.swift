// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What the log says once in a process, however many monitors there are.
final class LogOnce: Sendable {
    /// That messages about devices may not come.
    static let missingMessages = LogOnce()
    /// That no udevd runs.
    static let missingRules = LogOnce()

    private let isSaid = Atomic<Bool>(false)

    /// True the first time.
    func isNews() -> Bool { !isSaid.exchange(true, ordering: .relaxed) }
}
