// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
public import Foundation
import LiveDevice

/// Gives a program all readings of a fast accelerometer, about a second of them at a time.
///
/// ```swift
/// let manager = CMBatchedSensorManager()
/// for try await readings in manager.accelerometerUpdates() {
///     print(readings.count, "readings up to", readings.last?.timestamp as Any)
/// }
/// ```
///
/// The sensor runs at its greatest rate, of which up to 800 readings a second are given. Where the driver can, readings
/// wait in the kernel until there is a second of them, which saves most of the wake-ups. A batch is complete when the
/// first reading of the next one is there.
///
/// Handlers run on a serial queue of the manager's own, one call at a time, and not after `stop…` has returned on it; at
/// most 16 batches wait for a handler, then the oldest are dropped. Batches of device motion are not available yet.
open class CMBatchedSensorManager: NSObject {
    private let device: Device
    private let delivery: any Delivery
    private let accelerometer: SensorStream<SecondOfReadings>
    private let deviceMotion: DeviceMotionService

    /// Creates a manager for the device in force.
    public override init() {
        let device = LiveDevice.resolved
        self.device = device
        delivery = AppDelivery.on(DispatchQueue(label: "device-services.batches"), device: device)
        accelerometer = SensorStream(
            device: device, kind: .accelerometer, interval: Device.accelerometerBatchInterval,
            latency: SecondOfReadings.length, limit: BatchConsumer.limit
        ) { SecondOfReadings() }
        deviceMotion = DeviceMotionService(device: device)
        super.init()
    }

    deinit {
        accelerometer.stop()
        deviceMotion.stop()
    }

    /// Authorized when the device in force has an accelerometer that can be read; else not determined.
    open class var authorizationStatus: CMAuthorizationStatus {
        LiveDevice.resolved.has(.accelerometer) ? .authorized : .notDetermined
    }

    /// True when the device in force has an accelerometer.
    open class var isAccelerometerSupported: Bool { LiveDevice.resolved.has(.accelerometer) }

    /// False: device motion is not available yet.
    open class var isDeviceMotionSupported: Bool { false }

    // MARK: Accelerometer

    /// True while batches come or are due for a handler or `accelerometerBatch`.
    open var isAccelerometerActive: Bool { accelerometer.isActive }

    /// Readings a second; 0 when the sensor does not say and none have been measured.
    open var accelerometerDataFrequency: Int { device.accelerometerBatchFrequency }

    /// The latest batch; nil before the first and after stopping.
    open var accelerometerBatch: [CMAccelerometerData]? { accelerometer.latest?.map(CMAccelerometerData.init) }

    /// Starts the accelerometer for programs that ask for `accelerometerBatch`.
    open func startAccelerometerUpdates() {
        accelerometer.start(nil)
    }

    /// Starts the accelerometer and hands each batch to the handler, off the main thread: so the closure is Sendable.
    open func startAccelerometerUpdates(handler: @escaping @Sendable ([CMAccelerometerData]?, (any Error)?) -> Void) {
        accelerometer.start(
            StreamHandler(
                delivery: delivery,
                take: { handler($0.map(CMAccelerometerData.init), nil) },
                fail: { handler(nil, $0) }))
    }

    /// Stops the accelerometer for this manager's handler and `accelerometerBatch`; loops go on.
    open func stopAccelerometerUpdates() {
        accelerometer.stop()
    }

    /// Batches as an asynchronous sequence. Each loop over it runs the accelerometer for as long as it lasts.
    open func accelerometerUpdates() -> AccelerometerUpdates {
        AccelerometerUpdates(device: device)
    }

    // MARK: Device motion

    /// False: device motion is not available yet.
    open var isDeviceMotionActive: Bool { false }

    /// 0: device motion is not available yet.
    open var deviceMotionDataFrequency: Int { 0 }

    /// Nil: device motion is not available yet.
    open var deviceMotionBatch: [CMDeviceMotion]? { nil }

    /// Does nothing: device motion is not available yet.
    open func startDeviceMotionUpdates() {
        deviceMotion.stop()
    }

    /// Tells the handler once that device motion is not available yet (`CMErrorNotAvailable`).
    open func startDeviceMotionUpdates(handler: @escaping @Sendable ([CMDeviceMotion]?, (any Error)?) -> Void) {
        deviceMotion.refuse(on: delivery) { handler(nil, $0) }
    }

    /// Takes a start back.
    open func stopDeviceMotionUpdates() {
        deviceMotion.stop()
    }

    /// A sequence that throws `CMErrorNotAvailable`: device motion is not available yet.
    open func deviceMotionUpdates() -> DeviceMotionUpdates {
        DeviceMotionUpdates()
    }
}
