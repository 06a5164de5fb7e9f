// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
public import Foundation
import LiveDevice

/// Counts the steps of the person who carries the device, and tells how far, how fast and how many floors that is.
///
/// ```swift
/// let pedometer = CMPedometer()
/// pedometer.startUpdates(from: Date()) { data, error in
///     if let data { print(data.numberOfSteps, "steps") }
/// }
/// ```
///
/// It takes an accelerometer with at least five readings a second, anywhere on the body; it runs at up to 50 while
/// somebody listens, here or with `CMMotionActivityManager`. A walk counts from its eighth step on, then all eight at
/// once, so that handling the device does not count; docs/motion.md has the errors on recorded walks. On a wrist slow
/// walks are missed.
///
/// The distance comes from the cadence, and from a receiver's speed where the device has a fix that is less than
/// three seconds old. No fix is asked for: some other part of the program has to, as with `CLLocationManager`.
/// Without one it is wrong by 10 to 20 per cent, and more for running.
///
/// Nothing counts while no program listens. What was counted is kept for seven days, on a live device in the file
/// `steps.json` beside the calibrations, for all programs of the user.
///
/// Handlers run on a serial queue of the pedometer's own, one call at a time, and not after `stop…` has returned on
/// that queue. When the accelerometer is lost they are told `CMErrorNotAvailable` once; it goes on by itself when it
/// is back.
open class CMPedometer: NSObject {
    private let client: PedometerClient

    /// Creates a pedometer for the device in force.
    public override init() {
        let device = LiveDevice.resolved
        let queue = DispatchQueue(label: "device-services.pedometer")
        client = PedometerClient(device: device, delivery: AppDelivery.on(queue, device: device))
    }

    /// Creates a pedometer whose handlers run on that queue.
    package init(queue: OperationQueue) {
        let device = LiveDevice.resolved
        client = PedometerClient(device: device, delivery: AppDelivery.on(queue, device: device))
    }

    deinit { client.retire() }

    /// True when the device in force has an accelerometer.
    open class func isStepCountingAvailable() -> Bool { LiveDevice.resolved.has(.accelerometer) }
    /// True when steps are counted: their length is estimated.
    open class func isDistanceAvailable() -> Bool { isStepCountingAvailable() }
    /// True when the device in force has an accelerometer and a barometer.
    open class func isFloorCountingAvailable() -> Bool {
        isStepCountingAvailable() && LiveDevice.resolved.has(.pressure)
    }
    /// True when steps are counted.
    open class func isPaceAvailable() -> Bool { isStepCountingAvailable() }
    /// True when steps are counted.
    open class func isCadenceAvailable() -> Bool { isStepCountingAvailable() }
    /// True when steps are counted.
    open class func isPedometerEventTrackingAvailable() -> Bool { isStepCountingAvailable() }

    /// Authorized when the device in force has an accelerometer that can be read; else not determined.
    open class func authorizationStatus() -> CMAuthorizationStatus { LiveDevice.resolved.authorization(.accelerometer) }

    /// Starts to tell what was walked since that date, which may be up to seven days ago. While a trace is played, a date
    /// after the time of the trace means from now on: the present is in its future.
    ///
    /// The handler is called at most once a second, and only when something is new; once at first when there is
    /// something from before, and at the end of a trace with what is left. A second start begins anew. Without an
    /// accelerometer it is called once, with `CMErrorMotionActivityNotAvailable`; with `CMErrorInvalidParameter` when
    /// the date is no number.
    open func startUpdates(from start: Date, withHandler handler: @escaping CMPedometerHandler) {
        guard let time = WallTime(seconds: start.timeIntervalSince1970) else {
            client.updates.stop()
            return refuse(client.refusedUpdates, MotionActivity.noDate) { handler(nil, $0) }
        }
        guard client.device.has(.accelerometer) else {
            client.updates.stop()
            return refuse(client.refusedUpdates, MotionActivity.notAvailable) { handler(nil, $0) }
        }
        client.refusedUpdates.set(nil)
        client.updates.start(
            StreamHandler(client.delivery, { CMPedometerData($0) }, handler),
            plan: PedometerUpdates.plan(
                client.device, start: client.device.isSimulated ? min(time, client.device.clock.wallTime) : time))
    }

    /// The same from now on, by the device's clock.
    package func startUpdatesFromNow(withHandler handler: @escaping CMPedometerHandler) {
        startUpdates(
            from: Date(timeIntervalSince1970: client.device.clock.wallTime.seconds), withHandler: handler)
    }

    /// Stops it. What was counted is stored in the background, and before a program that calls `exit` or returns from
    /// `main` ends. One that is killed loses up to five minutes.
    open func stopUpdates() {
        client.refusedUpdates.set(nil)
        client.updates.stop()
    }

    /// Starts to tell when the person stops walking, 2.5 seconds later, and when the person goes on.
    ///
    /// Without an accelerometer the handler is called once, with `CMErrorNotAvailable`.
    open func startEventUpdates(handler: @escaping CMPedometerEventHandler) {
        guard client.device.has(.accelerometer) else {
            client.events.stop()
            return refuse(
                client.refusedEvents,
                CMErrorNotAvailable.error("Events of a pedometer are not available without an accelerometer.")
            ) { handler(nil, $0) }
        }
        client.refusedEvents.set(nil)
        client.events.start(
            StreamHandler(client.delivery, { CMPedometerEvent($0) }, handler), plan: PedometerEvents.plan(client.device)
        )
    }

    /// Stops it.
    open func stopEventUpdates() {
        client.refusedEvents.set(nil)
        client.events.stop()
    }

    /// Answers, once, with what was walked between two dates, of the last seven days.
    ///
    /// `currentPace` and `currentCadence` are nil. The error is `CMErrorMotionActivityNotAvailable` without an
    /// accelerometer, and `CMErrorInvalidParameter` when the second date is before the first or one is no number.
    open func queryPedometerData(from start: Date, to end: Date, withHandler handler: @escaping CMPedometerHandler) {
        // Queries always answer, also when the pedometer is gone by then.
        _ = PendingRefusal(device: client.device, delivery: client.delivery) { [device = client.device] in
            switch Self.answer(device, start, end) {
            case .success(let data): handler(data, nil)
            case .failure(let error): handler(nil, error)
            }
        }
    }

    /// What was walked between two dates; throws what ``queryPedometerData(from:to:withHandler:)`` tells.
    open func queryPedometerData(from start: Date, to end: Date) async throws -> CMPedometerData {
        try Self.answer(client.device, start, end).get()
    }

    private static func answer(_ device: Device, _ start: Date, _ end: Date) -> Result<CMPedometerData, NSError> {
        guard device.has(.accelerometer) else { return .failure(MotionActivity.notAvailable) }
        guard let from = WallTime(seconds: start.timeIntervalSince1970),
            let to = WallTime(seconds: end.timeIntervalSince1970), from <= to
        else { return .failure(MotionActivity.noSpan) }
        let totals = StepEngine.of(device).totals(from: from.seconds, to: to.seconds)
        return .success(
            CMPedometerData(
                CMPedometerData.Values(totals, from: from, to: to, countsFloors: device.has(.pressure))))
    }

    private func refuse(_ slot: RefusalSlot, _ error: NSError, _ tell: @escaping (NSError) -> Void) {
        slot.set(PendingRefusal(device: client.device, delivery: client.delivery) { tell(error) })
    }
}
