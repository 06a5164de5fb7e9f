// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension AttitudeFilter {
    /// Takes a sample of the gyroscope.
    ///
    /// - Parameters:
    ///   - rate: rad/s in device axes, counterclockwise as seen against the axis; as measured, bias included. More than
    ///     1000 rad/s on an axis is not taken.
    ///   - timestamp: Seconds, on the clock of all sensors.
    public mutating func updateGyroscope(_ rate: SIMD3<Double>, timestamp: Double) {
        // False for NaN and infinity too.
        guard abs(rate.x) < 1e3, abs(rate.y) < 1e3, abs(rate.z) < 1e3 else { return }
        let rate = SIMD4(rate, 0)
        let isFirst = gyroscope.timestamp == -.infinity
        switch gyroscope.step(to: timestamp) {
        case .unusable: return
        case .start:
            if !isFirst || isReady { findAnew() }
            lastRate = rate
        case .interval: break
        }
        let interval = gyroscope.interval
        rest.update(rate: rate, interval: interval)
        rateWithoutBias = rate - estimator.bias
        var turn = interval * rateWithoutBias
        if settings.interpolatesRotation {
            let before = lastRate - estimator.bias
            turn = (0.5 * interval) * (before + rateWithoutBias)
            turn += (Self.coning * interval * interval) * Self.cross(before, rateWithoutBias)
        }
        lastRate = rate
        inertial = (inertial * Quaternion(rotationVector: turn)).renormalized
    }

    /// What the cross product of two successive rates adds to the turn between them, in steady coning: 1/6 for samples of
    /// the rate and 1/24 more because a sensor's samples are means over their interval.
    private static var coning: Double { 5 / 24.0 }

    @inline(__always)
    private static func cross(_ a: SIMD4<Double>, _ b: SIMD4<Double>) -> SIMD4<Double> {
        let x = a.y * b.z - a.z * b.y
        let y = a.z * b.x - a.x * b.z
        let z = a.x * b.y - a.y * b.x
        return SIMD4(x, y, z, 0)
    }

    /// Takes a sample of the accelerometer.
    ///
    /// - Parameters:
    ///   - acceleration: m/s² in device axes, positive on the axis that points up at rest. All zeros and more than
    ///     100,000 m/s² on an axis are not taken.
    ///   - timestamp: Seconds, on the clock of all sensors.
    public mutating func updateAccelerometer(_ acceleration: SIMD3<Double>, timestamp: Double) {
        guard abs(acceleration.x) < 1e5, abs(acceleration.y) < 1e5, abs(acceleration.z) < 1e5, acceleration != .zero
        else { return }
        let acceleration = SIMD4(acceleration, 0)
        let step = accelerometer.step(to: timestamp)
        if step == .unusable { return }
        let interval = accelerometer.interval
        let hasGyroscope = timestamp - gyroscope.timestamp <= settings.maximumGap
        rest.update(acceleration: acceleration, interval: interval)
        let measured = SIMD4(inertial.rotate(SIMD3(acceleration.x, acceleration.y, acceleration.z)), 0)
        gravityCoefficients.advance(by: interval)
        let gravity = gravityLanes.update(measured, gravityCoefficients)
        guard let up = level(gravity) else { return }
        isReady = true
        guard hasGyroscope, interval > 0 else { return }
        estimateBias(up, interval: interval)
    }

    /// Turns the inclination so that the vector points up; returns its direction before.
    @inline(__always)
    private mutating func level(_ gravity: SIMD4<Double>) -> SIMD3<Double>? {
        let vector = inclination.rotate(SIMD3(gravity.x, gravity.y, gravity.z))
        let squared = (vector * vector).sum()
        guard squared > 1e-12 else { return nil }
        let up = vector * (1 / squared.squareRoot())
        let w = ((up.z + 1) * 0.5).squareRoot()
        let correction =
            w > 1e-6
            ? Quaternion(x: 0.5 * up.y / w, y: -0.5 * up.x / w, z: 0, w: w)
            : Quaternion(x: 1, y: 0, z: 0, w: 0)
        inclination = (correction * inclination).renormalized
        return up
    }

    @inline(__always)
    private mutating func estimateBias(_ up: SIMD3<Double>, interval: Double) {
        guard settings.estimatesBiasInMotion || settings.estimatesBiasAtRest else { return }
        let averages = motionBias.update(inclination * inertial, bias: estimator.bias, gravityCoefficients)
        estimator.advance(by: interval)
        if rest.isResting, settings.estimatesBiasAtRest {
            estimator.correctAtRest(rest.meanRate)
        } else if settings.estimatesBiasInMotion {
            let bias = estimator.bias
            let limit = SIMD4(repeating: settings.motionBiasResidualLimit)
            let residual = SIMD4(
                -up.y / interval + averages.biasEast - (averages.east * bias).sum(),
                up.x / interval + averages.biasNorth - (averages.north * bias).sum(),
                -(averages.up * bias).sum(), 0
            ).clamped(lowerBound: -limit, upperBound: limit)
            estimator.correctInMotion(averages.east, averages.north, averages.up, residual: residual)
        }
    }

    /// Takes a sample of the magnetometer, calibrated as well as can be.
    ///
    /// - Parameters:
    ///   - field: Device axes, any unit as long as it is always the same. All zeros are not taken.
    ///   - timestamp: Seconds, on the clock of all sensors.
    ///   - attitude: What ``attitude`` was at the time of the sample, where that is not the present one.
    public mutating func updateMagnetometer(
        _ field: SIMD3<Double>, timestamp: Double, attitude: Quaternion? = nil
    ) {
        guard abs(field.x) < 1e9, abs(field.y) < 1e9, abs(field.z) < 1e9, field != .zero, isReady else { return }
        if magnetometer.step(to: timestamp) == .unusable { return }
        let interval = magnetometer.interval
        // The field turned back by as much as the device has turned since the magnetometer measured it.
        let late = settings.magnetometerDelay * Quaternion.cross(field, rotationRate)
        let earth = (attitude ?? inclination * inertial).rotate(field + late)
        let measured = atan2(earth.x, earth.y)
        let hasGyroscope = timestamp - gyroscope.timestamp <= settings.maximumGap
        if settings.rejectsMagneticDisturbance {
            let strength = (earth * earth).sum().squareRoot()
            let mean = rest.meanRate
            self.field.update(
                strength: strength, dip: -asin(max(-1, min(1, earth.z / strength))),
                squaredRate: hasGyroscope ? (mean * mean).sum() : .infinity, interval: interval)
        }
        if hasGyroscope {
            heading.update(measured: measured, isDisturbed: self.field.isDisturbed, interval: interval)
        } else {
            heading.follow(measured: measured, weight: withoutGyroscope.value(for: interval))
        }
    }

    /// After an unknown time nothing is left of the attitude, but the bias and the magnetic field are.
    private mutating func findAnew() {
        gravityCoefficients.restart()
        rest.restart()
        field.restart()
        heading.restart()
    }
}
