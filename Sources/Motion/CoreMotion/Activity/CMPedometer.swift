// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
public import Foundation
import LiveDevice

/// A pedometer that counts the user's steps and floors, and estimates the distance and the pace.
///
/// ```swift
/// let pedometer = CMPedometer()
/// pedometer.startUpdates(from: Date()) { data, error in
///     if let data { print(data.numberOfSteps, "steps") }
/// }
/// ```
///
/// The pedometer requires an accelerometer with at least five readings per second. The device may be worn anywhere on
/// the body, but slow walks are missed if it is worn on the wrist. The first seven steps of a walk are counted only
/// when the eighth follows, so that merely handling the device does not add steps. `docs/motion.md` lists the errors
/// for recorded walks.
///
/// If the device's last fix is accurate and less than three seconds old, the distance is computed from the speed in the
/// fix. Otherwise, it is estimated from the cadence. The pedometer does not request fixes. Without a fix, expect an
/// error of 10 to 20 %, or more for running.
///
/// Steps are counted only while an app receives updates. Counts are kept for seven days. On a live device, they are
/// stored in the file `steps.json` next to the calibrations. All of the user's apps share this file.
///
/// Handlers are called on a private serial queue. All methods are thread-safe. If you call `stop…` on the handlers'
/// queue, the handler is not called again. If you call it on another thread, a handler that is already running
/// completes. If the accelerometer is lost, each handler is called once with `CMErrorNotAvailable` or
/// `CMErrorNotAuthorized`. Updates resume automatically when the accelerometer is available again.
open class CMPedometer: NSObject {
    private let device: Device
    private let executor: any CallbackExecutor
    private let updates: SensorStream<PedometerDataConverter>
    private let events: SensorStream<PedometerEventConverter>
    private let pendingUpdatesError = PendingCallSlot()
    private let pendingEventsError = PendingCallSlot()

    /// Creates a pedometer for the current device.
    public override init() {
        device = LiveDevice.resolved
        executor = ExecutorSelection.executor(for: DispatchQueue(label: "device-services.pedometer"), device: device)
        (updates, events) = Self.streams(of: device)
    }

    package init(queue: OperationQueue) {
        device = LiveDevice.resolved
        executor = ExecutorSelection.executor(for: queue, device: device)
        (updates, events) = Self.streams(of: device)
    }

    private static func streams(of device: Device) -> (
        SensorStream<PedometerDataConverter>, SensorStream<PedometerEventConverter>
    ) {
        // The start time is a placeholder. `startUpdates(from:withHandler:)` replaces it with the app's date.
        let configuration = PedometerDataConverter.configuration(for: device, start: .epoch)
        return (
            SensorStream(device: device, configuration: configuration, interval: 0),
            SensorStream(device: device, interval: 0) { PedometerEventConverter() }
        )
    }

    deinit {
        updates.stop()
        events.stop()
    }

    /// Returns true if the current device has an accelerometer.
    open class func isStepCountingAvailable() -> Bool { LiveDevice.resolved.has(.accelerometer) }
    /// Returns true if step counting is available, because the distance is estimated from the steps.
    open class func isDistanceAvailable() -> Bool { isStepCountingAvailable() }
    /// Returns true if the current device has an accelerometer and a barometer.
    open class func isFloorCountingAvailable() -> Bool {
        isStepCountingAvailable() && LiveDevice.resolved.has(.pressure)
    }
    /// Returns true if step counting is available.
    open class func isPaceAvailable() -> Bool { isStepCountingAvailable() }
    /// Returns true if step counting is available.
    open class func isCadenceAvailable() -> Bool { isStepCountingAvailable() }
    /// Returns true if step counting is available.
    open class func isPedometerEventTrackingAvailable() -> Bool { isStepCountingAvailable() }

    /// Returns `authorized` if the current device has a readable accelerometer, otherwise `notDetermined`.
    open class func authorizationStatus() -> CMAuthorizationStatus { LiveDevice.resolved.authorization(.accelerometer) }

