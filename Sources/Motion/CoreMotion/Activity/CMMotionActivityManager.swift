// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation
import LiveDevice

/// Would tell what the person who carries the device does.
///
/// Linux has nothing that classifies activities, so they are not available: `isActivityAvailable()` is false, a handler
/// is called once with nil, and queries answer with `CMErrorMotionActivityNotAvailable`.
open class CMMotionActivityManager: NSObject {
    private let device: Device
    private let refusal = RefusalSlot()

    /// Creates a manager for the device in force.
    public override init() { device = LiveDevice.resolved }

    /// False: nothing on Linux tells activities.
    open class func isActivityAvailable() -> Bool { false }

    /// Not determined: there is nothing to allow.
    open class func authorizationStatus() -> CMAuthorizationStatus { .notDetermined }

    /// Calls the handler once, with nil: there are no activities.
    open func startActivityUpdates(to queue: OperationQueue, withHandler handler: @escaping CMMotionActivityHandler) {
        refusal.set(PendingRefusal(device: device, delivery: AppDelivery.on(queue, device: device)) { handler(nil) })
    }

    /// Takes a start back.
    open func stopActivityUpdates() { refusal.set(nil) }

    /// Answers with `CMErrorMotionActivityNotAvailable`.
    open func queryActivityStarting(
        from start: Date, to end: Date, to queue: OperationQueue,
        withHandler handler: @escaping CMMotionActivityQueryHandler
    ) {
        // Queries always answer, also when the manager is gone by then.
        _ = PendingRefusal(device: device, delivery: AppDelivery.on(queue, device: device)) {
            handler(nil, MotionActivity.notAvailable)
        }
    }
}

/// Why there are no activities and steps.
enum MotionActivity {
    static var notAvailable: NSError {
        CMErrorMotionActivityNotAvailable.error(
            "Steps and activities are not available: nothing on this machine tells them.")
    }
}
