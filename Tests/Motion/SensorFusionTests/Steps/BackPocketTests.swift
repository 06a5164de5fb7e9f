// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import SensorFusion

/// Walks with different numbers of peaks per stride. In back pockets, there are more than two.
@Suite("Steps with several peaks")
struct BackPocketTests {
    /// A peak of the acceleration: its phase in the stride, from 0 to 1, and its height in m/s².
    typealias Bump = (phase: Double, height: Double)

    /// Simulates two minutes of strides with these peaks, whose phases and heights vary slightly. Returns the actual
    /// number of steps and the counted number.
    private func walk(_ bumps: [Bump], stride: Double, seed: UInt64) -> (steps: Double, counted: Double) {
        var random = SeededGenerator(seed: seed)
        var magnitudes = [Double](repeating: 9.81, count: 6000)
        var (time, strides) = (1.0, 0.0)
        while time < 118 {
            for bump in bumps {
                let center = time + bump.phase * stride + random.normal(0.015).x
                let height = bump.height * (1 + random.normal(0.12).x)
                let middle = Int(center * 50)
                for row in max(0, middle - 20)..<min(magnitudes.count, middle + 20) {
                    let distance = (Double(row) / 50 - center) / 0.07
                    magnitudes[row] += height * exp(-distance * distance / 2)
                }
            }
            time += stride * (1 + random.normal(0.02).x)
            strides += 1
        }
        let samples = magnitudes.map { random.normal(0.1) + SIMD3(0, 0, $0) }
        return (2 * strides, Walks.count(samples))
    }

    @Test(
        "Three peaks per stride are counted as two steps",
        arguments: [
            ([(0, 7), (0.45, 3.5), (0.77, 3)], 1.2), ([(0, 7), (0.45, 3.5), (0.77, 3)], 1.3),
            ([(0, 7), (0.4, 3), (0.7, 4)], 1.1), ([(0, 7), (0.4, 3), (0.7, 4)], 1.2),
            ([(0, 7), (0.4, 3), (0.7, 4)], 1.3),
        ] as [([Bump], Double)])
    func threePeaks(bumps: [Bump], stride: Double) {
        for seed: UInt64 in 1...4 {
            let (steps, counted) = walk(bumps, stride: stride, seed: seed)
            #expect(abs(counted - steps) < 0.12 * steps, "\(counted) of \(steps), seed \(seed)")
        }
    }

    @Test(
        "Two peaks per stride are counted as two steps, even if their heights differ",
        arguments: [
            ([(0, 5), (0.5, 5)], 0.72), ([(0, 5), (0.5, 5)], 1), ([(0, 5), (0.5, 5)], 1.3), ([(0, 7), (0.45, 3)], 0.9),
            ([(0, 7), (0.45, 3)], 1.1), ([(0, 7), (0.6, 2.5)], 1.2),
        ] as [([Bump], Double)])
    func twoPeaks(bumps: [Bump], stride: Double) {
        for seed: UInt64 in 1...4 {
            let (steps, counted) = walk(bumps, stride: stride, seed: seed)
            #expect(abs(counted - steps) < 0.05 * steps, "\(counted) of \(steps), seed \(seed)")
        }
    }
}
