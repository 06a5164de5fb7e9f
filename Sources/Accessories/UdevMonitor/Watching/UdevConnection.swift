// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Logging
import Synchronization

/// The libudev functions that a monitor needs. Must be used on a single thread.
protocol UdevConnection: AnyObject {
    /// A descriptor that becomes readable when messages are available, or `nil` if messages cannot be received.
    var descriptor: Int32? { get }
    /// The reason messages cannot be received, or `nil` if they can.
    var problem: DeviceError? { get }
    /// Returns the next message without blocking.
    func receive() -> UdevMessage
    func devices() throws(DeviceError) -> [UdevRecord]
}

/// A message about a device, or the reason why no message is available.
enum UdevMessage {
    /// The device was added or changed. `exists` is false if it has been removed in the meantime.
    case updated(UdevRecord, isAdd: Bool, exists: Bool)
    case moved(from: String, UdevRecord)
    case removed(path: String)
    case none
    /// No selection matches the device.
    case foreign
    /// The message is invalid, or its sender is not authorized.
    case unusable
    /// The message was too long, so its content was lost.
    case tooLong
    case overflow
    case failed(errno: Int32)
}

struct MonitorDependencies: Sendable {
    let clock: any DeviceClock
    let options: UdevMonitorOptions
    /// Opens a connection for use on the calling thread only. `nil` if the program was built without libudev.
    let connect: (@Sendable (UdevGroup) throws(DeviceError) -> any UdevConnection)?
    var log = Logger(label: "device-services.udev")
}

/// The state that a monitor's thread shares with other threads.
final class MonitorControl: Sendable {
    let wakeUp: WakeupPipe
    private let stopped = Atomic<Bool>(false)
    private let counts = Mutex(UdevStatistics())

    init(_ wakeUp: WakeupPipe) { self.wakeUp = wakeUp }

    var isStopped: Bool { stopped.load(ordering: .acquiring) }

    func stop() {
        stopped.store(true, ordering: .releasing)
        wakeUp.signal()
    }

    var statistics: UdevStatistics { counts.withLock { $0 } }

    func count(_ change: (inout UdevStatistics) -> Void) { counts.withLock { change(&$0) } }
}

/// The counters of a monitor's thread, for tests and measurements.
package struct UdevStatistics: Sendable, Equatable {
    package internal(set) var wakeUps = 0
    package internal(set) var messages = 0
    /// The number of messages that were invalid or too long.
    package internal(set) var unusable = 0
    /// The number of times the kernel has dropped messages.
    package internal(set) var overflows = 0
    package internal(set) var scans = 0
    package internal(set) var group = UdevGroup.kernel
}

package enum UdevGroup: String, Sendable {
    /// Messages from udevd, sent after it has run its rules.
    case udev
    case kernel
}
