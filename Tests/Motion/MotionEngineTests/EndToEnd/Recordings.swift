// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import SimulatedDevice
import TestSupport
import Testing
import TraceFormats

/// The recordings for the end-to-end tests.
enum Recordings {
    private static let folder = Checkout.traces

    static let all = [
        "motion/six-poses.trace", "iio/flat-face-up.csv", "iio/free-fall.csv", "iio/rotate-about-z-upright.csv",
        "iio/shake.csv", "iio/spin-flat-90dps.csv",
    ]

    static func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

    static func device(
        _ name: String, delivery: SimulatedDevice.CallbackDelivery = .inOrder
    ) throws -> SimulatedDevice {
        let recording = try RecordingFile.open(url(name).path)
        return SimulatedDevice(recording.trace, delivery: delivery)
    }
}

/// A vector received by a handler, and the time since the start of the recording in seconds.
struct Reading: Equatable {
    var value: SIMD3<Double>
    var time: Double
}

/// All readings received by the handlers of one manager.
@MainActor
final class ReceivedReadings {
    private(set) var accelerations: [Reading] = []
    private(set) var rotationRates: [Reading] = []
    private(set) var fields: [Reading] = []

    /// Plays the whole recording with handlers for all three sensors at their full rates.
    init(_ device: SimulatedDevice) {
        device.use {
            let begin = device.device.clock.now.seconds
            let manager = CMMotionManager()
            manager.accelerometerUpdateInterval = 0
            manager.gyroUpdateInterval = 0
            manager.magnetometerUpdateInterval = 0
            manager.startAccelerometerUpdates(to: .main) { data, _ in
                guard let data else { return }
                let value = data.acceleration
                self.accelerations.append(
                    Reading(value: [value.x, value.y, value.z], time: data.timestamp - begin))
            }
            manager.startGyroUpdates(to: .main) { data, _ in
                guard let data else { return }
                let value = data.rotationRate
                self.rotationRates.append(
                    Reading(value: [value.x, value.y, value.z], time: data.timestamp - begin))
            }
            manager.startMagnetometerUpdates(to: .main) { data, _ in
                guard let data else { return }
                let value = data.magneticField
                self.fields.append(Reading(value: [value.x, value.y, value.z], time: data.timestamp - begin))
            }
            do { try device.play() } catch { Issue.record(error) }
        }
    }
}

extension Sequence<Reading> {
    /// Returns the mean of the values between two times; NaN if there are none.
    func mean(from start: Double, to end: Double) -> SIMD3<Double> {
        let values = filter { $0.time > start && $0.time < end }.map(\.value)
        return values.reduce(.zero, +) / Double(values.count)
    }
}

extension SIMD3<Double> {
    var length: Double { (self * self).sum().squareRoot() }

    func cross(_ other: Self) -> Self {
        [y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x]
    }

    /// Returns the vector rotated right-handed about an axis by the axis's length in radians (Rodrigues' formula).
    func rotated(by rotation: Self) -> Self {
        let angle = rotation.length
        guard angle > 0 else { return self }
        let axis = rotation / angle
        let along = axis * (axis * self).sum()
        return along + (self - along) * angle.cosine + axis.cross(self) * angle.sine
    }
}

extension Double {
    fileprivate var cosine: Double { cos(self) }
    fileprivate var sine: Double { sin(self) }
}
