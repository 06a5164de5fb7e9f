// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import SimulatedDevice
import Testing

@Suite("Device motion from recordings to handlers", .timeLimit(.minutes(30))) @MainActor
struct DeviceMotionTests {
    /// The recordings with an optical reference, and the RMSE of the gravity direction of VQF 2.1 (Python, default
    /// parameters) in degrees.
    static let trials: [(name: String, reference: Double)] = [
        ("broad_03_undisturbed_slow_rotation_C", 0.358),
        ("broad_08_undisturbed_fast_rotation_with_breaks_A", 1.803),
        ("broad_15_undisturbed_fast_translation_A", 0.416),
        ("broad_30_disturbed_stationary_magnet_C", 1.513),
    ]

    /// The recorded callbacks of each trial, which is played once for all tests.
    private static var logs: [String: MotionLog] = [:]

    private func log(
        _ trial: Int, interval: Double = 0, frame: CMAttitudeReferenceFrame = .xArbitraryZVertical
    ) throws -> MotionLog {
        let key = "\(trial) \(interval) \(frame.rawValue)"
        if let log = Self.logs[key] { return log }
        let log = MotionLog(
            try Recordings.device("broad/\(Self.trials[trial].name).csv"), interval: interval, frame: frame)
        Self.logs[key] = log
        return log
    }

    @Test("Gravity matches the optical reference within 1.02 degrees, whereas a low-pass filter is off by 40 degrees")
    func gravity() throws {
        var errors: [Double] = []
        for (index, trial) in Self.trials.enumerated() {
            let truth = try MotionTruth(trial.name)
            let log = try log(index)
            try #require(log.motions.count == truth.count)
            let error = Angles.rootMeanSquare(
                truth.rows.map { Angles.between(log.motions[$0.index].gravity, SIMD3(repeating: 0) - $0.up) })
            #expect(error <= trial.reference + 0.2, "\(trial.name): \(error)")
            errors.append(error)
        }
        let mean = errors.reduce(0, +) / Double(errors.count)
        #expect(mean <= 1.02, "\(mean)")
    }

    @Test("Attitudes relative to magnetic north match the optical reference")
    func attitude() throws {
        let truth = try MotionTruth(Self.trials[0].name)
        let log = try log(0, frame: .xMagneticNorthZVertical)
        try #require(log.motions.count == truth.count)
        // The reference attitude is relative to x east and y north, so it is rotated clockwise by 90 degrees about the
        // vertical.
        let half = 0.5.squareRoot()
        let errors = truth.rows.map { row -> Double in
            let (w, x, y, z) = (row.attitude[0], row.attitude[1], row.attitude[2], row.attitude[3])
            let north = [half * (w + z), half * (x + y), half * (y - x), half * (z - w)]
            return Angles.between(log.motions[row.index].attitude, north)
        }
        // The total error of VQF is 1.96 degrees.
        #expect(Angles.rootMeanSquare(errors) < 2.2, "\(Angles.rootMeanSquare(errors))")
        // The heading is the direction of the top edge, which is the second column of the rotation matrix.
        let headings = truth.rows.compactMap { row -> Double? in
            let (w, x, y, z) = (row.attitude[0], row.attitude[1], row.attitude[2], row.attitude[3])
            let east = 2 * (x * y - w * z)
            let north = w * w - x * x + y * y - z * z
            // If the top edge points up or down by more than 50 degrees, the heading may be that of the back or the
            // face.
            guard (east * east + north * north).squareRoot() > cos(49 * Double.pi / 180) else { return nil }
            let turns = (log.motions[row.index].heading - atan2(east, north) * 180 / .pi) / 360
            return (turns - turns.rounded()) * 360
        }
        #expect(headings.count > truth.rows.count / 3)
        #expect(Angles.rootMeanSquare(headings) < 4, "\(Angles.rootMeanSquare(headings))")
    }

    @Test("At interval 0, each sample is delivered with its own time in each frame")
    func everySample() throws {
        for (trial, frame) in [(3, CMAttitudeReferenceFrame.xArbitraryZVertical), (0, .xMagneticNorthZVertical)] {
            let count = try MotionTruth(Self.trials[trial].name).count
            let log = try log(trial, frame: frame)
            #expect(log.motions.map(\.time) == (0..<Int64(count)).map { $0 * 10_500_000 })
            #expect(log.errors == (frame == .xArbitraryZVertical ? [] : [101]))
        }
    }

    @Test("The same recording yields identical callbacks")
    func twice() throws {
        for interval in [0, 0.03] {
            let logs = try (0..<2).map { _ in
                MotionLog(
                    try Recordings.device("motion/six-poses.trace"), interval: interval,
                    frame: .xMagneticNorthZVertical)
            }
            #expect(logs[0].motions.count > 350)
            #expect(logs[0].motions.map(\.description) == logs[1].motions.map(\.description))
            #expect(logs[0].errors == logs[1].errors)
        }
        let again = MotionLog(
            try Recordings.device("broad/\(Self.trials[1].name).csv"), interval: 0.05, frame: .xMagneticNorthZVertical)
        let first = try log(1, interval: 0.05, frame: .xMagneticNorthZVertical)
        #expect(again.motions.map(\.description) == first.motions.map(\.description))
    }

