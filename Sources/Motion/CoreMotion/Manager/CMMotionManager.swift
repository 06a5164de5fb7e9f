// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation
import LiveDevice
import Synchronization

/// A manager that delivers readings from the accelerometer, the gyroscope and the magnetometer, and the device motion
/// computed from them.
///
/// Read the latest value whenever you need it, or pass a handler that is called with each value:
///
/// ```swift
/// let manager = CMMotionManager()
/// manager.accelerometerUpdateInterval = 1.0 / 50
/// manager.startAccelerometerUpdates(to: .main) { data, error in
///     if let data { print(data.acceleration) }
/// }
/// ```
///
/// **Axes.** When the device is held upright, x points to the right, y to the top edge and z out of the screen.
/// Readings are corrected for the sensor's mounting orientation, which the kernel or the configuration specifies.
///
/// **Intervals** are in seconds. The sensor runs at the lowest supported rate that is sufficient. If none is
/// sufficient, it runs at its maximum rate. Zero, negative values and NaN request the maximum rate. During updates, a
/// new interval takes effect immediately.
///
/// **Handlers** are called in order on the operation queue that was passed when updates were started, one call at a
/// time even on a concurrent queue. Up to 1,024 readings per sensor are queued for a handler. If there are more, the
/// oldest are dropped. Starting updates again replaces the handler. If you call `stop…` on the handler's thread, the
/// handler is not called again. If you call it on another thread, a handler that is already running completes. Unlike
/// on Apple's platforms, cancelling the queue's operations does not drop readings.
///
/// **Errors.** If a sensor is lost, its handler is called once with `CMErrorNotAvailable`, or with
/// `CMErrorNotAuthorized` if the process may not read the sensor's device node. The underlying error describes the
/// cause. Updates resume automatically when the sensor is available again. No error is reported if you start updates
/// for a missing sensor, so check `is…Available` first. The first check may take a few seconds if a server provides the
/// sensors.
///
/// **Device motion** comprises the attitude of the device, gravity, the user acceleration, the rotation rate minus the
/// gyroscope's bias, and the magnetic field minus the device's own field. It requires an accelerometer and a gyroscope.
/// One value is delivered for each gyroscope sample. A longer interval reduces the number of values, but not their
/// accuracy.
///
/// The default reference frame is `xArbitraryZVertical`. If the device lacks a sensor that a specified frame needs,
/// updates do not start, and the handler is called with `CMErrorNotAvailable`. If you do not specify exactly one of the
/// four reference frames, the handler is called with `CMErrorInvalidParameter`. In frames that need a magnetometer,
/// updates begin when north is known. If only the magnetometer is lost, device motion continues. In the two north
/// frames, the handler also receives these errors:
///
/// - `CMErrorDeviceRequiresMovement`, at most once after each start. It is reported if the magnetometer is still
///   uncalibrated after 20 s, if north is still unknown after 1 s, or if the magnetometer is uncalibrated and its
///   readings are not plausible for the Earth's field (0.15 to 0.8 gauss). Device motion is still delivered if north is
///   known.
/// - `CMErrorTrueNorthNotAvailable`, each time true north becomes unknown because there is no position fix. Another
///   part of the app must request fixes. While the position is unknown, attitudes are relative to magnetic north, and
///   `heading` is -1.
///
/// The manager uses the device set with `SimulatedDevice.use`, or the live device by default. Keep a reference to the
/// manager, because releasing it stops its updates. All methods are thread-safe. Several managers can share the
/// sensors, each with its own intervals.
open class CMMotionManager: NSObject {
    private let device: Device
    private let accelerometer: SensorStream<SingleReadings>
    private let gyroscope: SensorStream<SingleReadings>
    private let magnetometer: SensorStream<SingleReadings>
    private let fusedMotion: DeviceMotionStream
    private let showsMovementDisplay = Mutex(false)

