// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation
import LiveDevice

/// The former name of the pedometer. Nothing on Linux counts steps yet: it is not available, as ``CMPedometer``.
@available(*, deprecated, message: "Use CMPedometer")
open class CMStepCounter: NSObject {
    private let device: Device
    private let refusal = RefusalSlot()

    /// Creates a step counter for the device in force.
    public override init() { device = LiveDevice.resolved }

    /// False: nothing on Linux counts steps yet.
    open class func isStepCountingAvailable() -> Bool { false }

    /// Answers with no steps and `CMErrorMotionActivityNotAvailable`.
    open func queryStepCountStarting(
        from start: Date, to end: Date, to queue: OperationQueue, withHandler handler: @escaping CMStepQueryHandler
    ) {
        _ = PendingRefusal(device: device, delivery: AppDelivery.on(queue, device: device)) {
            handler(0, MotionActivity.notAvailable)
        }
    }

    /// Calls the handler once, with no steps and `CMErrorMotionActivityNotAvailable`.
    open func startStepCountingUpdates(
        to queue: OperationQueue, updateOn stepCounts: Int, withHandler handler: @escaping CMStepUpdateHandler
    ) {
        let now = Date(timeIntervalSince1970: device.clock.wallTime.seconds)
        refusal.set(
            PendingRefusal(device: device, delivery: AppDelivery.on(queue, device: device)) {
                handler(0, now, MotionActivity.notAvailable)
            })
    }

    /// Takes a start back.
    open func stopStepCountingUpdates() { refusal.set(nil) }
}
