// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The implementation of a `CMPedometer`: its streams and pending errors.
final class PedometerClient: Sendable {
    let device: Device
    let delivery: any Delivery
    let updates: SensorStream<PedometerUpdates>
    let events: SensorStream<PedometerEvents>
    let refusedUpdates = RefusalSlot()
    let refusedEvents = RefusalSlot()

    init(device: Device, delivery: any Delivery) {
        self.device = device
        self.delivery = delivery
        updates = SensorStream(device: device, plan: PedometerUpdates.plan(device, start: .epoch), interval: 0)
        events = SensorStream(device: device, plan: PedometerEvents.plan(device), interval: 0)
    }

    /// Stops both streams. Called when the pedometer is released.
    func retire() {
        updates.stop()
        events.stop()
    }
}

/// The implementation of a `CMMotionActivityManager`: its stream and pending error.
final class ActivityClient: Sendable {
    let device: Device
    let updates: SensorStream<ActivityUpdates>
    let refusal = RefusalSlot()

    init(device: Device) {
        self.device = device
        updates = SensorStream(device: device, plan: ActivityUpdates.plan(device), interval: 0)
    }
}
