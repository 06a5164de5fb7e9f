// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import UdevRecords

/// What a monitor needs of libudev: one made of the C library, one for tests. Lives on one thread.
protocol UdevConnection: AnyObject {
    /// Readable when there are messages; nil when the system allows none.
    var descriptor: Int32? { get }
    /// Why the system allows no messages.
    var problem: DeviceError? { get }
    /// The next message. Never waits.
    func receive() -> UdevMessage
    /// All devices there are.
    func devices() throws(DeviceError) -> [UdevRecord]
}

/// A message about a device, or why there is none.
enum UdevMessage {
    /// The device is there. `isAdd` when it has just come; `exists` unless it is gone again by now.
    case updated(UdevRecord, isAdd: Bool, exists: Bool)
    /// The device has another path.
    case moved(from: String, UdevRecord)
    case removed(path: String)
    /// There is none just now.
    case none
    /// It is about a device that nobody asked for.
    case foreign
    /// It could not be understood, or comes from somebody who may not send any.
    case unusable
    /// It was too long to be looked at, so what it said is not known.
    case tooLong
    /// The kernel has dropped messages.
    case overflow
    /// The descriptor is of no use.
    case failed(errno: Int32)
}

/// What the work of a monitor is done with.
struct MonitorParts: Sendable {
    let clock: any DeviceClock
    let options: UdevMonitorOptions
    /// Opens a connection on the thread that will use it; nil without the library.
    let connect: (@Sendable (UdevGroup) throws(DeviceError) -> any UdevConnection)?
}

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
    package internal(set) var wakeUps = 0
    /// Messages about devices that were taken in.
    package internal(set) var messages = 0
    /// Messages that could not be used.
    package internal(set) var unusable = 0
    /// Times that the kernel had dropped messages.
    package internal(set) var overflows = 0
    /// Times that all devices were looked through.
    package internal(set) var scans = 0
    /// The group that messages come from.
    package internal(set) var group = UdevGroup.kernel
}

/// Who sends the messages.
package enum UdevGroup: String, Sendable {
    /// udevd, when its rules have been run.
    case udev
    /// The kernel itself.
    case kernel
}
