// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

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
