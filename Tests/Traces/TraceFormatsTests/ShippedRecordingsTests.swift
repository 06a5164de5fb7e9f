// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import TraceFormats

@Suite("Shipped recordings")
struct ShippedRecordingsTests {
    /// Counts and means computed with Python's csv and statistics modules.
    static let synthetic:
        [(name: String, count: Int, acceleration: SIMD3<Double>, rate: SIMD3<Double>, field: SIMD3<Double>)] = [
            ("flat-face-up", 500, [-0.00072, -0.00018, 9.807], [7e-05, 0.00012, -4e-05], [0, 0.2, -0.43]),
            ("rotate-about-z-upright", 800, [-0.0004, 0.00026, -0.00022], [-2e-05, -7e-05, 0.78539], [0, 0.2, 0]),
            ("shake", 1000, [4e-05, 9.80826, 0.00068], [0.00014, -0.00031, -6e-05], [0, 0.2, -0.43]),
            ("free-fall", 400, [-0.00027, -0.00179, 8.26666], [0.00012, -0.00036, -0.0007], [0, 0.2, -0.43]),
            ("spin-flat-90dps", 800, [-8e-05, -0.00062, 9.80649], [3e-05, -4e-05, 1.57084], [0, 0, -0.43]),
        ]

    @Test("Synthetic recordings have the counts and means that Python finds in them", arguments: synthetic)
    func means(
        name: String, count: Int, acceleration: SIMD3<Double>, rate: SIMD3<Double>, field: SIMD3<Double>
    ) throws {
        let recording = try Recording(path: Files.trace("iio/\(name).csv"))
        let accelerometer = try #require(recording.track(.accelerometer))
        #expect(accelerometer.count == count)
        #expect(isClose(accelerometer.mean, acceleration, 1e-5))
        #expect(isClose(try #require(recording.track(.gyroscope)).mean, rate, 1e-5))
        #expect(isClose(try #require(recording.track(.magnetometer)).mean, field, 1e-5))
        #expect(recording.remarks == [])
    }

    @Test("A flat device measures gravity on z, and one that spins at 90 degrees a second measures that rate")
    func physics() throws {
        let flat = try Recording(path: Files.trace("iio/flat-face-up.csv"))
        #expect(abs((flat.track(.accelerometer)?.mean.z ?? 0) - 9.80665) < 0.005)
        #expect(flat.track(.accelerometer)?.sensor.rates == .list([100]))
        let spin = try Recording(path: Files.trace("iio/spin-flat-90dps.csv"))
        #expect(abs((spin.track(.gyroscope)?.mean.z ?? 0) * 180 / .pi - 90) < 0.1)
        #expect(spin.duration == 7_990_000_000)
        // During free fall, some readings are near zero.
        let fall = try Recording(path: Files.trace("iio/free-fall.csv"))
        #expect(fall.track(.accelerometer)?.values.contains { ($0 * $0).sum() < 0.05 } == true)
    }

    @Test("BROAD's board rests face up in the Earth's field")
    func broad() throws {
        let recording = try Recording(path: Files.fixture("broad_03_undisturbed_slow_rotation_C.csv"))
        // Computed with Python from the first 200 rows.
        #expect(isClose(try #require(recording.track(.accelerometer)).mean, [0.00517, 0.016685, 9.854015], 1e-9))
        #expect(isClose(try #require(recording.track(.magnetometer)).mean, [0.00333, 0.17099, -0.410275], 1e-9))
        #expect(isClose(try #require(recording.track(.gyroscope)).mean, [0.008696, -0.0030875, -0.004237], 1e-9))
        #expect(recording.track(.gyroscope)?.times.last == Int64(2_089_500_000))
    }

    @Test("A phone upside down in a pocket measures gravity along -y")
    func motionSense() throws {
        let recording = try Recording(path: Files.fixture("motionsense_std_6_sub9.csv"))
        let mean = try #require(recording.track(.accelerometer)).mean
        // Computed with Python as -(g + u) / 1e4 * 9.80665.
        #expect(isClose(mean, [1.68640056725, -9.6071435124, -1.196533883125], 1e-6))
        #expect(recording.track(.accelerometer)?.times.last == Int64(3_980_000_000))
    }
}
