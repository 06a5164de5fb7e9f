// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// The implementation of a `CMMotionManager`: a stream for each kind of sensor and one for device motion.
final class MotionClient: Sendable {
    let device: Device
    let accelerometer: SensorStream<SingleReadings>
    let gyroscope: SensorStream<SingleReadings>
    let magnetometer: SensorStream<SingleReadings>
    let deviceMotion: DeviceMotionStream
    let showsMovementDisplay = Mutex(false)

    init(device: Device) {
        self.device = device
        // The default intervals on Apple's platforms.
        accelerometer = SensorStream(device: device, kind: .accelerometer, interval: 0.01) { SingleReadings() }
        gyroscope = SensorStream(device: device, kind: .gyroscope, interval: 0.01) { SingleReadings() }
        magnetometer = SensorStream(device: device, kind: .magnetometer, interval: 0.04) { SingleReadings() }
        deviceMotion = DeviceMotionStream(device: device, interval: 0.01)
    }

    /// Returns a stream handler that calls the app's handler on the queue.
    func handler<Value, Data>(
        _ queue: OperationQueue, _ data: @escaping (Value) -> Data, _ handler: @escaping (Data?, (any Error)?) -> Void
    ) -> StreamHandler<Value> {
        StreamHandler(ExecutorSelection.executor(for: queue, device: device), data, handler)
    }

    /// Stops all streams. Called when the manager is released.
    func stop() {
        accelerometer.stop()
        gyroscope.stop()
        magnetometer.stop()
        deviceMotion.stop()
    }
}
