// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LiveDevice
import Synchronization

/// Delivers the readings of the accelerometer, the gyroscope and the magnetometer, and device motion, computed from
/// them.
///
/// Either ask for the latest reading whenever you need one, or have each reading handed to a handler:
///
/// ```swift
/// let manager = CMMotionManager()
/// manager.accelerometerUpdateInterval = 1.0 / 50
/// manager.startAccelerometerUpdates(to: .main) { data, error in
///     if let data { print(data.acceleration) }
/// }
/// ```
///
/// **Axes.** With the device held upright x points to the right, y to the top edge and z out of the screen. How a sensor
/// is mounted is known from the kernel or the configuration and has been taken into account.
///
/// **Intervals** are in seconds. They read back as written; the sensor is asked for the nearest rate that it offers. 0,
/// negative numbers and NaN ask for its fastest rate. While updates run a new interval takes effect at once.
///
/// **Handlers** run on the operation queue that they were started with, one call at a time and in order, also on a queue
/// that runs several operations at once. At most 1,024 readings of each sensor wait for a handler; then the oldest are
/// dropped and counted (`droppedAccelerometerDataCount` and so on). A second start replaces the handler. No call comes
/// after `stop…` has returned on the handler's thread; when stopped from another thread, a call that is running goes on.
/// Cancelling the operations of the queue drops no readings, unlike on Apple's platforms.
///
/// **Failures.** When a sensor is lost its handler is told so once, with `CMErrorNotAvailable` (or
/// `CMErrorNotAuthorized` when its file may not be read) and the reason as the underlying error. Readings go on by
/// themselves when it is back. Starting without such a sensor is silent: ask `is…Available` first. Its first call looks
/// for the sensors, which may take a few seconds when a server has to be asked.
///
/// **Device motion** is the attitude of the device, gravity, the user's part of the acceleration, the rotation without
/// the gyroscope's bias, and the magnetic field without the device's own. It needs an accelerometer and a gyroscope.
/// There is one for each sample of the gyroscope, at that sample's time, or fewer if the interval says so. The filter
/// runs at its own rate, so a long interval costs no accuracy. The first one comes as soon as gravity has been
/// measured.
///
/// A start may name a reference frame; the default is `xArbitraryZVertical`. If the device lacks a sensor that the
/// named frame needs, nothing runs and the handler is told `CMErrorNotAvailable`, or `CMErrorInvalidParameter` when the
/// value is not exactly one of the four frames. Without a frame a start waits in silence, as the sensors do. In frames
/// that need a magnetometer device motion begins when north is known, usually with the first sample. When a sensor that
/// the frame needs is lost, the handler is told as above; without the magnetometer device motion goes on with the
/// gyroscope alone. In the two north frames it is also told
///
/// - `CMErrorDeviceRequiresMovement`, once for each start: when the readings of an uncalibrated magnetometer are not
///   plausible for the Earth's field (0.15 to 0.8 gauss), when it is still uncalibrated after 20 s, or when north is
///   still unknown after 1 s. Device motion is delivered nevertheless, with `magneticField.accuracy`.
/// - `CMErrorTrueNorthNotAvailable`, each time that true north lacks a position. Until there is one, attitudes are
///   relative to magnetic north and `heading` is -1. The device's last fix is used; some part of the program has to
///   request fixes, as with `CLLocationManager`.
///
/// The manager's device is that of `SimulatedDevice.use`, else the live one. Keep the manager: its updates end with it.
/// It is used from one thread, as on Apple's platforms; calling it from others is safe. Several managers share the
/// sensors, each with its own intervals.
open class CMMotionManager: NSObject {
    let client: MotionClient

    /// Creates a manager for the device in force.
    public override init() { client = MotionClient(device: LiveDevice.resolved) }

    deinit { client.retire() }

    // MARK: Accelerometer

    /// Seconds between two readings of the accelerometer. Default: 0.01.
    open var accelerometerUpdateInterval: TimeInterval {
        get { client.accelerometer.interval }
        set { client.accelerometer.interval = newValue }
    }

    /// True when there is an accelerometer.
    open var isAccelerometerAvailable: Bool { client.accelerometer.isAvailable }

    /// True while readings of the accelerometer come or are due: it has been started and is there.
    open var isAccelerometerActive: Bool { client.accelerometer.isActive }

    /// The latest reading of the accelerometer, with or without a handler; nil before the first and after stopping.
    open var accelerometerData: CMAccelerometerData? { client.accelerometer.latest.map(CMAccelerometerData.init) }

    /// Starts the accelerometer for programs that ask for `accelerometerData`.
    open func startAccelerometerUpdates() { client.accelerometer.start(nil) }

    /// Starts the accelerometer and hands each reading to the handler.
    open func startAccelerometerUpdates(
        to queue: OperationQueue, withHandler handler: @escaping CMAccelerometerHandler
    ) {
        client.accelerometer.start(client.handler(queue, CMAccelerometerData.init, handler))
    }

    /// Stops the accelerometer for this manager.
    open func stopAccelerometerUpdates() { client.accelerometer.stop() }

    // MARK: Gyroscope

    /// Seconds between two readings of the gyroscope. Default: 0.01.
    open var gyroUpdateInterval: TimeInterval {
        get { client.gyroscope.interval }
        set { client.gyroscope.interval = newValue }
    }

    /// True when there is a gyroscope.
    open var isGyroAvailable: Bool { client.gyroscope.isAvailable }

