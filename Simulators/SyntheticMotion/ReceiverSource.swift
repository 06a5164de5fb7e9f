// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorFusion
import SystemCalls

/// Makes the reports of a receiver from the truth.
struct ReceiverSource: Sendable {
    /// Below this speed a receiver tells no course, in m/s.
    private static let leastSpeed = 0.3
    /// 95 per cent of a normal distribution are within so many standard deviations of one axis, and within so many of a
    /// plane: √(-2 ln 0.05).
    private static let oneAxis = 1.959964
    private static let plane = 2.447747

    private let noise: ReceiverNoise
    private let memory: Double
    private var wander: SIMD3<Double>
    private var numbers: GaussianNumbers

    init(_ noise: ReceiverNoise, rate: Double, seed: UInt64) {
        self.noise = noise
        memory = exp(-1 / (rate * noise.wanderTime))
        numbers = GaussianNumbers(seed: seed, stream: 5)
        wander = numbers.vector()
    }

    /// The report of a state. Each call is a fix later than the one before.
    mutating func report(_ state: MotionState, time: WallTime, _ options: MotionOptions) -> PositionReport {
        let white = numbers.vector()
        let error =
            white * SIMD3(noise.horizontal, noise.horizontal, noise.vertical)
            + wander * SIMD3(noise.horizontalWander, noise.horizontalWander, noise.verticalWander)
        wander = wander * memory + numbers.vector() * (1 - memory * memory).squareRoot()
        let velocity = state.velocity + numbers.vector() * noise.velocity

        var report = PositionReport()
        report.receiver = options.receiverName
        report.mode = .threeDimensional
        report.status = 8
        report.time = time
        report.timeError = 0.005
        (report.latitude, report.longitude) = (state.latitude, state.longitude)
        var height = state.ellipsoidalAltitude
        if error != .zero {
            let here = EarthFixed.Place(
                latitude: state.latitude * .pi / 180, longitude: state.longitude * .pi / 180, height: height)
            let position = EarthFixed.position(latitude: state.latitude, longitude: state.longitude, height: height)
            let found = EarthFixed.place(of: position + here.attitude.rotate(error))
            (report.latitude, report.longitude) = (found.latitude * 180 / .pi, found.longitude * 180 / .pi)
            height = found.height
        }
        report.altitudeHAE = height
        report.altitudeMSL = height - options.geoidSeparation
        report.geoidSeparation = options.geoidSeparation
        let speed = (velocity.x * velocity.x + velocity.y * velocity.y).squareRoot()
        report.speed = speed
        report.climb = velocity.z
        if speed >= Self.leastSpeed {
            let course = atan2(velocity.x, velocity.y) * 180 / .pi
            report.track = course < 0 ? course + 360 : course
            report.trackError = atan(Self.oneAxis * noise.velocity / speed) * 180 / .pi
        }
        tellErrors(&report)
        return report
    }

    /// Tells how far off it is, with 95 per cent confidence as gpsd has it, and never nothing: no receiver is perfect.
    private func tellErrors(_ report: inout PositionReport) {
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
