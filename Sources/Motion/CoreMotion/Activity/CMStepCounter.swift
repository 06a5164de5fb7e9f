// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation
import LiveDevice

/// The former name of the pedometer. It counts the same steps as ``CMPedometer``, and tells no more.
@available(*, deprecated, message: "Use CMPedometer")
open class CMStepCounter: NSObject {
    private let device: Device
    private let updates: SensorStream<StepCounts>
    private let refusal = RefusalSlot()

    /// Creates a step counter for the device in force.
    public override init() {
        let device = LiveDevice.resolved
        self.device = device
        updates = SensorStream(device: device, plan: StepCounts.plan(device, every: 1), interval: 0)
    }

    deinit { updates.stop() }

    /// True when the device in force has an accelerometer.
    open class func isStepCountingAvailable() -> Bool { LiveDevice.resolved.has(.accelerometer) }

    /// Answers, once, with the steps between two dates, of the last seven days; with 0 and an error where they cannot
    /// be told, as ``CMPedometer/queryPedometerData(from:to:withHandler:)``.
    open func queryStepCountStarting(
        from start: Date, to end: Date, to queue: OperationQueue, withHandler handler: @escaping CMStepQueryHandler
    ) {
        _ = PendingRefusal(device: device, delivery: AppDelivery.on(queue, device: device)) { [device] in
            guard device.has(.accelerometer) else { return handler(0, MotionActivity.notAvailable) }
            guard let from = WallTime(seconds: start.timeIntervalSince1970),
                let to = WallTime(seconds: end.timeIntervalSince1970), from <= to
            else { return handler(0, MotionActivity.noSpan) }
            let totals = StepEngine.of(device).totals(from: from.seconds, to: to.seconds)
            handler(Int(totals.steps.rounded()), nil)
        }
    }

    /// Starts to tell the steps from now on and the time of the last, each time that there are `stepCounts` more.
    ///
    /// A number below 1 counts as 1. Without an accelerometer the handler is called once, with no steps and
    /// `CMErrorMotionActivityNotAvailable`.
    open func startStepCountingUpdates(
        to queue: OperationQueue, updateOn stepCounts: Int, withHandler handler: @escaping CMStepUpdateHandler
    ) {
        let delivery = AppDelivery.on(queue, device: device)
        let now = Date(timeIntervalSince1970: device.clock.wallTime.seconds)
        guard device.has(.accelerometer) else {
            updates.stop()
            return refusal.set(
                PendingRefusal(device: device, delivery: delivery) { handler(0, now, MotionActivity.notAvailable) })
        }
        refusal.set(nil)
        updates.start(
            StreamHandler(delivery, { $0 }) { (value: StepCounts.Value?, error) in
                handler(
                    value?.steps ?? 0, value.map { Date(timeIntervalSince1970: $0.time.seconds) } ?? now, error)
            }, plan: StepCounts.plan(device, every: stepCounts))
    }

    /// Stops it.
    open func stopStepCountingUpdates() {
        refusal.set(nil)
        updates.stop()
    }
}
