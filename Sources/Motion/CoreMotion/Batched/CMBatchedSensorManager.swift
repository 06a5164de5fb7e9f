// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
public import Foundation
import LiveDevice
import MotionEngine

/// A manager that delivers accelerometer readings and device motion at high rates, in batches of about one second.
///
/// ```swift
/// let manager = CMBatchedSensorManager()
/// for try await readings in manager.accelerometerUpdates() {
///     print(readings.count, "readings up to", readings.last?.timestamp as Any)
/// }
/// ```
///
/// The manager delivers up to 800 accelerometer readings per second, and device motion at up to 200 Hz in the frame
/// `xArbitraryZVertical`. If the driver supports it, the kernel buffers readings for one second, which avoids most
/// wakeups. A batch is complete when the first reading of the next batch arrives.
///
/// Handlers are called on a private serial queue. If you call `stop…` on that queue, the handler is not called again.
/// Up to 16 batches are queued for a handler. If there are more, the oldest are dropped. If a sensor is lost, each
/// handler that needs it is called once with `CMErrorNotAvailable` or `CMErrorNotAuthorized`. When the sensor is
/// available again, handler calls resume. Loops over the asynchronous sequences do not resume, because the error ends
/// them.
open class CMBatchedSensorManager: NSObject {
    private let device: Device
    private let executor: any CallbackExecutor
    private let accelerometer: SensorStream<AccelerometerBatches>
    private let deviceMotion: SensorStream<DeviceMotionBatches>

    /// Creates a manager for the current device.
    public override init() {
        let device = LiveDevice.resolved
        self.device = device
        executor = ExecutorSelection.executor(for: DispatchQueue(label: "device-services.batches"), device: device)
        accelerometer = SensorStream(
            device: device, configuration: AccelerometerBatches.configuration(for: device),
            interval: Batches.accelerometerInterval, limit: Batches.maximumQueuedBatches)
        deviceMotion = SensorStream(
            device: device, configuration: DeviceMotionBatches.configuration(for: device),
            interval: Batches.deviceMotionInterval, limit: Batches.maximumQueuedBatches)
    }

    deinit {
        accelerometer.stop()
        deviceMotion.stop()
    }

    /// `authorized` if the current device has a readable accelerometer, otherwise `notDetermined`.
    open class var authorizationStatus: CMAuthorizationStatus { LiveDevice.resolved.authorization(.accelerometer) }
    /// True if the current device has an accelerometer.
    open class var isAccelerometerSupported: Bool { LiveDevice.resolved.has(.accelerometer) }
    /// True if the current device has an accelerometer and a gyroscope.
    open class var isDeviceMotionSupported: Bool { MotionEngine.of(LiveDevice.resolved).isAvailable(.attitude) }
    /// True if accelerometer updates have been started and the accelerometer is available.
    open var isAccelerometerActive: Bool { accelerometer.isActive }

    /// The number of readings per second, or 0 if the rate is unknown.
    open var accelerometerDataFrequency: Int {
        device.batchFrequency(of: .accelerometer, limit: Batches.maximumAccelerometerRate)
    }

    /// The latest batch, or nil before the first batch and while updates are stopped.
    open var accelerometerBatch: [CMAccelerometerData]? { accelerometer.latest?.map(CMAccelerometerData.init) }

    /// Starts accelerometer updates without a handler. Read `accelerometerBatch` to obtain the latest batch.
    open func startAccelerometerUpdates() { accelerometer.start(nil) }

    /// Starts accelerometer updates. The handler is called with each batch. It must be Sendable, because it is called
    /// on a private queue.
    open func startAccelerometerUpdates(handler: @escaping @Sendable ([CMAccelerometerData]?, (any Error)?) -> Void) {
        accelerometer.start(StreamHandler(executor, { $0.map(CMAccelerometerData.init) }, handler))
    }

    /// Stops accelerometer updates. Loops over `accelerometerUpdates()` continue.
    open func stopAccelerometerUpdates() { accelerometer.stop() }

    /// Returns the batches as an asynchronous sequence. Each loop over the sequence keeps the accelerometer running
    /// until the loop ends.
    open func accelerometerUpdates() -> AccelerometerUpdates { AccelerometerUpdates(device: device) }

    /// True if device motion updates have been started and the sensors are available.
    open var isDeviceMotionActive: Bool { deviceMotion.isActive }

    /// The number of device motion values per second, or 0 if the rate is unknown.
    open var deviceMotionDataFrequency: Int {
        device.batchFrequency(of: .gyroscope, limit: Batches.maximumDeviceMotionRate)
    }

    /// The latest batch, or nil before the first batch and while updates are stopped.
    open var deviceMotionBatch: [CMDeviceMotion]? { deviceMotion.latest?.map { CMDeviceMotion($0) } }

    /// Starts device motion updates without a handler. Read `deviceMotionBatch` to obtain the latest batch.
    open func startDeviceMotionUpdates() { deviceMotion.start(nil) }

    /// Starts device motion updates. The handler is called with each batch. It must be Sendable, because it is called
    /// on a private queue.
    open func startDeviceMotionUpdates(handler: @escaping @Sendable ([CMDeviceMotion]?, (any Error)?) -> Void) {
        deviceMotion.start(StreamHandler(executor, { $0.map { CMDeviceMotion($0) } }, handler))
    }

    /// Stops device motion updates. Loops over `deviceMotionUpdates()` continue.
    open func stopDeviceMotionUpdates() { deviceMotion.stop() }

    /// Returns the batches as an asynchronous sequence. Each loop over the sequence keeps the sensors running until the
    /// loop ends.
    open func deviceMotionUpdates() -> DeviceMotionUpdates { DeviceMotionUpdates(device: device) }
}
