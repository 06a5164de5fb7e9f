// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// What a monitor's thread shares with others.
final class MonitorControl: Sendable {
    let wakeUp: WakeUp
    private let stopped = Atomic<Bool>(false)
    private let counts = Mutex(UdevStatistics())

    init(_ wakeUp: WakeUp) {
        self.wakeUp = wakeUp
    }

    var isStopped: Bool { stopped.load(ordering: .acquiring) }

    func stop() {
        stopped.store(true, ordering: .releasing)
        wakeUp.signal()
    }

    var statistics: UdevStatistics { counts.withLock { $0 } }

    func count(_ change: (inout UdevStatistics) -> Void) {
        counts.withLock { change(&$0) }
    }
}

/// What a monitor's thread has done, for tests and measurements.
package struct UdevStatistics: Sendable, Equatable {
    /// Times that the thread's wait ended.
    package var wakeUps = 0
    /// Messages about devices that were taken in.
    package var messages = 0
    /// Messages that could not be used.
    package var unusable = 0
    /// Times that the kernel had dropped messages.
    package var overflows = 0
    /// Times that all devices were looked through.
    package var scans = 0
    /// The group that messages come from.
    package var group = UdevGroup.kernel
}

/// Who sends the messages.
package enum UdevGroup: String, Sendable {
    /// udevd, when its rules have been run.
    case udev
    /// The kernel itself.
    case kernel
}
