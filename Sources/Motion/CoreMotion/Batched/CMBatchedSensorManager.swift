// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
public import Foundation
import LiveDevice
import MotionEngine

/// Delivers all readings of a fast accelerometer, and device motion, in batches of about a second.
///
/// ```swift
/// let manager = CMBatchedSensorManager()
/// for try await readings in manager.accelerometerUpdates() {
///     print(readings.count, "readings up to", readings.last?.timestamp as Any)
/// }
/// ```
///
/// The sensor runs at its greatest rate; up to 800 readings a second are given. If the driver can, readings wait in the
/// kernel for a second, which saves most of the wake-ups. A batch is complete when the first reading of the next one is
/// there.
///
/// Device motion, up to 200 a second, is as `CMMotionManager` gives it in the frame `xArbitraryZVertical`.
///
/// Handlers run on a private serial queue, one call at a time, and not after `stop…` has returned on that queue. At
/// most 16 batches wait for a handler; then the oldest are dropped. When a sensor is lost, handlers are told
/// `CMErrorNotAvailable` once, and batches go on by themselves when it is back; loops end with that error.
open class CMBatchedSensorManager: NSObject {
    private let device: Device
    private let delivery: any Delivery
    private let accelerometer: SensorStream<SecondOfReadings>
    private let deviceMotion: SensorStream<SecondOfMotions>

    /// Creates a manager for the device in force.
    public override init() {
        let device = LiveDevice.resolved
        self.device = device
        delivery = AppDelivery.on(DispatchQueue(label: "device-services.batches"), device: device)
        accelerometer = SensorStream(
            device: device, plan: SecondOfReadings.plan(device), interval: Batches.accelerometerInterval,
            limit: Batches.limit)
        deviceMotion = SensorStream(
            device: device, plan: SecondOfMotions.plan(device), interval: Batches.deviceMotionInterval,
            limit: Batches.limit)
    }

    deinit {
        accelerometer.stop()
        deviceMotion.stop()
    }

    /// Authorized when the device in force has an accelerometer that can be read; else not determined.
    open class var authorizationStatus: CMAuthorizationStatus { LiveDevice.resolved.authorization(.accelerometer) }

    /// True when the device in force has an accelerometer.
    open class var isAccelerometerSupported: Bool { LiveDevice.resolved.has(.accelerometer) }

    /// True when the device in force has an accelerometer and a gyroscope.
    open class var isDeviceMotionSupported: Bool { MotionEngine.of(LiveDevice.resolved).isAvailable(.attitude) }

    // MARK: Accelerometer

    /// True while batches come or are due for a handler or `accelerometerBatch`.
    open var isAccelerometerActive: Bool { accelerometer.isActive }

    /// Readings a second; 0 when the sensor does not say and none have been measured.
    open var accelerometerDataFrequency: Int {
        device.batchFrequency(of: .accelerometer, limit: Batches.accelerometerRate)
    }

    /// The latest batch; nil before the first and after stopping.
    open var accelerometerBatch: [CMAccelerometerData]? { accelerometer.latest?.map(CMAccelerometerData.init) }

    /// Starts the accelerometer for programs that ask for `accelerometerBatch`.
    open func startAccelerometerUpdates() { accelerometer.start(nil) }

    /// Starts the accelerometer and hands each batch to the handler, off the main thread: so the closure is Sendable.
    open func startAccelerometerUpdates(handler: @escaping @Sendable ([CMAccelerometerData]?, (any Error)?) -> Void) {
        accelerometer.start(StreamHandler(delivery, { $0.map(CMAccelerometerData.init) }, handler))
    }

    /// Stops the accelerometer for this manager's handler and `accelerometerBatch`; loops go on.
    open func stopAccelerometerUpdates() { accelerometer.stop() }

    /// Batches as an asynchronous sequence. Each loop over it runs the accelerometer for as long as it lasts.
    open func accelerometerUpdates() -> AccelerometerUpdates { AccelerometerUpdates(device: device) }

    // MARK: Device motion

    /// True while batches come or are due for a handler or `deviceMotionBatch`.
    open var isDeviceMotionActive: Bool { deviceMotion.isActive }

    /// Device motions a second; 0 when the gyroscope does not say its rate and none has been measured.
    open var deviceMotionDataFrequency: Int { device.batchFrequency(of: .gyroscope, limit: Batches.deviceMotionRate) }

    /// The latest batch; nil before the first and after stopping.
    open var deviceMotionBatch: [CMDeviceMotion]? { deviceMotion.latest?.map { CMDeviceMotion($0) } }

    /// Starts device motion for programs that ask for `deviceMotionBatch`.
    open func startDeviceMotionUpdates() { deviceMotion.start(nil) }

    /// Starts device motion and hands each batch to the handler, off the main thread: so the closure is Sendable.
    open func startDeviceMotionUpdates(handler: @escaping @Sendable ([CMDeviceMotion]?, (any Error)?) -> Void) {
        deviceMotion.start(StreamHandler(delivery, { $0.map { CMDeviceMotion($0) } }, handler))
    }

    /// Stops device motion for this manager's handler and `deviceMotionBatch`; loops go on.
    open func stopDeviceMotionUpdates() { deviceMotion.stop() }

    /// Batches as an asynchronous sequence. Each loop over it runs the sensors for as long as it lasts.
    open func deviceMotionUpdates() -> DeviceMotionUpdates { DeviceMotionUpdates(device: device) }
}
