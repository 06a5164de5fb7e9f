// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation
import LiveDevice

/// An altimeter that reports altitudes computed from air pressure.
///
/// ```swift
/// let altimeter = CMAltimeter()
/// altimeter.startRelativeAltitudeUpdates(to: .main) { data, error in
///     if let data { print("\(data.relativeAltitude) m") }
/// }
/// ```
///
/// A handler is called about once a second. It receives the mean of the barometer's readings since the previous call.
/// Handlers are called as described for ``CMMotionManager``. If the barometer is missing or lost, the handler is called
/// once with `CMErrorNotAvailable` or `CMErrorNotAuthorized`. Updates resume automatically when the barometer is
/// available.
///
/// Heights are computed with the international barometric formula for an air temperature of 15 °C. If the air is
/// colder, they are 3.5 % too large for every 10 K; if it is warmer, they are 3.5 % too small for every 10 K. Changes
/// in the weather look like height changes of a few metres per hour.
open class CMAltimeter: NSObject {
    private let device: Device
    private let relative: SensorStream<RelativeAltitudeConverter>
    private let absolute: SensorStream<AbsoluteAltitudeConverter>
    private let pendingRelativeError = PendingCallSlot()
    private let pendingAbsoluteError = PendingCallSlot()

    /// Creates an altimeter for the current device.
    public override init() {
        let device = LiveDevice.resolved
        self.device = device
        relative = SensorStream(device: device, kind: .pressure, interval: PressureAverager.readingInterval) {
            RelativeAltitudeConverter()
        }
        absolute = SensorStream(device: device, kind: .pressure, interval: PressureAverager.readingInterval) {
            AbsoluteAltitudeConverter { [source = device.positionSource] in source.lastFix }
        }
    }

    deinit {
        relative.stop()
        absolute.stop()
    }

    /// Returns true if the current device has a barometer.
    open class func isRelativeAltitudeAvailable() -> Bool { LiveDevice.resolved.has(.pressure) }

    /// Returns true if the current device has a barometer. Updates also require position fixes that include an
    /// altitude.
    open class func isAbsoluteAltitudeAvailable() -> Bool { LiveDevice.resolved.has(.pressure) }

    /// Returns `authorized` if the current device has a readable barometer, otherwise `notDetermined`.
    open class func authorizationStatus() -> CMAuthorizationStatus { LiveDevice.resolved.authorization(.pressure) }

    /// Starts relative altitude updates. Heights are relative to the first value, which is exactly 0. Calling this
    /// method again sets a new reference.
    open func startRelativeAltitudeUpdates(to queue: OperationQueue, withHandler handler: @escaping CMAltitudeHandler) {
        let executor = ExecutorSelection.executor(for: queue, device: device)
        relative.start(StreamHandler(executor, CMAltitudeData.init, handler))
        pendingRelativeError.set(pendingError(executor) { handler(nil, $0) })
    }

    /// Stops relative altitude updates.
    open func stopRelativeAltitudeUpdates() {
        pendingRelativeError.set(nil)
        relative.stop()
    }

    /// Starts absolute altitude updates, which report altitudes above mean sea level. Each altitude is computed from
    /// the device's last position fix and the pressure change since that fix. There are no updates before the first
    /// fix. The altimeter does not request fixes, so another part of the app must do so. After a fix, `accuracy` is the
    /// receiver's estimate of the vertical error. It then grows by 10 metres per hour and by 4 % of the height gained
    /// or lost, until a more accurate fix is available.
    open func startAbsoluteAltitudeUpdates(
        to queue: OperationQueue, withHandler handler: @escaping CMAbsoluteAltitudeHandler
    ) {
        let executor = ExecutorSelection.executor(for: queue, device: device)
        absolute.start(StreamHandler(executor, CMAbsoluteAltitudeData.init, handler))
        pendingAbsoluteError.set(pendingError(executor) { handler(nil, $0) })
    }

    /// Stops absolute altitude updates.
    open func stopAbsoluteAltitudeUpdates() {
        pendingAbsoluteError.set(nil)
        absolute.stop()
    }

    /// If the device has no barometer, schedules a handler call with an error and returns the call. Otherwise, returns
    /// nil. The stream itself does not report a missing barometer.
    private func pendingError(_ executor: any CallbackExecutor, _ handler: @escaping (any Error) -> Void)
        -> PendingCall?
    {
        guard !device.has(.pressure) else { return nil }
        return PendingCall(device: device, executor: executor) {
            handler(
                CMErrorNotAvailable.error("There is no barometer: no sensor of this machine measures air pressure."))
        }
    }
}
