// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine
import SensorFusion
import TestSupport
import Testing

/// A trial of the BROAD dataset: the readings, and the optical reference where the cameras detected the board.
private struct Trial {
    struct Row {
        var gyroscope: SIMD3<Double>
        var accelerometer: SIMD3<Double>
        /// Gauss.
        var magnetometer: SIMD3<Double>
        var truth: Quaternion?
        var isMoving: Bool
    }

    /// The interval between rows, in seconds.
    static let interval = 0.0105

    let rows: [Row]

    init(_ name: String) throws {
        let folder = Checkout.traces.appending(path: "broad")
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        rows = text.split(separator: "\n").dropFirst().map { line in
            let fields = line.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
            func vector(_ start: Int, _ unit: Double) -> SIMD3<Double> {
                SIMD3(fields[start], fields[start + 1], fields[start + 2]) * unit
            }
            let hasTruth = fields.count >= 14 && fields[9...12].allSatisfy(\.isFinite)
            return Row(
                gyroscope: vector(0, 1e-4), accelerometer: vector(3, 1e-3), magnetometer: vector(6, 1e-3),
                truth: hasTruth
                    ? Quaternion(x: fields[10], y: fields[11], z: fields[12], w: fields[9]).normalized : nil,
                isMoving: fields.count >= 14 && fields[13] == 1)
        }
    }

    static func index(_ time: BootTime) -> Int { Int((time.seconds(since: EngineBench.time(0)) / interval).rounded()) }

    /// Returns the states that a client receives from hardware that uses the lowest sufficient rate: 95, 48 or 19
    /// readings per second.
    func states(interval: Double) -> [FusedState] {
        let bench = EngineBench()
        let log = FusionLog()
        let subscription = bench.engine.subscribe(
            FusionRequest(need: .heading, interval: interval), receive: log.receive)
        let requestedInterval = bench.interval(.gyroscope) ?? 0
        let step = requestedInterval >= 0.0525 ? 5 : requestedInterval >= 0.021 ? 2 : 1
        for index in stride(from: 0, to: rows.count, by: step) {
            let row = rows[index]
            let seconds = Double(index) * Self.interval
            bench.move(to: seconds)
            bench.post(.gyroscope, row.gyroscope, at: seconds)
            bench.post(.accelerometer, row.accelerometer, at: seconds)
            bench.post(.magnetometer, row.magnetometer, at: seconds)
        }
        bench.hub.postInputIdle()
        subscription.cancel()
        return log.states
    }

    /// Returns the root mean square of the attitude error while the board moves, in degrees. If `indices` is given,
    /// only these rows are used.
    func error(_ states: [FusedState], among indices: Set<Int>? = nil) -> Double {
        var sum = 0.0
        var count = 0.0
        for state in states {
            let index = Self.index(state.time)
            guard rows.indices.contains(index), rows[index].isMoving, let truth = rows[index].truth,
                indices?.contains(index) ?? true, let attitude = state.magneticAttitude
            else { continue }
            let angle = 2 * acos(min(1, abs((attitude * truth.conjugate).w))) * 180 / .pi
            sum += angle * angle
            count += 1
        }
        return (sum / count).squareRoot()
    }
}

@Suite("Motion engine on recordings with an optical reference")
struct BroadTests {
    @Test("A client with an interval of 50 ms receives the same attitudes as one with 10 ms")
    func slowClient() throws {
        let trial = try Trial("broad_08_undisturbed_fast_rotation_with_breaks_A.csv")
        let fast = trial.states(interval: 0.01)
        let slow = trial.states(interval: 0.05)
        #expect(fast.count == trial.rows.count)
        let wanted = Double(fast.count) * 0.0105 / 0.05
        #expect(abs(Double(slow.count) - wanted) <= 2)
        let common = Set(slow.map { Trial.index($0.time) })
        let (fastError, slowError) = (trial.error(fast, among: common), trial.error(slow, among: common))
        #expect(abs(fastError - slowError) < 0.1)
        #expect(slowError < 3.614)
    }

    /// The errors of VQF 2.1 with default parameters on the same rows, computed in the same way.
    @Test(
        "The engine's error is at most 0.2 degrees above that of the best published filter",
        arguments: [
            ("broad_03_undisturbed_slow_rotation_C.csv", 1.964),
            ("broad_08_undisturbed_fast_rotation_with_breaks_A.csv", 3.614),
            ("broad_15_undisturbed_fast_translation_A.csv", 2.164),
            ("broad_30_disturbed_stationary_magnet_C.csv", 1.822),
        ])
    func trials(_ name: String, _ reference: Double) throws {
        let trial = try Trial(name)
        let states = trial.states(interval: 0)
        #expect(states.count == trial.rows.count)
        #expect(trial.error(states) < reference + 0.2)
    }
}
