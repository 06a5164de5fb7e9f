// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation
import LiveDevice

/// Tells what the person who carries the device does: resting, walking, running, riding.
///
/// ```swift
/// let manager = CMMotionActivityManager()
/// manager.startActivityUpdates(to: .main) { activity in
///     if let activity, activity.walking { print("walking since", activity.startDate) }
/// }
/// ```
///
/// Stationary, walking and running come from the accelerometer, four to six seconds late. Automotive and cycling need
/// a speed: the device's last fix is used, and none is asked for; without one they are never claimed. Nothing is told
/// while no program listens, here or with `CMPedometer`.
open class CMMotionActivityManager: NSObject {
    private let client: ActivityClient

    /// Creates a manager for the device in force.
    public override init() { client = ActivityClient(device: LiveDevice.resolved) }

    deinit { client.updates.stop() }

    /// True when the device in force has an accelerometer.
    open class func isActivityAvailable() -> Bool { LiveDevice.resolved.has(.accelerometer) }

    /// Authorized when the device in force has an accelerometer that can be read; else not determined.
    open class func authorizationStatus() -> CMAuthorizationStatus { LiveDevice.resolved.authorization(.accelerometer) }

    /// Starts to tell each activity, and each change of how sure it is, on that queue.
    ///
    /// The handler is called with nil once when there is no accelerometer, and once when it is lost; it goes on by
    /// itself when it is back.
    open func startActivityUpdates(to queue: OperationQueue, withHandler handler: @escaping CMMotionActivityHandler) {
        let device = client.device
        let delivery = AppDelivery.on(queue, device: device)
        guard device.has(.accelerometer) else {
            client.updates.stop()
            return client.refusal.set(PendingRefusal(device: device, delivery: delivery) { handler(nil) })
        }
        client.refusal.set(nil)
        client.updates.start(
            StreamHandler(delivery, { CMMotionActivity($0) }, { activity, _ in handler(activity) }),
            plan: ActivityUpdates.plan(device))
    }

    /// Stops it.
    open func stopActivityUpdates() {
        client.refusal.set(nil)
        client.updates.stop()
    }

    /// Answers, once, with the activities between two dates, of the last seven days, and the one that went on at the
    /// first.
    ///
    /// The error is `CMErrorMotionActivityNotAvailable` without an accelerometer, and `CMErrorInvalidParameter` when
    /// the second date is before the first or one is no number.
    open func queryActivityStarting(
        from start: Date, to end: Date, to queue: OperationQueue,
        withHandler handler: @escaping CMMotionActivityQueryHandler
    ) {
        // Queries always answer, also when the manager is gone by then.
        let device = client.device
        _ = PendingRefusal(device: device, delivery: AppDelivery.on(queue, device: device)) {
            guard device.has(.accelerometer) else { return handler(nil, MotionActivity.notAvailable) }
            guard let from = WallTime(seconds: start.timeIntervalSince1970),
                let to = WallTime(seconds: end.timeIntervalSince1970), from <= to
            else { return handler(nil, MotionActivity.noSpan) }
            let (now, wallTime) = (device.clock.now, device.clock.wallTime)
            let found = StepEngine.of(device).activities(from: from.seconds, to: to.seconds)
            let activities = found.map { activity in
                CMMotionActivity(
                    CurrentActivity(
                        activity: activity.activity, confidence: activity.confidence,
                        start: WallTime(seconds: activity.start) ?? .epoch,
                        time: now.advanced(bySeconds: activity.start - wallTime.seconds)))
            }
            handler(activities, nil)
        }
    }
}

/// Why there are no activities and steps.
enum MotionActivity {
    static var notAvailable: NSError {
        CMErrorMotionActivityNotAvailable.error(
            "Steps and activities are not available: this machine has no accelerometer that can be read.")
    }

    static var noSpan: NSError {
        CMErrorInvalidParameter.error("There is no time between these dates: the second is before the first.")
    }

    static var noDate: NSError { CMErrorInvalidParameter.error("This date is no number.") }
}