    /// Starts updates that report the steps since the given date, which may be up to seven days ago. During playback, a
    /// date later than the trace's current time is replaced by that time, because `Date()` is usually later than the
    /// recording.
    ///
    /// The handler is called at most once a second, and only with new data. The first call reports stored steps, if
    /// there are any. Calling this method again restarts the updates. If updates cannot be started, the handler is
    /// called once with an error: `CMErrorMotionActivityNotAvailable` if the device has no accelerometer, or
    /// `CMErrorInvalidParameter` if the date is not a finite number.
    open func startUpdates(from start: Date, withHandler handler: @escaping CMPedometerHandler) {
        let time = WallTime(seconds: start.timeIntervalSince1970)
        guard let time, device.has(.accelerometer) else {
            updates.stop()
            let error = time == nil ? MotionActivityErrors.invalidDate : MotionActivityErrors.notAvailable
            return scheduleError(pendingUpdatesError, error) { handler(nil, $0) }
        }
        pendingUpdatesError.set(nil)
        updates.start(
            StreamHandler(executor, { CMPedometerData($0) }, handler),
            configuration: PedometerDataConverter.configuration(
                for: device, start: device.isSimulated ? min(time, device.clock.wallTime) : time))
    }

    package func startUpdatesFromNow(withHandler handler: @escaping CMPedometerHandler) {
        startUpdates(from: Date(timeIntervalSince1970: device.clock.wallTime.seconds), withHandler: handler)
    }

    /// Stops updates and stores the counts in the background. If the process then exits, `exit` waits up to five
    /// seconds for the counts to be stored. If the process ends without calling this method, up to five minutes of
    /// counts are lost.
    open func stopUpdates() {
        pendingUpdatesError.set(nil)
        updates.stop()
    }

    /// Starts event updates. The handler is called when the user pauses or resumes walking. A pause is reported
    /// about three seconds after the last step. If the device has no accelerometer, the handler is called once with
    /// `CMErrorNotAvailable`.
    open func startEventUpdates(handler: @escaping CMPedometerEventHandler) {
        guard device.has(.accelerometer) else {
            events.stop()
            return scheduleError(
                pendingEventsError,
                CMErrorNotAvailable.error("Pedometer events are not available without an accelerometer.")
            ) { handler(nil, $0) }
        }
        pendingEventsError.set(nil)
        events.start(StreamHandler(executor, { CMPedometerEvent($0) }, handler))
    }

    /// Stops pedometer event updates.
    open func stopEventUpdates() {
        pendingEventsError.set(nil)
        events.stop()
    }

    /// Queries the steps between two dates within the last seven days. The handler is called once. `currentPace` and
    /// `currentCadence` are nil in the result. The error is `CMErrorMotionActivityNotAvailable` if the device has no
    /// accelerometer, or `CMErrorInvalidParameter` if `end` is before `start` or a date is not finite.
    open func queryPedometerData(from start: Date, to end: Date, withHandler handler: @escaping CMPedometerHandler) {
        // The handler is called even if the pedometer has been released.
        _ = PendingCall(device: device, executor: executor) { [device] in
            do { handler(try Self.query(device, from: start, to: end), nil) } catch { handler(nil, error) }
        }
    }

    /// Returns the steps between two dates. Throws the same errors that ``queryPedometerData(from:to:withHandler:)``
    /// reports.
    open func queryPedometerData(from start: Date, to end: Date) async throws -> CMPedometerData {
        try Self.query(device, from: start, to: end)
    }

    private static func query(_ device: Device, from start: Date, to end: Date) throws(NSError) -> CMPedometerData {
        let (from, to) = try MotionActivityErrors.checkedInterval(device, from: start, to: end)
        let totals = StepEngine.of(device).totals(from: from.seconds, to: to.seconds)
        return CMPedometerData(CMPedometerData.Values(totals, from: from, to: to, countsFloors: device.has(.pressure)))
    }

    private func scheduleError(_ slot: PendingCallSlot, _ error: NSError, _ handler: @escaping (NSError) -> Void) {
        slot.set(PendingCall(device: device, executor: executor) { handler(error) })
    }
}
