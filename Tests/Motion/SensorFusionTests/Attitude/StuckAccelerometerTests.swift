// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import SensorFusion

@Suite("Stuck accelerometers")
struct StuckAccelerometerTests {
    /// Returns the root mean square of a trial's attitude errors in degrees, with the accelerometer stuck for ten
    /// seconds.
    private func error(_ trial: AttitudeTrial, from part: Double) -> Double {
        var filter = AttitudeFilter()
        let start = Int(part * Double(trial.rates.count))
        let end = start + Int(10 / AttitudeTrial.interval)
        var attitudes: [Quaternion] = []
        for row in trial.rates.indices {
            let time = trial.time(row)
            filter.updateGyroscope(trial.rates[row], timestamp: time)
            filter.updateAccelerometer(
                trial.accelerations[(start..<end).contains(row) ? start - 1 : row], timestamp: time)
            filter.updateMagnetometer(trial.fields[row], timestamp: time)
            attitudes.append(Quaternion(aboutZ: filter.northOffset ?? 0) * filter.attitude)
        }
        var (squares, count) = (0.0, 0.0)
        for truth in trial.truth {
            let angle = SyntheticMotion.angle(attitudes[truth.row], truth.attitude)
            squares += angle * angle
            count += 1
        }
        return (squares / count).squareRoot()
    }

    @Test("An accelerometer stuck for ten seconds causes a small error", arguments: AttitudeTrial.all.indices)
    func stuck(index: Int) {
        for part in [0.4, 0.6, 0.75] {
            // Without detection, these errors are 5 to 40 degrees.
            #expect(error(AttitudeTrial.all[index], from: part) < 5)
        }
    }

    @Test("Equal readings indicate a stuck sensor if readings were changing before")
    func run() {
        var detector = StuckSensorDetector()
        for number in 0..<1000 {
            let isStuck = detector.isStuck(SIMD4(Double(number), 0, 9.8, 0))
            #expect(!isStuck)
        }
        let stuck = (0..<100).map { _ in detector.isStuck(SIMD4(999, 0, 9.8, 0)) }
        #expect(stuck == (0..<100).map { $0 >= 4 })
        let other = detector.isStuck(SIMD4(1, 0, 9.8, 0))
        #expect(!other)
    }

    @Test("A low-resolution sensor at rest and a sensor polled too fast are not stuck", arguments: [2, 4, 10, 1000])
    func repeats(times: Int) {
        var detector = StuckSensorDetector()
        for number in 0..<5000 {
            let isStuck = detector.isStuck(SIMD4(Double(number / times), 0, 9.8, 0))
            #expect(!isStuck)
        }
    }

    @Test("A low-resolution sensor that comes to rest after motion is used again")
    func restAfterMotion() {
        var filter = AttitudeFilter()
        let bias = 0.02
        for step in 0..<9000 {
            let time = Double(step) / 100
            // The device rotates about the x axis for 30 s with changing readings, and then rests for a minute.
            let isMoving = step < 3000
            let angle = isMoving ? time : 30.0
            filter.updateGyroscope([(isMoving ? 1 : 0) + bias, 0, 0], timestamp: time)
            filter.updateAccelerometer([0, 9.80665 * sin(angle), 9.80665 * cos(angle)], timestamp: time)
        }
        let up = filter.attitude.conjugate.rotate(SIMD4(0, 0, 1, 0))
        let error = acos(min(1, up.y * sin(30.0) + up.z * cos(30.0))) * 180 / .pi
        // The bias alone would rotate the attitude by 69 degrees in this minute.
        #expect(error < 1)
    }
}
