// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import SensorFusion

@Suite("Step length, pace and floors")
struct StepMeasureTests {
    @Test("The step length follows Chen's formula")
    func chen() {
        var length = StepLength()
        // 0.7 + 0.371 * (1.70 - 1.75) = 0.68145 m at 1.79 Hz. One more step per second adds 0.227 * 1.70 / 1.75 =
        // 0.220514 m.
        #expect(abs(length.length(interval: 1 / 1.79, speed: nil) - 0.68145) < 1e-6)
        #expect(abs(length.length(interval: 1 / 2.79, speed: nil) - 0.901964) < 1e-6)
    }

    @Test("The receiver's speed determines the step length and calibrates later estimates")
    func learning() {
        var length = StepLength()
        // 1.53 m/s at 1.79 Hz corresponds to 0.8547 m, or 1.2543 times the formula.
        for _ in 0..<200 {
            #expect(abs(length.length(interval: 1 / 1.79, speed: 1.53) - 0.8547) < 1e-3)
        }
        #expect(abs(length.factor - 1.2543) < 0.01)
        #expect(abs(length.length(interval: 1 / 1.79, speed: nil) - 0.8547) < 0.01)
        #expect(StepLength(factor: length.factor) == StepLength(factor: length.factor))
        #expect(StepLength(factor: .nan).factor == 1)
        #expect(StepLength(factor: 9).factor == 1.3)
    }

    @Test("An implausible speed does not affect the calibration")
    func nonsense() {
        var length = StepLength()
        for speed in [0, -3, .nan, .infinity, 40] {
            for _ in 0..<50 { #expect((0.2...2.5).contains(length.length(interval: 0.5, speed: speed))) }
        }
        #expect(length.factor == 1)
    }

    @Test("Cadence and speed cover the last five seconds and become nil after a pause")
    func pace() throws {
        var pace = StepPace()
        #expect(pace.pace(at: 0) == nil)
        for index in 0..<40 { pace.add(Footstep(time: Double(index) * 0.5, interval: 0.5), length: 0.7) }
        let now = try #require(pace.pace(at: 19.6))
        #expect(abs(now.cadence - 2) < 1e-9)
        #expect(abs(now.speed - 1.4) < 1e-9)
        #expect(pace.pace(at: 22) != nil)
        #expect(pace.pace(at: 22.5) == nil)
    }

    /// Returns a counter that has processed one height per second, with or without steps.
    private func climb(_ heights: [Double], steps: Bool = true) -> FloorCounter {
        var floors = FloorCounter()
        for (second, height) in heights.enumerated() {
            floors.update(height: height, at: Double(second))
            // Steps are reported four seconds later.
            guard steps, second > 4 else { continue }
            floors.record(step: Double(second) - 4.3)
            floors.record(step: Double(second) - 3.7)
        }
        return floors
    }

    @Test("12 m at 0.3 m/s are four floors up, and the way back is four floors down")
    func floors() {
        let up = (0..<10).map { _ in 0.0 } + (1...40).map { Double($0) * 0.3 } + (0..<30).map { _ in 12.0 }
        #expect(climb(up).ascended == 4)
        #expect(climb(up).descended == 0)
        let down = up + (1...40).map { 12 - Double($0) * 0.3 } + (0..<10).map { _ in 0.0 }
        #expect(climb(down).ascended == 4)
        #expect(climb(down).descended == 4)
    }

    @Test("A climb of 2.8 m is one floor and one of 2.5 m is none, even with a landing")
    func first() {
        func flight(_ height: Double) -> [Double] {
            let flat = [Double](repeating: 0, count: 10)
            let half = (1...5).map { step -> Double in Double(step) * height / 10 }
            let landing = [Double](repeating: height / 2, count: 4)
            return flat + half + landing + half.map { $0 + height / 2 } + flat.map { _ in height }
        }
        #expect(climb(flight(2.8)).ascended == 1)
        #expect(climb(flight(2.5)).ascended == 0)
    }

    @Test("A lift, the weather and barometer noise are not counted as floors")
    func noFloors() {
        let lift = (0..<30).map { _ in 0.0 } + (1...30).map { Double($0) } + (0..<30).map { _ in 30.0 }
        #expect(climb(lift, steps: false).ascended == 0)
        // A lift moves faster than walking, even if the user walks in it.
        #expect(climb(lift).ascended == 0)
        var random = SeededGenerator(seed: 5)
        let weather = (0..<3600).map { second -> Double in
            let noise = Double(random.next() % 1000) / 1000 - 0.5
            return Double(second) * 8 / 3600 + noise * 0.35
        }
        let counter = climb(weather)
        #expect(counter.ascended == 0 && counter.descended == 0, "\(counter.ascended) \(counter.descended)")
    }

    @Test("Non-finite heights, gaps and clock steps are not counted as floors")
    func oddHeights() {
        var floors = FloorCounter()
        for (height, time) in [
            (0, 0), (.nan, 1), (.infinity, 2), (300, 3), (0, .nan), (5, 100), (900, 50), (-900, 51), (0, 1e12),
        ] {
            floors.update(height: height, at: time)
            floors.record(step: time)
        }
        #expect(floors.ascended == 0 && floors.descended == 0)
    }
}
