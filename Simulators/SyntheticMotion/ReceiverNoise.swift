// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorFusion
import SystemCalls

/// The errors of a receiver's positions.
///
/// Each axis has white noise and a correlated error (a first-order Gauss-Markov process). White noise is independent
/// for each fix. The correlated error models the atmosphere and multipath.
public struct ReceiverNoise: Sendable, Hashable {
    package var name: String
    /// The standard deviation of the white noise in each horizontal direction, in metres.
    package var horizontal = 0.0
    /// The standard deviation of the correlated error in each horizontal direction, in metres.
    package var horizontalWander = 0.0
    /// The standard deviation of the white altitude noise, in metres.
    package var vertical = 0.0
    /// The standard deviation of the correlated altitude error, in metres.
    package var verticalWander = 0.0
    /// The correlation time of the correlated errors, in seconds. After this time, the correlation is 1/e.
    package var wanderTime = 60.0
    /// The standard deviation of each velocity component, in m/s.
    package var velocity = 0.0

    /// A receiver without errors.
    public static let ideal = ReceiverNoise(name: "ideal")

    /// A receiver with a clear view of the sky. The values are assumptions and correspond to an `eph` of 3.8 m.
    public static let openSky = ReceiverNoise(
        name: "open-sky", horizontal: 0.4, horizontalWander: 1.5, vertical: 0.8, verticalWander: 2.5, wanderTime: 120,
        velocity: 0.05)

    /// A receiver between buildings. The values are assumptions and correspond to an `eph` of 15 m.
    public static let urban = ReceiverNoise(
        name: "urban", horizontal: 2, horizontalWander: 6, vertical: 4, verticalWander: 10, wanderTime: 30,
        velocity: 0.3)

    package static let all = [ideal, openSky, urban]

    var isValid: Bool {
        let figures = [horizontal, horizontalWander, vertical, verticalWander, velocity]
        return figures.allSatisfy { $0 >= 0 && $0 <= 10_000 } && wanderTime > 0 && wanderTime.isFinite
    }
}

/// The errors of one receiver. For a given seed, the reports depend on the order in which random numbers are drawn.
struct ReceiverSource: Sendable {
    /// The minimum speed at which a course is reported, in m/s.
    private static let minimumCourseSpeed = 0.3
    /// The number of standard deviations within which 95 % of a normal distribution lies, in one and in two dimensions.
    private static let oneAxis = 1.959964
    private static let plane = 2.447747

    private let noise: ReceiverNoise
    private let correlation: Double
    private var wander: SIMD3<Double>
    private var numbers: GaussianNumbers

    init(_ noise: ReceiverNoise, rate: Double, seed: UInt64) {
        self.noise = noise
        correlation = exp(-1 / (rate * noise.wanderTime))
        // Streams 1 to 4 belong to the sensors (see `SyntheticSources`).
        numbers = GaussianNumbers(seed: seed, stream: 5)
        wander = numbers.vector()
    }

    /// Adds errors to a true state and returns the resulting report. Each call advances the receiver by one fix.
    mutating func report(_ state: MotionState, time: WallTime, _ options: MotionOptions) -> PositionReport {
        let white = numbers.vector()
        let error =
            white * SIMD3(noise.horizontal, noise.horizontal, noise.vertical)
            + wander * SIMD3(noise.horizontalWander, noise.horizontalWander, noise.verticalWander)
        wander = wander * correlation + numbers.vector() * (1 - correlation * correlation).squareRoot()
        let velocity = state.velocity + numbers.vector() * noise.velocity

        var report = PositionReport()
        report.receiver = options.receiverName
        report.mode = .threeDimensional
        // In gpsd, status 8 denotes a simulated fix.
        report.status = 8
        report.time = time
        report.timeError = 0.005
        (report.latitude, report.longitude) = (state.latitude, state.longitude)
        var height = state.ellipsoidalAltitude
        if error != .zero {
            let here = EarthFixed.GeodeticPosition(
                latitude: state.latitude * .pi / 180, longitude: state.longitude * .pi / 180, height: height)
            let position = EarthFixed.position(latitude: state.latitude, longitude: state.longitude, height: height)
            let found = EarthFixed.geodeticPosition(of: position + here.attitude.rotate(error))
            (report.latitude, report.longitude) = (found.latitude * 180 / .pi, found.longitude * 180 / .pi)
            height = found.height
        }
        report.altitudeHAE = height
        report.altitudeMSL = height - options.geoidSeparation
        report.geoidSeparation = options.geoidSeparation
        let speed = (velocity.x * velocity.x + velocity.y * velocity.y).squareRoot()
        report.speed = speed
        report.climb = velocity.z
        if speed >= Self.minimumCourseSpeed {
            let course = atan2(velocity.x, velocity.y) * 180 / .pi
            report.track = course < 0 ? course + 360 : course
            report.trackError = atan(Self.oneAxis * noise.velocity / speed) * 180 / .pi
        }
        setErrorEstimates(&report)
        return report
    }

    /// Sets error estimates at the 95 % confidence level, as gpsd does. They are never 0, because no real receiver
    /// reports an error of 0.
    private func setErrorEstimates(_ report: inout PositionReport) {
        func sum(_ a: Double, _ b: Double) -> Double { max((a * a + b * b).squareRoot(), 0.01) }
        let horizontal = sum(noise.horizontal, noise.horizontalWander)
        report.longitudeError = Self.oneAxis * horizontal
        report.latitudeError = Self.oneAxis * horizontal
        report.horizontalError = Self.plane * horizontal
        report.verticalError = Self.oneAxis * sum(noise.vertical, noise.verticalWander)
        report.speedError = max(Self.oneAxis * noise.velocity, 0.01)
        report.climbError = report.speedError
    }
}
