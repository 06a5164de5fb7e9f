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
