// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
public import Foundation
import LiveDevice

/// Would count the steps of the person who carries the device.
///
/// Nothing on Linux counts steps yet, so all of it is not available: the class functions say so, handlers are called
/// once with an error, and queries answer with one. They run on a serial queue of the pedometer's own.
open class CMPedometer: NSObject {
    private let device: Device
    private let delivery: any Delivery
    private let updates = RefusalSlot()
    private let events = RefusalSlot()

    /// Creates a pedometer for the device in force.
    public override init() {
        let device = LiveDevice.resolved
        self.device = device
        delivery = AppDelivery.on(DispatchQueue(label: "device-services.pedometer"), device: device)
    }

    /// False: nothing on Linux counts steps yet.
    open class func isStepCountingAvailable() -> Bool { false }
    /// False: nothing on Linux estimates the length of steps.
    open class func isDistanceAvailable() -> Bool { false }
    /// False: nothing on Linux counts floors.
    open class func isFloorCountingAvailable() -> Bool { false }
    /// False: nothing on Linux tells the pace.
    open class func isPaceAvailable() -> Bool { false }
    /// False: nothing on Linux tells the cadence.
    open class func isCadenceAvailable() -> Bool { false }
    /// False: nothing on Linux tells when somebody stops and goes on.
    open class func isPedometerEventTrackingAvailable() -> Bool { false }

    /// Not determined: there is nothing to allow.
    open class func authorizationStatus() -> CMAuthorizationStatus { .notDetermined }

    /// Calls the handler once, with `CMErrorMotionActivityNotAvailable`.
    open func startUpdates(from start: Date, withHandler handler: @escaping CMPedometerHandler) {
        updates.set(PendingRefusal(device: device, delivery: delivery) { handler(nil, MotionActivity.notAvailable) })
    }

    /// Takes a start back.
    open func stopUpdates() { updates.set(nil) }

    /// Calls the handler once, with `CMErrorNotAvailable`.
    open func startEventUpdates(handler: @escaping CMPedometerEventHandler) {
        events.set(
            PendingRefusal(device: device, delivery: delivery) {
                handler(nil, CMErrorNotAvailable.error("Events of a pedometer are not available."))
            })
    }

    /// Takes a start back.
    open func stopEventUpdates() { events.set(nil) }

    /// Answers with `CMErrorMotionActivityNotAvailable`.
    open func queryPedometerData(from start: Date, to end: Date, withHandler handler: @escaping CMPedometerHandler) {
        _ = PendingRefusal(device: device, delivery: delivery) { handler(nil, MotionActivity.notAvailable) }
    }

    /// Throws `CMErrorMotionActivityNotAvailable`.
    open func queryPedometerData(from start: Date, to end: Date) async throws -> CMPedometerData {
        throw MotionActivity.notAvailable
    }
}
