// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import SensorFusion

@Suite("Activity classification")
struct ActivityTests {
    private static let labels: [(name: String, activity: CarriedActivity)] = [
        ("sit", .stationary), ("std", .stationary), ("wlk", .walking), ("ups", .walking), ("dws", .walking),
        ("jog", .running),
    ]

    /// Returns the activity at the end of each window of 2.56 s, every 1.28 s.
    private func received(_ samples: [SIMD3<Double>], speed: Double? = nil, from start: Double = 0) -> [ActivityState] {
        var tracker = WalkTracker()
        return samples.enumerated().compactMap { index, sample in
            _ = tracker.update(sample, at: start + Double(index) / 50, speed: speed)
            return index >= 127 && (index - 127) % 64 == 0 ? tracker.activity : nil
        }
    }

    @Test("The macro F1 score over unseen subjects is above 0.987 and above that of the best rule")
    func macroF1() throws {
        var confusion: [[CarriedActivity: Double]] = []
        var sure = [Double](repeating: 0, count: 3)
        var right = sure
        for activity in [CarriedActivity.stationary, .walking, .running] {
            var row: [CarriedActivity: Double] = [:]
            for label in Self.labels where label.activity == activity {
                for subject in [15, 17, 19] {
                    for state in received(Walks.samples("ms_\(label.name)_sub\(subject)", scale: 0.00980665)) {
                        row[state.activity, default: 0] += 1
                        sure[Int(state.confidence.rawValue)] += 1
                        if state.activity == activity { right[Int(state.confidence.rawValue)] += 1 }
                    }
                }
            }
            confusion.append(row)
        }
        let classes = [CarriedActivity.stationary, .walking, .running]
        let scores = classes.indices.map { index -> Double in
            let hits = confusion[index][classes[index]] ?? 0
            let truth = confusion[index].values.reduce(0, +)
            let claimed = confusion.reduce(0) { $0 + ($1[classes[index]] ?? 0) }
            return 2 * hits / (truth + claimed)
        }
        let score = scores.reduce(0, +) / 3
        #expect(score >= 0.987, "\(confusion)")
        let rule = try #require(
            Recording.lines("Reference/steps.tsv").first { $0.hasPrefix("macro F1 of the rule") }?
                .split(separator: "\t").last.flatMap { Double($0) })
        #expect(score > rule)
        // Results with a higher confidence are correct more often.
        #expect(right[1] / sure[1] > 0.98 && right[2] / sure[2] > 0.99)
        #expect(right[0] / sure[0] < right[1] / sure[1])
    }

    @Test("The activity does not depend on the orientation of the device")
    func rotation() {
        let samples = Walks.samples("ms_jog_sub19", scale: 0.00980665)
        let (c, s) = (cos(0.7), sin(0.7))
        let rotated = samples.map { v -> SIMD3<Double> in
            let w = SIMD3(c * v.x - s * v.y, s * v.x + c * v.y, v.z)
            return SIMD3(w.x, c * w.y - s * w.z, s * w.y + c * w.z)
        }
        #expect(received(samples).map(\.activity) == received(rotated).map(\.activity))
    }

    @Test("The confidence of a constant activity grows, and its start time does not change")
    func confidence() throws {
        let states = received([SIMD3](repeating: SIMD3(0, 0, 9.8), count: 50 * 30))
        #expect(states.allSatisfy { $0.activity == .stationary && $0.start == 0 })
        #expect(states.prefix(2).allSatisfy { $0.confidence == .low })
        #expect(states.dropFirst(2).prefix(7).allSatisfy { $0.confidence == .medium })
        #expect(states.dropFirst(9).allSatisfy { $0.confidence == .high })
    }

    @Test("A knock does not change the activity, and a walk starts at its actual start")
    func majority() {
        let rest = [SIMD3](repeating: SIMD3(0, 0, 9.8), count: 50 * 20)
        let knock = (0..<32).map { SIMD3(0, 0, 9.8 + ($0.isMultiple(of: 2) ? 8.0 : -8)) }
        // The knock is in the middle of half a window. Across two halves, it would be in three of five windows.
        let knocked = received(rest.dropLast(25) + knock + rest)
        #expect(knocked.filter { $0.activity != .stationary }.count <= 1)
        let walk = received(rest + Walks.synthetic(seconds: 20, cadence: 1.8))
        #expect(walk.last?.activity == .walking)
        // The walk began after twenty seconds.
        #expect(abs((walk.last?.start ?? 0) - 20) < 2.6)
    }

    @Test("Movement without a rhythm is classified as unknown")
    func unknown() {
        var random = SeededGenerator(seed: 11)
        let handled = (0..<1500).map { _ -> SIMD3<Double> in
            let x = Double(random.next() % 1000) / 500 - 1
            let z = Double(random.next() % 1000) / 500 - 1
            return SIMD3(x * 6, 0, 9.8 + z * 6)
        }
        let states = received(handled)
        #expect(states.count { $0.activity == .unknown } > states.count / 2)
        #expect(states.allSatisfy { $0.confidence == .low })
    }

    private func vehicle(_ speeds: [Double?], pedals: Bool = false) -> [CarriedActivity] {
        var tracker = WalkTracker()
        var received: [CarriedActivity] = []
        for (second, speed) in speeds.enumerated() {
            for index in 0..<50 {
                let time = Double(second) + Double(index) / 50
                let sample = SIMD3(0, 0, 9.8 + (pedals ? 2.5 * sin(2 * .pi * 1.2 * time) : 0.2 * sin(40 * time)))
                _ = tracker.update(sample, at: time, speed: speed)
            }
            received.append(tracker.activity?.activity ?? [])
        }
        return received
    }

    @Test("A fast ride is automotive, and a stop at a traffic light is both automotive and stationary")
    func automotive() {
        let drive =
            [Double?](repeating: 15, count: 60) + [Double?](repeating: 0, count: 30)
            + [Double?](repeating: 12, count: 30)
        let received = vehicle(drive)
        #expect(received[30] == .automotive)
        #expect(received[80] == [.automotive, .stationary])
        #expect(received[110] == .automotive)
        #expect(received.dropFirst(10).allSatisfy { $0.contains(.automotive) })
        // The ride ends a minute after the last movement.
        #expect(vehicle(drive + [Double?](repeating: 0, count: 70)).last == .stationary)
        #expect(vehicle(drive + [Double?](repeating: nil, count: 70)).last == .stationary)
    }

    @Test("A constant speed of 5 m/s counts as automotive after twenty seconds")
    func slowRide() {
        let received = vehicle([Double?](repeating: 5, count: 40))
        #expect(received[15] == .stationary)
        #expect(received[39] == .automotive)
    }

    @Test("Without a valid speed, no ride is detected")
    func withoutSpeed() {
        #expect(vehicle([Double?](repeating: nil, count: 60)).last == .stationary)
        let odd = vehicle([Double?](repeating: .nan, count: 30) + [Double?](repeating: -4, count: 30))
        #expect(odd.last == .stationary)
    }

    @Test("Pedalling at 5 m/s is classified as cycling until steps are detected")
    func cycling() {
        var detector = RideDetector()
        for second in 0..<10 { detector.update(speed: 5, pedalling: 0.8, at: Double(second)) }
        #expect(detector.ride == .cycling)
        for second in 10..<20 {
            detector.record(steps: 2, at: Double(second))
            detector.update(speed: 2.6, pedalling: 0.8, at: Double(second))
        }
        #expect(detector.ride == nil)
    }

    @Test("Eight steps end a ride")
    func getOut() {
        var detector = RideDetector()
        detector.update(speed: 20, pedalling: 0, at: 0)
        #expect(detector.ride == .automotive)
        detector.record(steps: 8, at: 10)
        #expect(detector.ride == nil)
        detector.update(speed: 1, pedalling: 0, at: 11)
        #expect(detector.ride == nil)
    }
}
