// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation
import LiveDevice

/// A step counter. Use ``CMPedometer`` instead, which counts the same steps.
@available(*, deprecated, message: "Use CMPedometer")
open class CMStepCounter: NSObject {
    private let device: Device
    private let updates: SensorStream<StepCountConverter>
    private let pendingError = PendingCallSlot()

    /// Creates a step counter for the current device.
    public override init() {
        let device = LiveDevice.resolved
        self.device = device
        updates = SensorStream(
            device: device, configuration: StepCountConverter.configuration(device, every: 1), interval: 0)
    }

    deinit { updates.stop() }

    /// Returns true if the current device has an accelerometer.
    open class func isStepCountingAvailable() -> Bool { LiveDevice.resolved.has(.accelerometer) }

    /// Queries the number of steps between two dates within the last seven days. The handler is called once. If the
    /// steps cannot be determined, the handler receives 0 and the error that
    /// ``CMPedometer/queryPedometerData(from:to:withHandler:)`` reports.
    open func queryStepCountStarting(
        from start: Date, to end: Date, to queue: OperationQueue, withHandler handler: @escaping CMStepQueryHandler
    ) {
        // The callback executor keeps the `PendingCall` alive until its closure has run.
        _ = PendingCall(device: device, queue: queue) { [device] in
            do {
                let (from, to) = try MotionActivityErrors.checkedInterval(device, from: start, to: end)
                handler(Int(StepEngine.of(device).totals(from: from.seconds, to: to.seconds).steps.rounded()), nil)
            } catch {
                handler(0, error)
            }
        }
    }

    /// Starts updates. After every `stepCounts` steps, the handler is called with the number of steps since updates
    /// started and the time of the last step. A value of `stepCounts` below 1 is treated as 1. If the device has no
    /// accelerometer, the handler is called once with 0 steps and `CMErrorMotionActivityNotAvailable`.
    open func startStepCountingUpdates(
        to queue: OperationQueue, updateOn stepCounts: Int, withHandler handler: @escaping CMStepUpdateHandler
    ) {
        let executor = ExecutorSelection.executor(for: queue, device: device)
        let now = Date(timeIntervalSince1970: device.clock.wallTime.seconds)
        guard device.has(.accelerometer) else {
            updates.stop()
            return pendingError.set(
                PendingCall(device: device, executor: executor) { handler(0, now, MotionActivityErrors.notAvailable) })
        }
        pendingError.set(nil)
        updates.start(
            StreamHandler(executor, { $0 }) { (value: StepCountConverter.Value?, error) in
                handler(value?.steps ?? 0, value.map { Date(timeIntervalSince1970: $0.time.seconds) } ?? now, error)
            }, configuration: StepCountConverter.configuration(device, every: stepCounts))
    }

    /// Stops updates.
    open func stopStepCountingUpdates() {
        pendingError.set(nil)
        updates.stop()
    }
}
