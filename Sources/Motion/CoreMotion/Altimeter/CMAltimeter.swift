// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation
import LiveDevice

/// Tells heights from air pressure.
///
/// ```swift
/// let altimeter = CMAltimeter()
/// altimeter.startRelativeAltitudeUpdates(to: .main) { data, error in
///     if let data { print("\(data.relativeAltitude) m") }
/// }
/// ```
///
/// There is about one event a second: the mean of the barometer's readings since the last event, with the time of the
/// newest. Handlers run on the queue that they were started with, one call at a time, as with ``CMMotionManager``. A
/// handler is told `CMErrorNotAvailable` when started without a barometer, and once when the barometer is lost; events
/// go on by themselves when it is back.
///
/// Heights come from the international barometric formula for air of 15 °C where updates began. In colder or warmer air
/// they are too large or too small by 3.5 per cent for each 10 K, and changes of the weather look like changes of height:
/// a few metres an hour.
open class CMAltimeter: NSObject {
    private let device: Device
    private let relative: SensorStream<RelativeAltitude>
    private let absolute: SensorStream<AbsoluteAltitude>
    private let relativeRefusal = RefusalSlot()
    private let absoluteRefusal = RefusalSlot()

    /// Creates an altimeter for the device in force.
    public override init() {
        let device = LiveDevice.resolved
        self.device = device
        relative = SensorStream(device: device, kind: .pressure, interval: MeanPressure.readingInterval) {
            RelativeAltitude()
        }
        absolute = SensorStream(device: device, kind: .pressure, interval: MeanPressure.readingInterval) {
            AbsoluteAltitude { [source = device.positionSource] in source.lastFix }
        }
    }

    deinit {
        relative.stop()
        absolute.stop()
    }

    /// True when the device in force has a barometer.
    open class func isRelativeAltitudeAvailable() -> Bool { LiveDevice.resolved.has(.pressure) }

    /// True when the device in force has a barometer. Events also need fixes with an altitude, which some other part of
    /// the program has to ask for, as with `CLLocationManager`.
    open class func isAbsoluteAltitudeAvailable() -> Bool { LiveDevice.resolved.has(.pressure) }

    /// Authorized when the device in force has a barometer that can be read; else not determined.
    open class func authorizationStatus() -> CMAuthorizationStatus { LiveDevice.resolved.authorization(.pressure) }

    // MARK: Relative altitude

    /// Starts to tell the height above the place of the first event, which is exactly 0. A second start begins anew.
    open func startRelativeAltitudeUpdates(to queue: OperationQueue, withHandler handler: @escaping CMAltitudeHandler) {
        let delivery = AppDelivery.on(queue, device: device)
        relative.start(StreamHandler(delivery, CMAltitudeData.init, handler))
        relativeRefusal.set(refusal(delivery) { handler(nil, $0) })
    }

    /// Stops it.
    open func stopRelativeAltitudeUpdates() {
        relativeRefusal.set(nil)
        relative.stop()
    }

    // MARK: Absolute altitude

    /// Starts to tell the height above mean sea level.
    ///
    /// Pressure continues the altitude of a fix, so there is no event before the device has one. Its last fix is used;
    /// none is requested. `accuracy` starts with the receiver's estimate of its error in height. It grows by 10 metres
    /// an hour and 4 per cent of the height gained or lost, until a better fix comes.
    open func startAbsoluteAltitudeUpdates(
        to queue: OperationQueue, withHandler handler: @escaping CMAbsoluteAltitudeHandler
    ) {
        let delivery = AppDelivery.on(queue, device: device)
        absolute.start(StreamHandler(delivery, CMAbsoluteAltitudeData.init, handler))
        absoluteRefusal.set(refusal(delivery) { handler(nil, $0) })
    }

    /// Stops it.
    open func stopAbsoluteAltitudeUpdates() {
        absoluteRefusal.set(nil)
        absolute.stop()
    }

    /// Tells a handler that there is no barometer; nil when there is one. A stream alone would wait for it in silence.
    private func refusal(_ delivery: any Delivery, _ tell: @escaping (any Error) -> Void) -> PendingRefusal? {
        guard !device.has(.pressure) else { return nil }
        return PendingRefusal(device: device, delivery: delivery) {
            tell(CMErrorNotAvailable.error("There is no barometer: no sensor of this machine measures air pressure."))
        }
    }
}
