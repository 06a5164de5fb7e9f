// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Geodesy
import Testing

@testable import SyntheticMotion

@Suite("Noise of synthetic sensors")
struct NoiseTests {
    private func readings(
        _ noise: SensorNoise, rate: Double = 100, count: Int, truth: SIMD3<Double> = .zero, biasFraction: Double = 0,
        seed: UInt64 = 1
    ) -> [SIMD3<Double>] {
        var source = NoiseSource(
            noise, rate: rate, isVector: true, biasFraction: biasFraction, seed: seed, stream: 1)
        return (0..<count).map { _ in source.reading(truth) }
    }

    /// Returns the Allan deviation of means over `count` readings (IEEE Std 952).
    private func allan(_ values: [Double], over count: Int) -> Double {
        let means = stride(from: 0, through: values.count - count, by: count).map { start in
            values[start..<start + count].reduce(0, +) / Double(count)
        }
        let squares = zip(means, means.dropFirst()).map { ($1 - $0) * ($1 - $0) }
        return (squares.reduce(0, +) / Double(squares.count) / 2).squareRoot()
    }

    @Test("White noise has the specified density at any rate, and the axes are independent")
    func white() {
        for rate in [50.0, 400] {
            let values = readings(SensorNoise(density: 0.01), rate: rate, count: 40_000)
            // The bandwidth is half the rate: 0.01 · √25 and 0.01 · √200.
            let expected = 0.01 * (rate / 2).squareRoot()
            for axis in 0..<3 {
                let (mean, deviation) = moments(values.map { $0[axis] })
                // The relative error of a deviation of n values is 1/√(2n), here 0.35 %, and that of a mean is 1/√n.
                #expect(abs(deviation / expected - 1) < 0.015)
                #expect(abs(mean) < expected * 0.02)
            }
            let product = values.reduce(0) { $0 + $1.x * $1.y } / Double(values.count)
            #expect(abs(product) < expected * expected * 0.02)
        }
    }

    @Test("The Allan deviation of white noise is density / √(2 t)")
    func allanOfWhite() {
        let values = readings(SensorNoise(density: 0.01), count: 200_000).map(\.x)
        for seconds in [0.1, 1, 10] {
            let found = allan(values, over: Int(seconds * 100))
            let expected = 0.01 / (2 * seconds).squareRoot()
            // 200 means over 10 s each: 1/√400 is 5 %.
            #expect(abs(found / expected - 1) < (seconds > 5 ? 0.2 : 0.07), "\(seconds): \(found) \(expected)")
        }
    }

    @Test("A random-walk bias grows with √t, and its Allan deviation is K √(t/3)")
    func walk() {
        // The spread of 400 walks after 9 s is three times that after 1 s.
        for (seconds, expected) in [(1, 0.02), (9, 0.06)] {
            let ends = (0..<400).map { seed in
                readings(SensorNoise(density: 0, biasWalk: 0.02), count: seconds * 100, seed: UInt64(seed)).last?.x ?? 0
            }
            #expect(abs(moments(ends).deviation / expected - 1) < 0.12)
        }
        let values = readings(SensorNoise(density: 0, biasWalk: 0.02), count: 200_000).map(\.x)
        for seconds in [1.0, 10] {
            let expected = 0.02 * (seconds / 3).squareRoot()
            #expect(abs(allan(values, over: Int(seconds * 100)) / expected - 1) < 0.2)
        }
    }

    @Test("Readings are multiples of the converter's step and within its range")
    func grid() {
        let step = 9.80665 / 16384
        let unit = InertialUnit.mpu6050.accelerometer
        for value in readings(unit, count: 2_000, truth: [0.1, 9.8, -3]) {
            for axis in 0..<3 {
                let steps = value[axis] / step
                #expect(abs(steps - steps.rounded()) < 1e-9)
            }
        }
        // 50 m/s² exceeds 2 g.
        for value in readings(unit, count: 100, truth: [50, -50, 0]) {
            #expect(abs(value.x - 32767 * step) < 1e-12)
            #expect(abs(value.y + 32768 * step) < 1e-12)
        }
        // 131 steps per °/s.
        let rate = readings(
            SensorNoise(density: 0, step: InertialUnit.mpu6050.gyroscope.step), count: 1, truth: [0.1, 0, 0])
        #expect(abs(rate[0].x * 180 / .pi * 131 - (0.1 * 180 / .pi * 131).rounded()) < 1e-9)
    }

