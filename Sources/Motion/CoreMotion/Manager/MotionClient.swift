// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// The implementation of a `CMMotionManager`: a stream for each kind of sensor and one for device motion.
final class MotionClient: Sendable {
    let device: Device
    let accelerometer: SensorStream<EachReading>
    let gyroscope: SensorStream<EachReading>
    let magnetometer: SensorStream<EachReading>
    let deviceMotion: DeviceMotionStream
    let showsMovementDisplay = Mutex(false)

    init(device: Device) {
        self.device = device
        // The default intervals on Apple's platforms.
        accelerometer = SensorStream(device: device, kind: .accelerometer, interval: 0.01) { EachReading() }
        gyroscope = SensorStream(device: device, kind: .gyroscope, interval: 0.01) { EachReading() }
        magnetometer = SensorStream(device: device, kind: .magnetometer, interval: 0.04) { EachReading() }
        deviceMotion = DeviceMotionStream(device: device, interval: 0.01)
    }

    /// Returns a stream handler that calls the app's handler on the queue.
    func handler<Value, Data>(
        _ queue: OperationQueue, _ data: @escaping (Value) -> Data, _ handler: @escaping (Data?, (any Error)?) -> Void
    ) -> StreamHandler<Value> {
        StreamHandler(AppDelivery.on(queue, device: device), data, handler)
    }

    /// Stops all streams. Called when the manager is released.
    func retire() {
        accelerometer.stop()
        gyroscope.stop()
        magnetometer.stop()
        deviceMotion.stop()
    }
}
