// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import DeviceSupport
import Foundation

/// Prints readings from an accelerometer, gyroscope, magnetometer or altimeter. Must be used on the main thread.
final class MotionListener: StreamListener {
    let outlet: ReadingOutlet
    private let stream: StreamName
    private let interval: Double
    private let manager = CMMotionManager()
    private let altimeter: CMAltimeter?

    init(_ stream: StreamName, interval: Double, outlet: ReadingOutlet) {
        (self.stream, self.interval, self.outlet) = (stream, interval, outlet)
        altimeter = stream == .pressure ? CMAltimeter() : nil
    }

    func start() {
        switch stream {
        case .pressure:
            altimeter?.startRelativeAltitudeUpdates(to: .main) { [weak self] data, error in
                self?.process(data.map { MotionReading($0) }, error)
            }
        case .gyro:
            manager.gyroUpdateInterval = interval
            manager.startGyroUpdates(to: .main) { [weak self] data, error in
                self?.process(data.map { MotionReading(.gyro, $0, $0.rotationRate.axes) }, error)
            }
        case .magnetometer:
            manager.magnetometerUpdateInterval = interval
            manager.startMagnetometerUpdates(to: .main) { [weak self] data, error in
                self?.process(data.map { MotionReading(.magnetometer, $0, $0.magneticField.axes) }, error)
            }
        default:
            manager.accelerometerUpdateInterval = interval
            manager.startAccelerometerUpdates(to: .main) { [weak self] data, error in
                self?.process(data.map { MotionReading(.accelerometer, $0, $0.acceleration.axes) }, error)
            }
        }
    }

    func end() {
        manager.stopAccelerometerUpdates()
        manager.stopGyroUpdates()
        manager.stopMagnetometerUpdates()
        altimeter?.stopRelativeAltitudeUpdates()
    }

    private func process(_ reading: MotionReading?, _ error: (any Error)?) {
        if let error { outlet.printUncounted(StreamFailure(stream: stream, error: error)) }
        if let reading { outlet.print(reading) }
    }
}

extension MotionReading {
    fileprivate init(_ stream: StreamName, _ item: CMLogItem, _ axes: SIMD3<Double>) {
        self.init(stream: stream, timestamp: item.timestamp, axes: axes)
    }

    fileprivate init(_ data: CMAltitudeData) {
        self.init(
            stream: .pressure, timestamp: data.timestamp,
            values: [
                Value("pressure", data.pressure.doubleValue, unit: "kPa"),
                Value("relativeAltitude", data.relativeAltitude.doubleValue, unit: "m"),
            ])
    }
}

extension CMAcceleration { var axes: SIMD3<Double> { SIMD3(x, y, z) } }

extension CMRotationRate { var axes: SIMD3<Double> { SIMD3(x, y, z) } }

extension CMMagneticField { var axes: SIMD3<Double> { SIMD3(x, y, z) } }

/// Prints the device's orientation each time it changes. `@unchecked Sendable` is safe, because all calls are made on
/// the main thread.
final class OrientationListener: StreamListener, @unchecked Sendable {
    let outlet: ReadingOutlet
    private let device = UIDevice.current
    private let clock: any DeviceClock
    private var observer: (any NSObjectProtocol)?

    init(clock: any DeviceClock, outlet: ReadingOutlet) { (self.clock, self.outlet) = (clock, outlet) }

    func start() {
        observer = NotificationCenter.default.addObserver(
            forName: UIDevice.orientationDidChangeNotification, object: device, queue: nil
        ) { [weak self] _ in self?.printOrientation() }
        device.beginGeneratingDeviceOrientationNotifications()
    }

    func end() {
        device.endGeneratingDeviceOrientationNotifications()
        if let observer { NotificationCenter.default.removeObserver(observer) }
        observer = nil
    }

    private func printOrientation() {
        outlet.print(OrientationReading(orientation: device.orientation, timestamp: clock.now.seconds))
    }
}

final class PedometerListener: StreamListener {
    let outlet: ReadingOutlet
    // Callbacks must be delivered on the main queue, because the outlet is used on the main thread.
    private let pedometer = CMPedometer(queue: .main)

    init(outlet: ReadingOutlet) { self.outlet = outlet }

    func start() {
        pedometer.startUpdatesFromNow { [weak self] data, error in
            if let error { self?.outlet.printUncounted(StreamFailure(stream: .steps, error: error)) }
            if let data { self?.outlet.print(PedometerReading(data)) }
        }
    }

    func end() { pedometer.stopUpdates() }
}

final class ActivityListener: StreamListener {
    let outlet: ReadingOutlet
    private let manager = CMMotionActivityManager()

    init(outlet: ReadingOutlet) { self.outlet = outlet }

    func start() {
        manager.startActivityUpdates(to: .main) { [weak self] activity in
            if let activity { self?.outlet.print(MotionActivityReading(activity)) }
        }
    }

    func end() { manager.stopActivityUpdates() }
}