    /// True while readings of the gyroscope come or are due: it has been started and is there.
    open var isGyroActive: Bool { client.gyroscope.isActive }

    /// The latest reading of the gyroscope, with or without a handler; nil before the first and after stopping.
    open var gyroData: CMGyroData? { client.gyroscope.latest.map(CMGyroData.init) }

    /// Starts the gyroscope for programs that ask for `gyroData`.
    open func startGyroUpdates() { client.gyroscope.start(nil) }

    /// Starts the gyroscope and hands each reading to the handler.
    open func startGyroUpdates(to queue: OperationQueue, withHandler handler: @escaping CMGyroHandler) {
        client.gyroscope.start(client.handler(queue, CMGyroData.init, handler))
    }

    /// Stops the gyroscope for this manager.
    open func stopGyroUpdates() { client.gyroscope.stop() }

    // MARK: Magnetometer

    /// Seconds between two readings of the magnetometer. Default: 0.04.
    open var magnetometerUpdateInterval: TimeInterval {
        get { client.magnetometer.interval }
        set { client.magnetometer.interval = newValue }
    }

    /// True when there is a magnetometer.
    open var isMagnetometerAvailable: Bool { client.magnetometer.isAvailable }

    /// True while readings of the magnetometer come or are due: it has been started and is there.
    open var isMagnetometerActive: Bool { client.magnetometer.isActive }

    /// The latest reading of the magnetometer, with or without a handler; nil before the first and after stopping.
    open var magnetometerData: CMMagnetometerData? { client.magnetometer.latest.map(CMMagnetometerData.init) }

    /// Starts the magnetometer for programs that ask for `magnetometerData`.
    open func startMagnetometerUpdates() { client.magnetometer.start(nil) }

    /// Starts the magnetometer and hands each reading to the handler.
    open func startMagnetometerUpdates(to queue: OperationQueue, withHandler handler: @escaping CMMagnetometerHandler) {
        client.magnetometer.start(client.handler(queue, CMMagnetometerData.init, handler))
    }

    /// Stops the magnetometer for this manager.
    open func stopMagnetometerUpdates() { client.magnetometer.stop() }

    // MARK: Device motion

    /// Seconds between two device motions. Default: 0.01.
    open var deviceMotionUpdateInterval: TimeInterval {
        get { client.deviceMotion.stream.interval }
        set { client.deviceMotion.stream.interval = newValue }
    }

    /// The frames for which the device in force has the sensors now; empty when device motion is not available.
    ///
    /// All but `xArbitraryZVertical` need a magnetometer. `xTrueNorthZVertical` is listed even while there is no
    /// position, which may come at any time: the handler is told when it is missing.
    open class func availableAttitudeReferenceFrames() -> CMAttitudeReferenceFrame {
        DeviceMotionStream.frames(of: LiveDevice.resolved)
    }

    /// The frame that device motion is measured against, `xArbitraryZVertical` while it is not measured.
    open var attitudeReferenceFrame: CMAttitudeReferenceFrame { client.deviceMotion.frame }

    /// True when there are an accelerometer and a gyroscope.
    open var isDeviceMotionAvailable: Bool { client.deviceMotion.stream.isAvailable }

    /// True while device motions come or are due: they have been started, and their sensors are there.
    open var isDeviceMotionActive: Bool { client.deviceMotion.stream.isActive }

    /// The latest device motion, with or without a handler; nil before the first and after stopping.
    ///
    /// An object of its own each time, so that `multiply(byInverseOf:)` on its attitude changes no other.
    open var deviceMotion: CMDeviceMotion? { client.deviceMotion.stream.latest.map { CMDeviceMotion($0) } }

    /// Starts device motion in the frame `xArbitraryZVertical`, for programs that ask for `deviceMotion`.
    open func startDeviceMotionUpdates() { client.deviceMotion.start(nil) }

    /// Starts device motion in that frame, for programs that ask for `deviceMotion`. A frame that is not available stops it.
    open func startDeviceMotionUpdates(using referenceFrame: CMAttitudeReferenceFrame) {
        client.deviceMotion.start(nil, frame: referenceFrame)
    }

    /// Starts device motion in the frame `xArbitraryZVertical` and hands each one to the handler.
    open func startDeviceMotionUpdates(to queue: OperationQueue, withHandler handler: @escaping CMDeviceMotionHandler) {
        client.deviceMotion.start(client.handler(queue, { CMDeviceMotion($0) }, handler))
    }

    /// Starts device motion in that frame and hands each one to the handler, which is told when the frame is not
    /// available.
    open func startDeviceMotionUpdates(
        using referenceFrame: CMAttitudeReferenceFrame, to queue: OperationQueue,
        withHandler handler: @escaping CMDeviceMotionHandler
    ) {
        client.deviceMotion.start(client.handler(queue, { CMDeviceMotion($0) }, handler), frame: referenceFrame)
    }

    /// Stops device motion for this manager.
    open func stopDeviceMotionUpdates() { client.deviceMotion.stop() }

    /// Whether the system asks its user to move the device when its sensors need it. Default: false.
    ///
    /// Kept, without an effect on Linux: nobody shows anything.
    open var showsDeviceMovementDisplay: Bool {
        get { client.showsMovementDisplay.withLock { $0 } }
        set { client.showsMovementDisplay.withLock { $0 = newValue } }
    }
}
