// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A flag that is raised once.
final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    var isRaised: Bool { value.load(ordering: .acquiring) }

    /// Returns true for the first call.
    @discardableResult
    func raise() -> Bool { !value.exchange(true, ordering: .acquiringAndReleasing) }
}
