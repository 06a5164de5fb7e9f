// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Carries something that belongs to one thread to the thread that it is for.
package final class Handover<Value>: @unchecked Sendable {
    // Unchecked: the maker gives the value up, and the lock lets exactly one thread have it.
    private let hasValue = Mutex(true)
    private var value: Value?

    /// Takes the value from its maker.
    package init(_ value: Value) {
        self.value = value
    }

    /// The value, the first time; nil afterwards.
    package func take() -> Value? {
        hasValue.withLock { hasValue in
            defer {
                hasValue = false
                value = nil
            }
            return hasValue ? value : nil
        }
    }
}