    @Test("A handler that requests 20 Hz receives the same attitudes as one that requests 100 Hz")
    func rates() throws {
        let fast = try log(1, interval: 0.01, frame: .xMagneticNorthZVertical)
        let slow = try log(1, interval: 0.05, frame: .xMagneticNorthZVertical)
        let seconds = Double(try #require(fast.motions.last).time) / 1e9
        #expect(abs(Double(slow.motions.count) / seconds - 20) < 1)
        #expect(Double(fast.motions.count) / seconds > 90)
        let byTime = Dictionary(uniqueKeysWithValues: fast.motions.map { ($0.time, $0.attitude) })
        let errors = try slow.motions.map { Angles.between($0.attitude, try #require(byTime[$0.time])) }
        #expect(Angles.rootMeanSquare(errors) <= 0.1, "\(Angles.rootMeanSquare(errors))")
    }

    @Test("Gravity and user acceleration add up to the reading of the same time", arguments: Recordings.all)
    func sum(recording: String) throws {
        let log = MotionLog(try Recordings.device(recording))
        let readings = Dictionary(
            ReceivedReadings(try Recordings.device(recording)).accelerations.map {
                (Int64(($0.time * 1e9).rounded()), $0.value)
            },
            uniquingKeysWith: { first, _ in first })
        var compared = 0
        for motion in log.motions {
            guard let reading = readings[motion.time] else { continue }
            let rest = motion.gravity + motion.userAcceleration - reading
            // A reading below 0.5 may have more digits than the sum of two larger numbers.
            for axis in 0..<3 { #expect(abs(rest[axis]) <= (abs(reading[axis]) < 0.5 ? 1e-16 : 0)) }
            #expect(abs(motion.gravity.length - 1) < 1e-14)
            compared += 1
        }
        #expect(compared > 300)
    }

    @Test("On a quiet recording of Core Motion, gravity is close to the recorded gravity")
    func coreMotion() throws {
        let name = "motionsense/motionsense_std_6_sub9.csv"
        let rows = try String(contentsOf: Recordings.url(name), encoding: .utf8).split(separator: "\n").dropFirst()
            .map { $0.split(separator: ",").compactMap { Double($0) }.map { $0 * 1e-4 } }
        let log = MotionLog(try Recordings.device(name))
        try #require(log.motions.count == rows.count)
        var gravity: [Double] = []
        var user: [Double] = []
        var rates: [Double] = []
        // The first five seconds are excluded, because the filter has to settle.
        for (row, motion) in zip(rows, log.motions).dropFirst(250) {
            gravity.append(Angles.between([row[3], row[4], row[5]], motion.gravity))
            user.append((motion.userAcceleration - [row[9], row[10], row[11]]).length)
            rates.append((motion.rotationRate - [row[6], row[7], row[8]]).length)
        }
        // VQF has 2.58 degrees. The filters differ in how soon they accept an estimated bias, and the true bias is
        // unknown.
        #expect(Angles.rootMeanSquare(gravity) <= 3, "\(Angles.rootMeanSquare(gravity))")
        // 3.5 degrees at 1 g.
        #expect(Angles.rootMeanSquare(user) <= 0.0611, "\(Angles.rootMeanSquare(user))")
        // Core Motion has already removed the bias. The filter may estimate up to 2 degrees per second, because the
        // phone never rests.
        #expect(Angles.rootMeanSquare(rates) <= 0.035, "\(Angles.rootMeanSquare(rates))")
    }

    @Test("Gravity matches the side on which the device lies")
    func sixPoses() throws {
        let device = try Recordings.device("motion/six-poses.trace")
        let log = MotionLog(device, frame: .xMagneticNorthZVertical)
        let gravity: [SIMD3<Double>] = [[0, 0, -1], [0, -1, 0], [-1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]]
        for (side, direction) in gravity.enumerated() {
            let time = Int64(Double(side) * 2e9 + 1e9)
            let motion = try #require(log.motions.first { $0.time >= time })
            #expect(Angles.between(motion.gravity, direction) < 1.5, "side \(side): \(motion.gravity)")
            #expect(motion.userAcceleration.length < 0.03)
        }
        let first = try #require(log.motions.first { $0.time > 1_000_000_000 })
        // Flat with the top edge pointing north.
        #expect(min(first.heading, 360 - first.heading) < 3, "\(first.heading)")
    }

    @Test("During a counterclockwise rotation at 90 degrees per second, the heading decreases at that rate")
    func spin() throws {
        let log = MotionLog(try Recordings.device("iio/spin-flat-90dps.csv"), frame: .xMagneticNorthZVertical)
        for motion in log.motions where motion.time > 2_000_000_000 {
            // The top edge points north at the start.
            let expected = -90 * Double(motion.time) / 1e9
            let turns = (motion.heading - expected) / 360
            #expect(abs(turns - turns.rounded()) * 360 < 3, "\(motion.heading) at \(motion.time)")
            #expect(motion.rotationRate.z > 1.4)
        }
        #expect(log.motions.count == 800)
    }
}
