// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

@testable import SensorFusion

/// The recordings in Simulators/Traces/steps and the results of other methods.
enum Walks {
    /// A walk, in m/s² at 50 Hz, with its reference counts.
    struct Walk: Sendable {
        var name: String
        var samples: [SIMD3<Double>]
        var truth: Double
        /// The number of steps with closures of a foot switch within 0.3 s merged.
        var merged: Double
        var plain: Double
        var published: Double
    }

    static let all: [Walk] = {
        guard let lines = try? Recording.lines("Reference/steps.tsv") else { return [] }
        return lines.compactMap { line in
            let fields = line.split(separator: "\t")
            guard fields.count == 5, let truth = Double(fields[1]), let merged = Double(fields[2]),
                let plain = Double(fields[3]), let published = Double(fields[4])
            else { return nil }
            return Walk(
                name: String(fields[0]), samples: samples(String(fields[0]), scale: 0.01), truth: truth, merged: merged,
                plain: plain, published: published)
        }
    }()

    /// Reads the rows of a file and scales them to m/s².
    static func samples(_ name: String, scale: Double) -> [SIMD3<Double>] {
        let url = Checkout.traces.appendingPathComponent("steps/\(name).csv")
        guard let text = try? String(contentsOf: url, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").dropFirst().compactMap { line in
            let numbers = line.split(separator: ",").compactMap { Double($0) }
            return numbers.count == 3 ? SIMD3(numbers[0], numbers[1], numbers[2]) * scale : nil
        }
    }

    /// Returns the number of steps counted by a tracker.
    static func count(_ samples: [SIMD3<Double>], rate: Double = 50) -> Double {
        var tracker = WalkTracker()
        var steps = 0
        for (index, sample) in samples.enumerated() {
            _ = tracker.update(sample, at: Double(index) / rate)
            steps += tracker.steps.count
        }
        return Double(steps)
    }

    /// Returns the mean relative error in percent.
    static func meanError(_ counts: [Double], _ truths: [Double]) -> Double {
        let errors = zip(counts, truths).map { (count: Double, truth: Double) in abs(count - truth) / truth * 100 }
        return errors.reduce(0, +) / Double(max(1, truths.count))
    }

    /// Returns the accelerations of a user who walks in place with the given cadence, in steps per second.
    static func synthetic(seconds: Double, cadence: Double, strength: Double = 3, rate: Double = 50) -> [SIMD3<Double>]
    {
        (0..<Int(seconds * rate)).map { index in
            SIMD3(0, 0, 9.80665 + strength * sin(2 * .pi * cadence * Double(index) / rate))
        }
    }
}