    @Test("The bias is constant, within its tolerance, and zero unless it is enabled")
    func bias() {
        let noise = SensorNoise(density: 0, biasTolerance: 0.3)
        var drawn: [Double] = []
        for seed in 0..<300 {
            let values = readings(noise, count: 3, biasFraction: 0.5, seed: UInt64(seed))
            #expect(values[0] == values[2])
            drawn.append(values[0].x)
        }
        #expect(drawn.allSatisfy { abs($0) <= 0.15 })
        // A uniform distribution of ±0.15 has a standard deviation of 0.15 / √3.
        #expect(abs(moments(drawn).deviation / 0.0866 - 1) < 0.12)
        #expect(readings(noise, count: 1)[0] == .zero)
    }

    @Test("95 % of a receiver's positions are within eph, and 95 % of its altitudes within epv")
    func receiver() throws {
        var options = MotionOptions()
        options.receiver = .openSky
        options.fixRate = 0.02
        options.inertialUnit = nil
        options.magnetometer = nil
        options.barometer = nil
        options.geoidSeparation = 45
        let here = GeodeticCoordinate(latitude: -33.9, longitude: 151.2)
        let route = try MotionRoute([
            Waypoint(latitude: here.latitude, longitude: here.longitude, altitude: 30, pause: 50_000)
        ])
        let contents = try TraceContents(try MotionSynthesizer(route, options: options).trace())
        let reports = contents.reports.map(\.report)
        try #require(reports.count > 990)
        let distances = reports.map {
            Geodesic.distance(from: here, to: GeodeticCoordinate(latitude: $0.latitude, longitude: $0.longitude))
        }
        let eph = try #require(reports.first?.horizontalError)
        let epv = try #require(reports.first?.verticalError)
        // eph and epv: √(0.4² + 1.5²) · 2.4477 and √(0.8² + 2.5²) · 1.96.
        #expect(abs(eph - 3.800) < 0.001)
        #expect(abs(epv - 5.145) < 0.001)
        let within = Double(distances.count { $0 <= eph }) / Double(distances.count)
        let high = Double(reports.count { abs($0.altitudeMSL - 30) <= epv }) / Double(reports.count)
        // 0.02 is three standard deviations of a share of 0.95 among 1,000 values, about half of which are independent.
        #expect(abs(within - 0.95) < 0.02, "\(within)")
        #expect(abs(high - 0.95) < 0.025, "\(high)")
        // Half the mean of the squared distances is the variance of one axis.
        let axis = (distances.reduce(0) { $0 + $1 * $1 } / Double(distances.count) / 2).squareRoot()
        #expect(abs(axis / 1.5524 - 1) < 0.08)
        #expect(reports.allSatisfy { abs($0.altitudeHAE - $0.altitudeMSL - 45) < 1e-3 && $0.geoidSeparation == 45 })
    }

    @Test("Wander errors are correlated between consecutive positions and uncorrelated after minutes")
    func wander() throws {
        var options = MotionOptions()
        options.inertialUnit = nil
        options.magnetometer = nil
        options.barometer = nil
        var noise = ReceiverNoise(name: "test")
        noise.horizontalWander = 2
        noise.wanderTime = 20
        options.receiver = noise
        let route = try MotionRoute([Waypoint(latitude: 0, longitude: 0, pause: 20_000)])
        let reports = try TraceContents(try MotionSynthesizer(route, options: options).trace()).reports
        // 110,574 m per degree at the equator.
        let north = reports.map { $0.report.latitude * 110_574 }
        func correlation(_ lag: Int) -> Double {
            zip(north, north.dropFirst(lag)).reduce(0) { $0 + $1.0 * $1.1 } / Double(north.count - lag) / 4
        }
        #expect(abs(correlation(0) - 1) < 0.25)
        #expect(abs(correlation(20) / correlation(0) - 0.368) < 0.15)
        #expect(abs(correlation(200)) < 0.2)
    }
}