    /// Creates a manager for the current device.
    public override init() {
        device = LiveDevice.resolved
        // These are the default intervals on Apple's platforms.
        accelerometer = SensorStream(device: device, kind: .accelerometer, interval: 0.01) { SingleReadings() }
        gyroscope = SensorStream(device: device, kind: .gyroscope, interval: 0.01) { SingleReadings() }
        magnetometer = SensorStream(device: device, kind: .magnetometer, interval: 0.04) { SingleReadings() }
        fusedMotion = DeviceMotionStream(device: device, interval: 0.01)
    }

    deinit {
        accelerometer.stop()
        gyroscope.stop()
        magnetometer.stop()
        fusedMotion.stop()
    }

    private func streamHandler<Value, Data>(
        _ queue: OperationQueue, _ data: @escaping (Value) -> Data, _ handler: @escaping (Data?, (any Error)?) -> Void
    ) -> StreamHandler<Value> {
        StreamHandler(ExecutorSelection.executor(for: queue, device: device), data, handler)
    }

    // MARK: Accelerometer

    /// The interval between accelerometer readings, in seconds. The default is 0.01.
    open var accelerometerUpdateInterval: TimeInterval {
        get { accelerometer.interval }
        set { accelerometer.interval = newValue }
    }

    /// True if the device has an accelerometer.
    open var isAccelerometerAvailable: Bool { accelerometer.isAvailable }
    /// True if accelerometer updates have been started and the accelerometer is available.
    open var isAccelerometerActive: Bool { accelerometer.isActive }
    /// The latest accelerometer reading, or nil before the first reading and while updates are stopped.
    open var accelerometerData: CMAccelerometerData? { accelerometer.latest.map(CMAccelerometerData.init) }

    /// Starts accelerometer updates without a handler. `accelerometerData` returns the latest reading.
    open func startAccelerometerUpdates() { accelerometer.start(nil) }

    /// Starts accelerometer updates. The handler is called on the queue with each reading.
    open func startAccelerometerUpdates(
        to queue: OperationQueue, withHandler handler: @escaping CMAccelerometerHandler
    ) {
        accelerometer.start(streamHandler(queue, CMAccelerometerData.init, handler))
    }

    /// Stops this manager's accelerometer updates.
    open func stopAccelerometerUpdates() { accelerometer.stop() }

    /// The number of readings that were dropped because the handler was too slow.
    package var droppedAccelerometerDataCount: Int { accelerometer.droppedCount }

    // MARK: Gyroscope

    /// The interval between gyroscope readings, in seconds. The default is 0.01.
    open var gyroUpdateInterval: TimeInterval {
        get { gyroscope.interval }
        set { gyroscope.interval = newValue }
    }

    /// True if the device has a gyroscope.
    open var isGyroAvailable: Bool { gyroscope.isAvailable }
    /// True if gyroscope updates have been started and the gyroscope is available.
    open var isGyroActive: Bool { gyroscope.isActive }
    /// The latest gyroscope reading, or nil before the first reading and while updates are stopped.
    open var gyroData: CMGyroData? { gyroscope.latest.map(CMGyroData.init) }

    /// Starts gyroscope updates without a handler. `gyroData` returns the latest reading.
    open func startGyroUpdates() { gyroscope.start(nil) }

    /// Starts gyroscope updates. The handler is called on the queue with each reading.
    open func startGyroUpdates(to queue: OperationQueue, withHandler handler: @escaping CMGyroHandler) {
        gyroscope.start(streamHandler(queue, CMGyroData.init, handler))
    }

    /// Stops this manager's gyroscope updates.
    open func stopGyroUpdates() { gyroscope.stop() }

    /// The number of readings that were dropped because the handler was too slow.
    package var droppedGyroDataCount: Int { gyroscope.droppedCount }

    // MARK: Magnetometer

    /// The interval between magnetometer readings, in seconds. The default is 0.04.
    open var magnetometerUpdateInterval: TimeInterval {
        get { magnetometer.interval }
        set { magnetometer.interval = newValue }
    }

    /// True if the device has a magnetometer.
    open var isMagnetometerAvailable: Bool { magnetometer.isAvailable }
    /// True if magnetometer updates have been started and the magnetometer is available.
    open var isMagnetometerActive: Bool { magnetometer.isActive }
    /// The latest magnetometer reading, or nil before the first reading and while updates are stopped.
    open var magnetometerData: CMMagnetometerData? { magnetometer.latest.map(CMMagnetometerData.init) }

