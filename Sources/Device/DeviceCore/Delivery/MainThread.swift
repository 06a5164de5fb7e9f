// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Knows the place of the main queue, without Foundation.
///
/// That is more than the main thread: once dispatchMain() or an async main has given that thread up, Dispatch runs the
/// main queue, and with it the main actor, on threads of its own.
package enum MainThread {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// True where the main queue's work runs.
    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
