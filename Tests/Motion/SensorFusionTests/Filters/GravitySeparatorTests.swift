// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import TestSupport
import Testing

@Suite("Separation of gravity and user acceleration by a low-pass filter")
struct GravitySeparatorTests {
    private let both = [GravitySeparator(), GravitySeparator(butterworthCutoff: 0.5)]

    @Test("Gravity and user acceleration of every recorded sample add up to the sample")
    func identity() throws {
        var recordings = try ["shake", "free-fall"].map(Recording.industrial)
        recordings += try ["std_6_sub9", "dws_1_sub1", "jog_16_sub5"].map(Recording.coreMotion)
        for recording in recordings {
            // In g and in m/s².
            for unit in [1, 9.80665] {
                for start in both {
                    var separator = start
                    var last = recording[0].time
                    for sample in recording {
                        let total = sample.acceleration * unit
                        let parts = separator.update(total, interval: sample.time - last)
                        last = sample.time
                        #expect(length(parts.gravity + parts.userAcceleration - total) < 1e-12)
                    }
                }
            }
        }
    }

    @Test("Both parts add up to the sample at random intervals, including repeated timestamps")
    func identityAtRandom() {
        var random = SeededGenerator(seed: 5)
        for start in both {
            var separator = start
            for _ in 0..<2000 {
                let total = random.normal(3)
                let interval = Double.random(in: -0.01...0.1, using: &random)
                let parts = separator.update(total, interval: interval)
                #expect(length(parts.gravity + parts.userAcceleration - total) < 1e-12)
            }
        }
    }

    @Test("At rest, the whole acceleration is gravity from the first sample")
    func rest() {
        for start in both {
            var separator = start
            for _ in 0..<100 {
                let parts = separator.update(SIMD3(0, -0.6, -0.8), interval: 0.02)
                #expect(parts.gravity == SIMD3(0, -0.6, -0.8))
                #expect(parts.userAcceleration == .zero)
            }
        }
    }

    @Test("After a sudden rotation, the user acceleration decays at the rate of the low-pass filter")
    func rotation() {
        var separator = GravitySeparator(timeConstant: 0.2)
        _ = separator.update(SIMD3(0, -1, 0), interval: 0.01)
        for index in 1...100 {
            let parts = separator.update(SIMD3(-1, 0, 0), interval: 0.01)
            let remainder = exp(-Double(index) * 0.01 / 0.2)
            #expect(length(parts.gravity - SIMD3(remainder - 1, -remainder, 0)) < 1e-12)
            #expect(length(parts.userAcceleration - SIMD3(-remainder, remainder, 0)) < 1e-12)
        }
    }

    @Test("In free fall, gravity and user acceleration decay to zero")
    func freeFall() {
        for start in both {
            var separator = start
            _ = separator.update(SIMD3(0, 0, -1), interval: 0.01)
            for _ in 0..<1000 { _ = separator.update(.zero, interval: 0.01) }
            #expect(length(separator.value.gravity) < 1e-8)
            #expect(length(separator.value.userAcceleration) < 1e-8)
        }
    }

    /// Returns the root mean square of the angle to Core Motion's gravity over a recording, in degrees.
    private func error(_ recording: [Recording.Sample], timeConstant: Double) -> Double {
        var separator = GravitySeparator(timeConstant: timeConstant)
        let squares = recording.map { sample in
            pow(angle(separator.update(sample.acceleration, interval: 0.02).gravity, sample.gravity), 2)
        }
        return sqrt(squares.reduce(0, +) / Double(squares.count))
    }

    @Test("Time constants above the default do not improve the gravity estimate on stairs")
    func defaultTimeConstant() throws {
        let stairs = try Recording.coreMotion("dws_1_sub1")
        let standard = error(stairs, timeConstant: 0.2)
        #expect(error(stairs, timeConstant: 0.05) > 1.1 * standard)
        for longer in [0.3, 0.5, 1] { #expect(error(stairs, timeConstant: longer) > 0.9 * standard) }
        #expect(error(try Recording.coreMotion("std_6_sub9"), timeConstant: 0.2) < 4)
    }

    @Test("A non-finite sample does not change either part")
    func invalidInput() {
        for start in both {
            var separator = start
            let none = separator.update(SIMD3(.nan, 0, 0), interval: 0.01)
            #expect(none == SeparatedAcceleration(gravity: .zero, userAcceleration: .zero))
            _ = separator.update(SIMD3(0, 0, -1), interval: 0.01)
            let parts = separator.update(SIMD3(0, 0.5, -1), interval: 0.01)
            #expect(separator.update(SIMD3(0, 0, .infinity), interval: 0.01) == parts)
            #expect(separator.value == parts)
            #expect(separator.update(SIMD3(0, 0, 3), interval: .nan).gravity == parts.gravity)
            separator.reset()
            #expect(separator.update(SIMD3(1, 0, 0), interval: 0.01).gravity == SIMD3(1, 0, 0))
        }
    }
}
