// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import LiveDevice

/// Records the accelerometer at 50 readings a second, to be asked for later.
///
/// The recording belongs to the device and goes on when the recorder is released. It is kept in the memory of the
/// process, twelve hours at most, and ends with the process; on Apple's platforms the system keeps it for three days.
open class CMSensorRecorder: NSObject {
    private let device: Device

    /// Creates a recorder for the device in force.
    public override init() { device = LiveDevice.resolved }

    /// True when the device in force has an accelerometer.
    open class func isAccelerometerRecordingAvailable() -> Bool { LiveDevice.resolved.has(.accelerometer) }

    /// Authorized when the device in force has an accelerometer that can be read; else not determined.
    open class func authorizationStatus() -> CMAuthorizationStatus { LiveDevice.resolved.authorization(.accelerometer) }

    /// True when the device in force has an accelerometer that can be read.
    @available(*, deprecated, message: "Use authorizationStatus()")
    open class func isAuthorizedForRecording() -> Bool { LiveDevice.resolved.has(.accelerometer) }

    /// Records from now on for that many seconds, twelve hours at most, or until the end of an earlier recording when
    /// that is later. Does nothing without an accelerometer.
    open func recordAccelerometer(forDuration duration: TimeInterval) {
        AccelerometerRecording.of(device).record(seconds: duration)
    }

    /// The readings of the accelerometer between two dates, both included; nil when none were recorded.
    open func accelerometerData(from fromDate: Date, to toDate: Date) -> CMSensorDataList? {
        guard let start = WallTime(seconds: fromDate.timeIntervalSince1970),
            let end = WallTime(seconds: toDate.timeIntervalSince1970)
        else { return nil }
        let parts = AccelerometerRecording.of(device).readings(from: start, to: end)
        return parts.isEmpty ? nil : CMSensorDataList(parts)
    }
}
