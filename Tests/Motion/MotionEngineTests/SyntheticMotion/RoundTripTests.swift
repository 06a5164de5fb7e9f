// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Geodesy
import SensorFusion
import SyntheticMotion
import SystemCalls
import Testing

/// Inertial navigation from the sensors of a trace alone. It uses axes that do not rotate with the earth and other
/// formulas than the synthesizer, which uses rotating axes, so that a mistake in either becomes visible.
@Suite("Integration of synthetic motion")
struct RoundTripTests {
    private static let earthRate = 7.292115e-5

    /// The rotation from earth-fixed to inertial axes, which agree at the start.
    private func sky(_ time: Double) -> Quaternion { Quaternion(aboutZ: Self.earthRate * time) }

    /// The rotation from east, north, up to earth-fixed axes, by the textbook's matrix.
    private func frame(_ state: MotionState) -> Quaternion {
        let (phi, lambda) = (state.latitude * .pi / 180, state.longitude * .pi / 180)
        let half = (0.5 * (.pi / 2 - phi), 0.5 * (.pi / 2 + lambda))
        return Quaternion(x: 0, y: 0, z: sin(half.1), w: cos(half.1))
            * Quaternion(x: sin(half.0), y: 0, z: 0, w: cos(half.0))
    }

    /// The position in earth-fixed axes.
    private func position(_ state: MotionState) -> SIMD3<Double> {
        let (phi, lambda) = (state.latitude * .pi / 180, state.longitude * .pi / 180)
        let e2 = 0.00669437999014
        let n = 6_378_137 / (1 - e2 * sin(phi) * sin(phi)).squareRoot()
        let h = state.ellipsoidalAltitude
        return [
            (n + h) * cos(phi) * cos(lambda), (n + h) * cos(phi) * sin(lambda), (n * (1 - e2) + h) * sin(phi),
        ]
    }

    /// Gravitation, which is gravity without the centrifugal part, in earth-fixed axes.
    private func gravitation(_ position: SIMD3<Double>) -> SIMD3<Double> {
        // Latitude and height by an independent iteration.
        let p = (position.x * position.x + position.y * position.y).squareRoot()
        let e2 = 0.00669437999014
        var phi = atan2(position.z, p * (1 - e2))
        var h = 0.0
        for _ in 0..<6 {
            let n = 6_378_137 / (1 - e2 * sin(phi) * sin(phi)).squareRoot()
            h = p / cos(phi) - n
            phi = atan2(position.z, p * (1 - e2 * n / (n + h)))
        }
        let s2 = sin(phi) * sin(phi)
        let surface = 9.7803253359 * (1 + 0.00193185265241 * s2) / (1 - e2 * s2).squareRoot()
        let f = 1 / 298.257223563
        let ratio = h / 6_378_137
        let gravity = surface * (1 - 2 * (1 + f + 0.00344978650684 - 2 * f * s2) * ratio + 3 * ratio * ratio)
        let up = SIMD3(cos(phi) * position.x / p, cos(phi) * position.y / p, sin(phi))
        return up * -gravity - SIMD3(position.x, position.y, 0) * (Self.earthRate * Self.earthRate)
    }

    @Test("Integrating ten minutes of gyroscope and accelerometer data restores attitude and position")
    func navigation() throws {
        let synthesizer = try MotionSynthesizer(try Routes.town())
        let contents = try TraceContents(try synthesizer.trace())
        let rates = contents.values(.gyroscope)
        let forces = contents.values(.accelerometer)
        #expect(synthesizer.duration > 600)
        try #require(rates.count == forces.count && rates.count > 60_000)
        let step = 0.01

        // Starts from the initial state, which is at rest.
        let start = synthesizer.state(at: 0)
        var attitude = frame(start) * start.attitude
        var currentPosition = position(start)
        var velocity = SIMD3(0, 0, Self.earthRate).cross(currentPosition) + frame(start).rotate(start.velocity)
        var force = attitude.rotate(forces[0]) + gravitation(currentPosition)
        var worstHeading = 0.0
        var worstTilt = 0.0
        var worstPosition = 0.0
        for index in 1..<rates.count {
            // The mean rate over the step, plus the effect of the change of its direction (Bortz's coning term).
            let (before, after) = (rates[index - 1], rates[index])
            let coning: SIMD3<Double> = before.cross(after) * (step * step / 12)
            let rotationVector: SIMD3<Double> = (before + after) * (step / 2) + coning
            let angle = rotationVector.length
            let share = angle > 0 ? sin(angle / 2) / angle : 0.5
            let rotation = Quaternion(
                x: rotationVector.x * share, y: rotationVector.y * share, z: rotationVector.z * share, w: cos(angle / 2)
            )
            attitude = (attitude * rotation).normalized
            let time = Double(index) * step
            // One step of the trapezoidal rule, with the gravitation at the predicted position.
            let displacement: SIMD3<Double> = velocity * step
            let predicted: SIMD3<Double> = currentPosition + displacement + force * (step * step / 2)
            let nextGravitation = sky(time).rotate(gravitation(sky(time).conjugate.rotate(predicted)))
            let next: SIMD3<Double> = attitude.rotate(forces[index]) + nextGravitation
            currentPosition += displacement + (2 * force + next) * (step * step / 6)
            velocity += (force + next) * (step / 2)
            force = next
            guard index % 100 == 0 else { continue }
            let truth = synthesizer.state(at: time)
            let local = (sky(time) * frame(truth)).conjugate * attitude
            let top = local.rotate([0, 1, 0])
            let trueTop = truth.attitude.rotate([0, 1, 0])
            worstHeading = max(
                worstHeading, abs(difference(atan2(top.x, top.y) * 180 / .pi, truth.heading)),
                abs(difference(atan2(trueTop.x, trueTop.y) * 180 / .pi, truth.heading)))
            worstTilt = max(
                worstTilt, (local.up - truth.attitude.up).length * 180 / .pi)
            worstPosition = max(worstPosition, (sky(time).conjugate.rotate(currentPosition) - position(truth)).length)
        }
        #expect(worstHeading < 0.01, "\(worstHeading) degrees")
        #expect(worstTilt < 0.001, "\(worstTilt) degrees")
        // A tilt of 1e-6 rad, the error of this integration, corresponds to 10 µm/s², which is 2 m after ten minutes.
        #expect(worstPosition < 2, "\(worstPosition) m")
    }

    @Test("Velocity is the derivative of position, and acceleration is the derivative of velocity")
    func derivatives() throws {
        let synthesizer = try MotionSynthesizer(try Routes.town())
        for time in stride(from: 1.0, to: synthesizer.duration - 1, by: 1.37) {
            let (before, now, after) = (
                synthesizer.state(at: time - 0.05), synthesizer.state(at: time), synthesizer.state(at: time + 0.05)
            )
            let path = Geodesic.inverse(
                from: GeodeticCoordinate(latitude: before.latitude, longitude: before.longitude),
                to: GeodeticCoordinate(latitude: after.latitude, longitude: after.longitude))
            // At an altitude of 500 m the path is longer by 500 / 6,380,000.
            #expect(abs(path.distance / 0.1 - now.speed) < 0.01 + now.speed * 1e-4, "\(time)")
            #expect(abs((after.altitude - before.altitude) / 0.1 - now.velocity.z) < 0.01, "\(time)")
            if now.speed > 2 {
                let course = atan2(now.velocity.x, now.velocity.y) * 180 / .pi
                #expect(abs(difference(now.heading, course)) < 1e-9)
            }
        }
    }
}
