// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import TestSupport
import Testing

/// A simulated device in the magnetic field of Berlin (in microtesla, with a dip of 68 degrees).
struct TurningDevice {
    static let earth = SIMD3<Double>(0, 18.6, -46)
    static let interval = 0.02

    var generator = SeededGenerator(seed: 7)
    var attitude = Quaternion.identity
    var time = 0.0
    var hard = SIMD3<Double>(30, -12, 55)
    var noise = 0.3
    /// The drift of the attitude's heading, in radians per second.
    var drift = 0.0
    /// The bias of the gyroscope in radians per second, in device axes. It affects only the heading of the attitude;
    /// the inclination is corrected.
    var bias = SIMD3<Double>.zero
    private var heading = 0.0

    init() {}

    /// Rotates the device at a rate for one interval. Returns the reading, the attitude as estimated by a filter, and
    /// the time.
    mutating func step(_ rate: SIMD3<Double>, extra: SIMD3<Double> = .zero) -> (SIMD3<Double>, Quaternion, Double) {
        let half = rate * (Self.interval / 2)
        attitude = (attitude * Quaternion(x: half.x, y: half.y, z: half.z, w: 1)).normalized
        time += Self.interval
        heading += (drift + (attitude.up * bias).sum()) * Self.interval
        let reading = Distortion.apply(attitude.conjugate.rotate(Self.earth + extra)) - Distortion.hard + hard
        return (reading + generator.normal(noise), Quaternion(aboutZ: heading) * attitude, time)
    }

    /// Updates a calibrator with readings of the rotating device, at a rate or in all directions.
    mutating func feed(_ calibrator: inout MagnetometerCalibrator, steps: Int, rate: SIMD3<Double>? = nil) {
        for _ in 0..<steps {
            let (field, attitude, time) = step(rate ?? tumble())
            _ = calibrator.update(field, attitude: attitude, timestamp: time)
        }
    }

    /// Returns the rate of a device that is rotated by hand in all directions.
    func tumble() -> SIMD3<Double> {
        SIMD3(1.3 * sin(0.9 * time), 1.1 * cos(0.7 * time + 1), 0.9 * sin(0.53 * time + 2))
    }
}

@Suite("Magnetometer calibrator")
struct MagnetometerCalibratorTests {
    /// Returns the largest distance of corrected readings from the earth's field in device axes, relative to the field.
    private func worstError(_ calibration: MagneticCalibration, hard: SIMD3<Double>) -> Double {
        var generator = SeededGenerator(seed: 3)
        let strength = length(TurningDevice.earth)
        // The determinant of the distortion, which remains as a factor because the determinant of a correction is 1.
        let volume =
            (Distortion.soft.0 * cross(Distortion.soft.1, Distortion.soft.2)).sum()
        let scale = cbrt(volume)
        return (0..<200).map { _ in
            let field = generator.direction() * strength
            let corrected = calibration.apply(to: Distortion.apply(field) - Distortion.hard + hard)
            return length(corrected / scale - field) / strength
        }.max() ?? .infinity
    }

    @Test("Hard and soft iron are determined despite a drifting heading")
    func found() {
        var device = TurningDevice()
        device.drift = 0.002
        var calibrator = MagnetometerCalibrator()
        var changes = 0
        for _ in 0..<3000 {
            let (field, attitude, time) = device.step(device.tumble())
            if calibrator.update(field, attitude: attitude, timestamp: time) { changes += 1 }
        }
        let found = calibrator.calibration
        #expect(changes > 0 && changes < 15)
        #expect(worstError(found, hard: device.hard) < 0.02)
        #expect(found.quality == .high)
        #expect(found.coverage > 0.7)
        #expect(found.residual < 0.02)
        #expect(abs(found.dip - atan2(46, 18.6)) < 0.02)
        #expect(abs(calibrator.latency) < 0.003)
        // The determinant of the matrix is 1.
        let rows = found.softIron
        #expect(abs((rows[0] * cross(rows[1], rows[2])).sum() - 1) < 1e-9)
    }

    @Test("Hard and soft iron are determined without a gyroscope")
    func foundAlone() {
        var device = TurningDevice()
        var calibrator = MagnetometerCalibrator()
        for _ in 0..<3000 {
            let (field, _, time) = device.step(device.tumble())
            _ = calibrator.update(field, attitude: nil, timestamp: time)
        }
        #expect(worstError(calibrator.calibration, hard: device.hard) < 0.03)
        #expect(calibrator.calibration.quality == .high)
        #expect(calibrator.calibration.dip.isNaN)
    }

