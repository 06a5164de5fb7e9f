// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Knows the main thread without Foundation: it is the one whose current queue is the main queue.
enum MainThread {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// True on the main thread.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
