// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation
import LiveDevice

/// A manager that reports the user's activity: stationary, walking, running, cycling or automotive.
///
/// ```swift
/// let manager = CMMotionActivityManager()
/// manager.startActivityUpdates(to: .main) { activity in
///     if let activity, activity.walking { print("walking since", activity.startDate) }
/// }
/// ```
///
/// Stationary, walking and running are detected with the accelerometer, with a delay of four to six seconds. Automotive
/// and cycling are detected only if the device's last fix includes a speed. The manager itself does not request fixes.
/// Activities are detected only while a `CMMotionActivityManager` or a `CMPedometer` receives updates.
open class CMMotionActivityManager: NSObject {
    private let device: Device
    private let updates: SensorStream<ActivityConverter>
    private let pendingError = PendingCallSlot()

    /// Creates a manager for the current device.
    public override init() {
        device = LiveDevice.resolved
        updates = SensorStream(device: device, interval: 0) { ActivityConverter() }
    }

    deinit { updates.stop() }

    /// Returns true if the current device has an accelerometer.
    open class func isActivityAvailable() -> Bool { LiveDevice.resolved.has(.accelerometer) }

    /// Returns `authorized` if the current device has a readable accelerometer, otherwise `notDetermined`.
    open class func authorizationStatus() -> CMAuthorizationStatus { LiveDevice.resolved.authorization(.accelerometer) }

    /// Starts updates. The handler is called on the queue whenever the activity or its confidence changes. It is called
    /// with nil if the device has no accelerometer, and whenever the accelerometer is lost. Updates resume
    /// automatically when the accelerometer is available again.
    open func startActivityUpdates(to queue: OperationQueue, withHandler handler: @escaping CMMotionActivityHandler) {
        let executor = ExecutorSelection.executor(for: queue, device: device)
        guard device.has(.accelerometer) else {
            updates.stop()
            return pendingError.set(PendingCall(device: device, executor: executor) { handler(nil) })
        }
        pendingError.set(nil)
        updates.start(StreamHandler(executor, { CMMotionActivity($0) }, { activity, _ in handler(activity) }))
    }

    /// Stops updates.
    open func stopActivityUpdates() {
        pendingError.set(nil)
        updates.stop()
    }

    /// Queries the activities between two dates within the last seven days. The result includes the activity that was
    /// already in progress at the start date. The handler is called once. The error is
    /// `CMErrorMotionActivityNotAvailable` if the device has no accelerometer, or `CMErrorInvalidParameter` if `end` is
    /// before `start` or a date is not finite.
    open func queryActivityStarting(
        from start: Date, to end: Date, to queue: OperationQueue,
        withHandler handler: @escaping CMMotionActivityQueryHandler
    ) {
        // The callback executor keeps the `PendingCall` alive until its closure has run.
        _ = PendingCall(device: device, queue: queue) { [device] in
            do {
                let (from, to) = try MotionActivityErrors.checkedInterval(device, from: start, to: end)
                handler(Self.activities(device, from: from, to: to), nil)
            } catch {
                handler(nil, error)
            }
        }
    }

    private static func activities(_ device: Device, from: WallTime, to: WallTime) -> [CMMotionActivity] {
        let (now, wallTime) = (device.clock.now, device.clock.wallTime)
        return StepEngine.of(device).activities(from: from.seconds, to: to.seconds).map { activity in
            CMMotionActivity(
                CurrentActivity(
                    activity: activity.activity, confidence: activity.confidence,
                    start: WallTime(seconds: activity.start) ?? .epoch,
                    time: now.advanced(bySeconds: activity.start - wallTime.seconds)))
        }
    }
}

enum MotionActivityErrors {
    static var notAvailable: NSError {
        CMErrorMotionActivityNotAvailable.error(
            "Steps and activities are not available: this machine has no readable accelerometer.")
    }

    static var invalidDate: NSError { CMErrorInvalidParameter.error("The date is not a number.") }

    /// Validates and converts the dates of a query. Throws an error if the device has no accelerometer or the dates are
    /// invalid.
    static func checkedInterval(
        _ device: Device, from start: Date, to end: Date
    ) throws(NSError) -> (from: WallTime, to: WallTime) {
        guard device.has(.accelerometer) else { throw notAvailable }
        guard let from = WallTime(seconds: start.timeIntervalSince1970),
            let to = WallTime(seconds: end.timeIntervalSince1970)
        else { throw invalidDate }
        guard from <= to else { throw CMErrorInvalidParameter.error("The end date is before the start date.") }
        return (from, to)
    }
}
