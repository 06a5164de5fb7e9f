// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import Foundation

/// A motion manager whose readings go to a printer: accelerometer, gyroscope or magnetometer.
final class MotionListener: StreamListener {
    private let manager = CMMotionManager()
    private let stream: StreamName
    private let interval: Double
    private let printer: any MotionPrinter
    private let stop: Stop
    private var countdown: Countdown

    init(_ stream: StreamName, interval: Double, printer: any MotionPrinter, stop: Stop, limit: Int? = nil) {
        self.stream = stream
        self.interval = interval
        self.printer = printer
        self.stop = stop
        countdown = Countdown(limit: limit, stop: stop)
    }

    var count: Int { countdown.count }
    var isComplete: Bool { countdown.isComplete }

    func start() {
        switch stream {
        case .gyro:
            manager.gyroUpdateInterval = interval
            manager.startGyroUpdates(to: .main) { [weak self] data, error in
                self?.take(data.map { MotionReading(.gyro, $0.timestamp, $0.rotationRate) }, error)
            }
        case .magnetometer:
            manager.magnetometerUpdateInterval = interval
            manager.startMagnetometerUpdates(to: .main) { [weak self] data, error in
                self?.take(data.map { MotionReading(.magnetometer, $0.timestamp, $0.magneticField) }, error)
            }
        case .accelerometer, .pressure, .orientation, .location, .heading, .deviceMotion, .accessories:
            manager.accelerometerUpdateInterval = interval
            manager.startAccelerometerUpdates(to: .main) { [weak self] data, error in
                self?.take(data.map { MotionReading(.accelerometer, $0.timestamp, $0.acceleration) }, error)
            }
        }
    }

    func end() {
        manager.stopAccelerometerUpdates()
        manager.stopGyroUpdates()
        manager.stopMagnetometerUpdates()
    }

    private func take(_ reading: MotionReading?, _ error: (any Error)?) {
        guard stop.reason == nil else { return }
        if let error { printer.print(error, stream: stream) }
        if let reading, countdown.take() > 0 { printer.print(reading) }
    }
}

extension MotionReading {
    fileprivate init(_ stream: StreamName, _ timestamp: TimeInterval, _ value: CMAcceleration) {
        self.init(stream: stream, timestamp: timestamp, x: value.x, y: value.y, z: value.z)
    }

    fileprivate init(_ stream: StreamName, _ timestamp: TimeInterval, _ value: CMRotationRate) {
        self.init(stream: stream, timestamp: timestamp, x: value.x, y: value.y, z: value.z)
    }

    fileprivate init(_ stream: StreamName, _ timestamp: TimeInterval, _ value: CMMagneticField) {
        self.init(stream: stream, timestamp: timestamp, x: value.x, y: value.y, z: value.z)
    }
}