    @Test("Rest and noise do not change the calibration", arguments: [true, false])
    func resting(_ hasAttitude: Bool) {
        var device = TurningDevice()
        var calibrator = MagnetometerCalibrator()
        for _ in 0..<3000 {
            let (field, attitude, time) = device.step(.zero)
            let changed = calibrator.update(field, attitude: hasAttitude ? attitude : nil, timestamp: time)
            #expect(!changed)
        }
        #expect(calibrator.calibration == MagneticCalibration())
    }

    @Test("Without attitudes, rotations about a single axis do not change the calibration")
    func planar() {
        var device = TurningDevice()
        var calibrator = MagnetometerCalibrator()
        for _ in 0..<3000 {
            let (field, _, time) = device.step([0, 0, 1.5])
            _ = calibrator.update(field, attitude: nil, timestamp: time)
        }
        #expect(!calibrator.calibration.correctsReadings)
        #expect(calibrator.calibration.quality <= .low)
        #expect(calibrator.candidateUncertainty > 0.15)
    }

    @Test("One rotation on a table is sufficient for headings on the table but not in other attitudes")
    func onceAround() {
        var device = TurningDevice()
        device.bias = [0.01, 0.02, 0.05]
        device.hard *= 6
        var calibrator = MagnetometerCalibrator()
        func step(_ rate: SIMD3<Double>) -> Double {
            let (field, attitude, time) = device.step(rate)
            _ = calibrator.update(field, attitude: attitude, timestamp: time)
            let level = device.attitude.rotate(calibrator.calibration.apply(to: field))
            return abs(atan2(level.x, level.y)) * 180 / .pi
        }
        for _ in 0..<1500 { _ = step([0, 0, 0.5]) }
        // One degree is due to the noise of a single reading.
        for _ in 0..<500 { #expect(step([0, 0, 0.5]) < 4) }
        #expect(calibrator.quality >= .medium)
        #expect(calibrator.calibration.sidesUp == [.face])
        #expect(calibrator.headingDeviation < 5 * .pi / 180)
        // The device is set upright within half a second. The field perpendicular to the table has not been measured.
        for _ in 0..<25 { _ = step([.pi, 0, 0]) }
        for _ in 0..<5 { _ = step(.zero) }
        #expect(calibrator.quality <= .low)
        #expect(calibrator.headingDeviation > 8 * .pi / 180)
    }

    @Test("A large gyroscope bias without any rest is not mistaken for iron")
    func biasedGyroscope() {
        var device = TurningDevice()
        device.bias = [0.03, -0.05, 0.075]
        device.hard *= 8
        var calibrator = MagnetometerCalibrator()
        for _ in 0..<3000 {
            let (field, attitude, time) = device.step(device.tumble())
            _ = calibrator.update(field, attitude: attitude, timestamp: time)
        }
        #expect(worstError(calibrator.calibration, hard: device.hard) < 0.02)
        #expect(calibrator.calibration.quality == .high)
        // The same with a part of the bias known and subtracted.
        var known = MagnetometerCalibrator()
        device = TurningDevice()
        device.bias = [0.03, -0.05, 0.025]
        device.hard *= 8
        for _ in 0..<3000 {
            let (field, attitude, time) = device.step(device.tumble())
            _ = known.update(field, attitude: attitude, bias: [0, 0, 0.05], timestamp: time)
        }
        #expect(worstError(known.calibration, hard: device.hard) < 0.02)
    }

    @Test("A nearby magnet for a quarter of the time does not affect the result", arguments: [true, false])
    func magnet(_ hasAttitude: Bool) {
        var device = TurningDevice()
        var calibrator = MagnetometerCalibrator()
        for index in 0..<3200 {
            let isNear = index % 800 >= 600
            let extra = isNear ? SIMD3<Double>(60, 20, -30) : .zero
            let (field, attitude, time) = device.step(device.tumble(), extra: extra)
            _ = calibrator.update(field, attitude: hasAttitude ? attitude : nil, timestamp: time)
        }
        #expect(worstError(calibrator.calibration, hard: device.hard) < 0.06)
    }

    @Test("The device is calibrated again after a magnet has been attached")
    func newMagnet() {
        var device = TurningDevice()
        var calibrator = MagnetometerCalibrator()
        device.feed(&calibrator, steps: 1500)
        device.hard += [-40, 10, 20]
        device.feed(&calibrator, steps: 7500)
        #expect(worstError(calibrator.calibration, hard: device.hard) < 0.05)
    }

    @Test("Iron that is added after a minute is determined within half a minute, and older samples are dropped")
    func laterIron() {
        var device = TurningDevice()
        var calibrator = MagnetometerCalibrator()
        device.feed(&calibrator, steps: 3000)
        device.hard += [40, 0, 0]
        device.feed(&calibrator, steps: 1500)
        #expect(worstError(calibrator.calibration, hard: device.hard) < 0.05)
        #expect(calibrator.quality >= .medium)
    }

    @Test("A fit that contradicts the expected field is rejected")
    func expected() {
        var device = TurningDevice()
        var calibrator = MagnetometerCalibrator()
        // The readings have a strength of about 50. The expected strength of 100 makes them implausible, as inside a
        // steel building.
        calibrator.setExpectedField(strength: 100, dip: 1.18)
        for _ in 0..<2000 {
            let (field, attitude, time) = device.step(device.tumble())
            _ = calibrator.update(field, attitude: attitude, timestamp: time)
        }
        #expect(calibrator.candidate.quality == .low)
        #expect(!calibrator.calibration.correctsReadings)
        var plain = MagnetometerCalibrator()
        plain.setExpectedField(strength: 49.6, dip: 1.187)
        device = TurningDevice()
        for _ in 0..<2000 {
            let (field, attitude, time) = device.step(device.tumble())
            _ = plain.update(field, attitude: attitude, timestamp: time)
        }
        #expect(plain.calibration.quality == .high)
    }

    @Test("Extreme samples do not change the calibration and cause no crash", arguments: [true, false])
    func hostile(_ hasAttitude: Bool) {
        var calibrator = MagnetometerCalibrator()
        var generator = SeededGenerator(seed: 11)
        let odd: [Double] = [.nan, .infinity, -.infinity, 0, 1e300, -1e14, 1e-300, .greatestFiniteMagnitude, 5]
        for index in 0..<4000 {
            func pick() -> Double { odd[Int.random(in: odd.indices, using: &generator)] }
            let q = Quaternion(x: pick(), y: pick(), z: pick(), w: pick())
            let time = index % 3 == 0 ? pick() : Double(index) * 0.02
            _ = calibrator.update([pick(), pick(), pick()], attitude: hasAttitude ? q : nil, timestamp: time)
            #expect(calibrator.calibration.isUsable)
        }
        // The calibrator still works after a reset.
        calibrator.reset()
        var device = TurningDevice()
        for _ in 0..<3000 {
            let (field, attitude, time) = device.step(device.tumble())
            _ = calibrator.update(field, attitude: hasAttitude ? attitude : nil, timestamp: time)
        }
        #expect(worstError(calibrator.calibration, hard: device.hard) < 0.03)
    }

    @Test("Random readings yield no calibration", arguments: [true, false])
    func random(_ hasAttitude: Bool) {
        var device = TurningDevice()
        var calibrator = MagnetometerCalibrator()
        for _ in 0..<2000 {
            let (_, attitude, time) = device.step(device.tumble())
            let field = device.generator.normal(40)
            _ = calibrator.update(field, attitude: hasAttitude ? attitude : nil, timestamp: time)
        }
        #expect(!calibrator.calibration.correctsReadings)
    }

    @Test("A mirrored sensor is not calibrated")
    func mirrored() {
        var device = TurningDevice()
        var calibrator = MagnetometerCalibrator()
        for _ in 0..<2000 {
            let (field, attitude, time) = device.step(device.tumble())
            _ = calibrator.update(field * SIMD3(1, 1, -1), attitude: attitude, timestamp: time)
        }
        #expect(!calibrator.calibration.correctsReadings)
        #expect(calibrator.calibration.quality <= .low)
    }

    @Test("The same readings yield the same calibration in any unit")
    func deterministic() {
        func run(_ factor: Double) -> MagneticCalibration {
            var device = TurningDevice()
            var calibrator = MagnetometerCalibrator()
            for _ in 0..<1500 {
                let (field, attitude, time) = device.step(device.tumble())
                _ = calibrator.update(field * factor, attitude: attitude, timestamp: time)
            }
            return calibrator.calibration
        }
        let first = run(1)
        #expect(first == run(1))
        #expect(first.correctsReadings)
        let gauss = run(0.01)
        #expect(length(gauss.hardIron * 100 - first.hardIron) < 1e-6)
    }

    @Test("An unusable initial calibration is ignored, and a usable one is applied immediately")
    func start() {
        var bad = MagneticCalibration()
        bad.softIron = [[1, 0, 0], [0, 1, 0], [0, 0, -1]]
        #expect(MagnetometerCalibrator(start: bad).calibration == MagneticCalibration())
        bad.softIron = [[.nan, 0, 0], [0, 1, 0], [0, 0, 1]]
        #expect(MagnetometerCalibrator(start: bad).calibration == MagneticCalibration())
        var good = MagneticCalibration()
        good.hardIron = [1, 2, 3]
        good.quality = .medium
        var calibrator = MagnetometerCalibrator(start: good)
        #expect(calibrator.calibration == good)
        // The quality is low because iron may have been added since the calibration was stored.
        #expect(calibrator.quality == .low)
        calibrator.reset()
        #expect(calibrator.calibration == good && calibrator.quality == .low)
    }

    @Test("A stored calibration that is no longer valid is replaced")
    func staleStart() {
        var stale = MagneticCalibration()
        stale.hardIron = [-30, 40, 0]
        stale.quality = .high
        stale.fieldStrength = 50
        var device = TurningDevice()
        var calibrator = MagnetometerCalibrator(start: stale)
        device.feed(&calibrator, steps: 2000)
        #expect(worstError(calibrator.calibration, hard: device.hard) < 0.03)
        #expect(calibrator.calibration.difference(from: stale) > 0.5)
    }

    @Test("A stored calibration that is still valid regains its quality after the device has been rotated")
    func testedStart() {
        var device = TurningDevice()
        var first = MagnetometerCalibrator()
        device.feed(&first, steps: 3000)
        #expect(first.quality == .high)
        var again = MagnetometerCalibrator(start: first.calibration)
        #expect(again.quality == .low)
        device.feed(&again, steps: 1000)
        #expect(again.calibration.hasSameCorrection(as: first.calibration))
        #expect(again.quality >= .medium)
    }

    @Test("The survey reports poses: flat on a table, rotated once, and tilted over an edge")
    func poseCoverage() throws {
        var device = TurningDevice()
        var calibrator = MagnetometerCalibrator()
        func rotate(_ rate: SIMD3<Double>, seconds: Double) {
            device.feed(&calibrator, steps: Int(seconds / TurningDevice.interval), rate: rate)
        }
        #expect(calibrator.poseCoverage == nil)
        // The first two seconds are ignored.
        rotate(.zero, seconds: 3)
        let start = try #require(calibrator.poseCoverage)
        #expect(start.sectorsCovered <= 1 && !start.isCalibrated)
        rotate([0, 0, .pi / 4], seconds: 2)
        let quarter = try #require(calibrator.poseCoverage)
        // Rotating by 90 degrees from north to west covers 3 of 12 sectors, and possibly the beginning of another.
        #expect((3...4).contains(quarter.sectorsCovered) && quarter.sidesUp == [.face])
        rotate([0, 0, .pi / 4], seconds: 7)
        #expect(calibrator.poseCoverage?.sectorsCovered == PoseCoverage.sectorCount)
        rotate([0, .pi / 4, 0], seconds: 2)
        // The rotation is right-handed about the y axis, so the right edge is lowered.
        let tipped = try #require(calibrator.poseCoverage)
        #expect(tipped.sidesUp == [.face, .leftEdge])
        // Rotations about the vertical do not reveal the iron along it. The next fit determines it.
        rotate([0, .pi / 4, 0], seconds: 2)
        #expect(calibrator.poseCoverage?.isCalibrated == true)
    }

    @Test("The ellipsoid fit matches scipy")
    func reference() throws {
        let lines = try Recording.lines("Reference/ellipsoid.txt")
        let rows = try lines.dropFirst().map { try Recording.numbers($0, separator: " ", count: 3) }
        let expected = rows.prefix(4).map { SIMD3($0[0], $0[1], $0[2]) }
        var calibrator = MagnetometerCalibrator()
        for (index, row) in rows.dropFirst(4).enumerated() {
            _ = calibrator.update([row[0], row[1], row[2]], attitude: nil, timestamp: Double(index) * 0.1)
        }
        let found = calibrator.candidate
        #expect(found.quality == .high)
        // The fit is weighted by cells and has a prior for a sphere, so the tolerance is a tenth of the noise.
        #expect(length(found.hardIron - expected[0]) < 0.05)
        for index in 0..<3 { #expect(length(found.softIron[index] - expected[index + 1]) < 0.004) }
    }
}

extension MagneticCalibration {
    /// False if readings are used without a correction.
    fileprivate var correctsReadings: Bool { !hasSameCorrection(as: MagneticCalibration()) }
}
