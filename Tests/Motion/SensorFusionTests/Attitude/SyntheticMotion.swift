// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import TestSupport

/// A simulated rotating device with sensors without delay.
struct SyntheticMotion {
    /// In earth axes (east, north, up): the reaction to gravity in m/s², and a field of 50 µT with a dip of atan(45 /
    /// 21.8).
    static let reaction = SIMD3<Double>(0, 0, 9.81)
    static let field = SIMD3<Double>(0, 21.8, -45)

    /// Settings for sensors without delay.
    static var settings: AttitudeSettings {
        var settings = AttitudeSettings()
        settings.gyroscopeDelay = 0
        settings.magnetometerDelay = 0
        return settings
    }

    /// The rotation from device axes to earth axes.
    var attitude = Quaternion.identity
    var time = 0.0
    var bias = SIMD3<Double>.zero
    /// The standard deviation of the gyroscope's noise in rad/s. The noise of the other sensors is proportional to it.
    var noise = 0.0
    var random = SeededGenerator(seed: 11)
    var fieldFactor = 1.0
    private var steps = 0

    /// Updates the filter with samples of a device that rotates at a constant rate in device axes. The parameters
    /// `gyroscope`, `accelerometer` and `magnetometer` are the numbers of intervals per sample of each sensor; 0 for
    /// none.
    mutating func run(
        _ filter: inout AttitudeFilter, rate: SIMD3<Double> = .zero, for seconds: Double, interval: Double = 0.01,
        gyroscope: Int = 1, accelerometer: Int = 1, magnetometer: Int = 1,
        each: (AttitudeFilter, Quaternion) -> Void = { _, _ in }
    ) {
        let angle = length(rate) * interval
        let axis = angle > 0 ? rate / length(rate) * sin(angle / 2) : .zero
        let rotation = Quaternion(x: axis.x, y: axis.y, z: axis.z, w: cos(angle / 2))
        for _ in 0..<Int((seconds / interval).rounded()) {
            attitude = (attitude * rotation).normalized
            time += interval
            steps += 1
            let back = attitude.conjugate
            if gyroscope > 0, steps % gyroscope == 0 {
                filter.updateGyroscope(rate + bias + random.normal(noise), timestamp: time)
            }
            if accelerometer > 0, steps % accelerometer == 0 {
                filter.updateAccelerometer(back.rotate(Self.reaction) + random.normal(10 * noise), timestamp: time)
            }
            if magnetometer > 0, steps % magnetometer == 0 {
                filter.updateMagnetometer(
                    fieldFactor * back.rotate(Self.field) + random.normal(100 * noise), timestamp: time)
            }
            each(filter, attitude)
        }
    }

    /// Returns the angle between two attitudes, in degrees.
    static func angle(_ a: Quaternion?, _ b: Quaternion) -> Double {
        guard let a else { return .nan }
        let e = a * b.conjugate
        return 2 * atan2(length(e.vector), abs(e.w)) * 180 / .pi
    }

    /// Returns the angle between the up directions of two attitudes, in degrees.
    static func tilt(_ a: Quaternion, _ b: Quaternion) -> Double { TestSupport.angle(a.up, b.up) }
}
