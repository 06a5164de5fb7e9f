// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import LiveDevice

/// A recorder that stores accelerometer readings at 50 Hz, so that they can be retrieved later. The recording continues
/// even if the recorder is released. Readings are kept in memory for at most twelve hours. On Apple's platforms, they
/// are kept for three days.
open class CMSensorRecorder: NSObject {
    private let device: Device

    /// Creates a recorder for the current device.
    public override init() { device = LiveDevice.resolved }

    /// Returns true if the current device has an accelerometer.
    open class func isAccelerometerRecordingAvailable() -> Bool { LiveDevice.resolved.has(.accelerometer) }

    /// Returns `authorized` if the current device has a readable accelerometer, otherwise `notDetermined`.
    open class func authorizationStatus() -> CMAuthorizationStatus { LiveDevice.resolved.authorization(.accelerometer) }

    /// Returns true if the current device has a readable accelerometer.
    @available(*, deprecated, message: "Use authorizationStatus()")
    open class func isAuthorizedForRecording() -> Bool { LiveDevice.resolved.has(.accelerometer) }

    /// Records for the given number of seconds, up to twelve hours, starting now. If an earlier request ends later, the
    /// recording continues until then.
    open func recordAccelerometer(forDuration duration: TimeInterval) {
        AccelerometerRecording.of(device).record(seconds: duration)
    }

    /// Returns the accelerometer readings between two dates, inclusive, or nil if there are none.
    open func accelerometerData(from fromDate: Date, to toDate: Date) -> CMSensorDataList? {
        guard let start = WallTime(seconds: fromDate.timeIntervalSince1970),
            let end = WallTime(seconds: toDate.timeIntervalSince1970)
        else { return nil }
        let parts = AccelerometerRecording.of(device).readings(from: start, to: end)
        return parts.isEmpty ? nil : CMSensorDataList(parts)
    }
}
