// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The implementation of a `CMPedometer`: its streams and pending errors.
final class PedometerClient: Sendable {
    let device: Device
    let executor: any CallbackExecutor
    let updates: SensorStream<PedometerDataConverter>
    let events: SensorStream<PedometerEventConverter>
    let pendingUpdatesError = PendingCallSlot()
    let pendingEventsError = PendingCallSlot()

    init(device: Device, delivery: any CallbackExecutor) {
        self.device = device
        self.executor = delivery
        updates = SensorStream(
            device: device, plan: PedometerDataConverter.configuration(for: device, start: .epoch), interval: 0)
        events = SensorStream(device: device, plan: PedometerEventConverter.plan(device), interval: 0)
    }

    /// Stops both streams. Called when the pedometer is released.
    func stop() {
        updates.stop()
        events.stop()
    }
}

/// The implementation of a `CMMotionActivityManager`: its stream and pending error.
final class ActivityClient: Sendable {
    let device: Device
    let updates: SensorStream<ActivityConverter>
    let pendingError = PendingCallSlot()

    init(device: Device) {
        self.device = device
        updates = SensorStream(device: device, plan: ActivityConverter.plan(device), interval: 0)
    }
}