    /// Starts magnetometer updates without a handler. `magnetometerData` returns the latest reading.
    open func startMagnetometerUpdates() { magnetometer.start(nil) }

    /// Starts magnetometer updates. The handler is called on the queue with each reading.
    open func startMagnetometerUpdates(to queue: OperationQueue, withHandler handler: @escaping CMMagnetometerHandler) {
        magnetometer.start(streamHandler(queue, CMMagnetometerData.init, handler))
    }

    /// Stops this manager's magnetometer updates.
    open func stopMagnetometerUpdates() { magnetometer.stop() }

    /// The number of readings that were dropped because the handler was too slow.
    package var droppedMagnetometerDataCount: Int { magnetometer.droppedCount }

    // MARK: Device motion

    /// The interval between device motion values, in seconds. The default is 0.01.
    open var deviceMotionUpdateInterval: TimeInterval {
        get { fusedMotion.stream.interval }
        set { fusedMotion.stream.interval = newValue }
    }

    /// Returns the reference frames that the current device's sensors support. All frames except `xArbitraryZVertical`
    /// need a magnetometer. `xTrueNorthZVertical` is included even while the position is unknown.
    open class func availableAttitudeReferenceFrames() -> CMAttitudeReferenceFrame {
        DeviceMotionStream.frames(of: LiveDevice.resolved)
    }

    /// The reference frame of the updates, or `xArbitraryZVertical` while updates are stopped.
    open var attitudeReferenceFrame: CMAttitudeReferenceFrame { fusedMotion.frame }
    /// True if the device has an accelerometer and a gyroscope.
    open var isDeviceMotionAvailable: Bool { fusedMotion.stream.isAvailable }
    /// True if device motion updates have been started and the sensors are available.
    open var isDeviceMotionActive: Bool { fusedMotion.stream.isActive }
    /// The latest device motion, or nil before the first value and while updates are stopped. Each access returns a new
    /// object, so calling `multiply(byInverseOf:)` on its attitude does not affect other objects.
    open var deviceMotion: CMDeviceMotion? { fusedMotion.stream.latest.map { CMDeviceMotion($0) } }

    /// Starts device motion updates in the frame `xArbitraryZVertical` without a handler.
    open func startDeviceMotionUpdates() { fusedMotion.start(nil) }

    /// Starts device motion updates in the given frame without a handler. If the frame is not available, updates do not
    /// start, and running updates stop.
    open func startDeviceMotionUpdates(using referenceFrame: CMAttitudeReferenceFrame) {
        fusedMotion.start(nil, frame: referenceFrame)
    }

    /// Starts device motion updates in the frame `xArbitraryZVertical`. The handler is called on the queue with each
    /// value.
    open func startDeviceMotionUpdates(to queue: OperationQueue, withHandler handler: @escaping CMDeviceMotionHandler) {
        fusedMotion.start(streamHandler(queue, { CMDeviceMotion($0) }, handler))
    }

    /// Starts device motion updates in the given frame. The handler is called on the queue with each value, or with an
    /// error if the frame is not available.
    open func startDeviceMotionUpdates(
        using referenceFrame: CMAttitudeReferenceFrame, to queue: OperationQueue,
        withHandler handler: @escaping CMDeviceMotionHandler
    ) {
        fusedMotion.start(streamHandler(queue, { CMDeviceMotion($0) }, handler), frame: referenceFrame)
    }

    /// Stops this manager's device motion updates.
    open func stopDeviceMotionUpdates() { fusedMotion.stop() }

    /// The number of values that were dropped because the handler was too slow.
    package var droppedDeviceMotionCount: Int { fusedMotion.stream.droppedCount }

    /// Controls whether the system asks the user to move the device. The property has no effect on Linux.
    open var showsDeviceMovementDisplay: Bool {
        get { showsMovementDisplay.withLock { $0 } }
        set { showsMovementDisplay.withLock { $0 = newValue } }
    }
}
