// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import Plotting

@Suite("Axis ticks")
struct TicksTests {
    @Test(
        "A step is 1, 2 or 5 times a power of ten and not smaller than requested",
        arguments: [
            (0.3, 0.5), (0.5, 0.5), (0.51, 1), (1, 1), (1.1, 2), (2.3, 5), (7, 10), (99, 100), (101, 200),
            (0.0021, 0.005),
            (1e-9, 1e-9), (3e6, 5e6),
        ])
    func steps(least: Double, expected: Double) { #expect(niceStep(atLeast: least) == expected) }

    @Test("Tick values and labels are exact decimal multiples of the step")
    func numbers() {
        // A range of 0.65 in at most 4 parts gives a step of 0.2.
        let ticks = Ticks.numbers(0.1...0.75, count: 4)
        #expect(ticks.values == [0.2, 0.4, 0.6])
        #expect(ticks.labels == ["0.2", "0.4", "0.6"])
        let signed = Ticks.numbers(-1.05...1.05, count: 5)
        #expect(signed.values == [-1, -0.5, 0, 0.5, 1])
        #expect(signed.labels == ["−1.0", "−0.5", "0.0", "0.5", "1.0"])
        // 3 * 0.1 is not 0.3 in floating point.
        #expect(Ticks.numbers(0...0.5, count: 5).values == [0, 0.1, 0.2, 0.3, 0.4, 0.5])
    }

    @Test("The labels of an axis are distinct for every range, however small")
    func smallRanges() {
        for exponent in -9...9 {
            let scale = powerOfTen(exponent, times: 1)
            for offset in [0.0, 3.3, -47] {
                let ticks = Ticks.numbers(offset * scale...(offset + 0.8) * scale, count: 5)
                #expect(ticks.values.count >= 3)
                #expect(Set(ticks.labels).count == ticks.labels.count, "\(ticks)")
            }
        }
        let high = Ticks.numbers(1234.5612...1234.5689, count: 4)
        #expect(high.labels == ["1234.562", "1234.564", "1234.566", "1234.568"])
    }

    @Test("Labels with many zeros are replaced by a power of ten in the unit")
    func exponents() {
        let large = Ticks.numbers(0...2e6, count: 4)
        #expect(large.exponent == 6)
        #expect(large.labels == ["0.0", "0.5", "1.0", "1.5", "2.0"])
        #expect(PlotText.unit("m", exponent: large.exponent) == "10⁶ m")
        let small = Ticks.numbers(0...4e-4, count: 4)
        #expect(small.exponent == -6)
        #expect(small.labels == ["0", "100", "200", "300", "400"])
    }

    @Test("Angle ticks divide the circle evenly")
    func degrees() {
        #expect(Ticks.degrees(-180...180, count: 5).labels == ["−180", "−90", "0", "90", "180"])
        #expect(Ticks.degrees(0...360, count: 5).labels == ["0", "90", "180", "270", "360"])
        #expect(Ticks.degrees(10...70, count: 4).values == [15, 30, 45, 60])
        #expect(Ticks.degrees(10...11, count: 4).labels == ["10.0", "10.5", "11.0"])
    }

    @Test("Axes of counts have steps of 1, 2 and 5 for small counts, and powers of ten for large counts")
    func counts() {
        #expect(Ticks.logarithmicCounts(upTo: 3, count: 5).labels == ["1", "2"])
        #expect(Ticks.logarithmicCounts(upTo: 12, count: 5).labels == ["1", "2", "5", "10"])
        #expect(Ticks.logarithmicCounts(upTo: 17_517, count: 5).labels == ["1", "10", "100", "1,000", "10,000"])
        #expect(Ticks.logarithmicCounts(upTo: 17_517, count: 3).labels == ["1", "100", "10,000"])
    }

    @Test("Empty and infinite ranges have no ticks, and a single value has a finite domain")
    func nothing() {
        // A step of 0.01 would leave 101.32 as the only tick, so the step is halved.
        #expect(Ticks.numbers(101.313...101.329, count: 2).labels == ["101.315", "101.320", "101.325"])
        #expect(Ticks.numbers(1...1, count: 5).values.isEmpty)
        #expect(Ticks.numbers(0...Double.infinity, count: 5).values.isEmpty)
        #expect(Ticks.numbers(0...1, count: 0).values.isEmpty)
        #expect(Scale.domain(nil, .plain) == 0...1)
        #expect(Scale.domain(-1...(-1), .plain) == -1.1...(-0.9))
        #expect(Scale.domain(0...0, .plain) == -1...1)
        #expect(Scale.domain(0...0, .amount).contains(0) && Scale.domain(0...0, .amount).contains(1))
        // An axis of speeds starts at zero if the values are near zero.
        #expect(Scale.domain(1...10, .amount).contains(0) && Scale.domain(1...10, .amount).lowerBound > -0.5)
        #expect(Scale.domain(100...101, .amount).lowerBound > 99)
    }
}

@Suite("Time axis ticks")
struct TimeTicksTests {
    @Test("Time axes use seconds up to two minutes, then minutes, hours and days")
    func units() {
        let short = TimeTicks(0...30, count: 10)
        #expect(short.title == "Time (s)")
        #expect(short.ticks.labels == ["0", "5", "10", "15", "20", "25", "30"])
        let minutes = TimeTicks(0...600, count: 10)
        #expect(minutes.title == "Time (min)")
        #expect(minutes.ticks.labels == ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"])
        let parts = TimeTicks(0...150, count: 8)
        #expect(parts.title == "Time (min:s)")
        #expect(parts.ticks.labels == ["0:00", "0:20", "0:40", "1:00", "1:20", "1:40", "2:00", "2:20"])
        let hours = TimeTicks(0...36_000, count: 10)
        #expect(hours.title == "Time (h)")
        #expect(hours.ticks.values.last == 36_000)
        #expect(hours.ticks.labels.last == "10")
        let halves = TimeTicks(7200...14_400, count: 5)
        #expect(halves.title == "Time (h:min)")
        #expect(halves.ticks.labels == ["2:00", "2:30", "3:00", "3:30", "4:00"])
        let days = TimeTicks(0...864_000, count: 10)
        #expect(days.title == "Time (days)")
        #expect(days.ticks.labels.last == "10")
    }

    @Test("Fractions of a second are labeled as decimal numbers")
    func fractions() {
        #expect(TimeTicks(0...0.4, count: 4).ticks.labels == ["0.0", "0.1", "0.2", "0.3", "0.4"])
        #expect(TimeTicks(100...100.4, count: 4).ticks.labels.first == "100.0")
    }

    @Test("Ticks of a UTC axis lie at round times of day")
    func civil() throws {
        let start = try #require(CivilDate.time(year: 2026, month: 11, day: 21, hour: 23, minute: 58, second: 40))
        let near = TimeTicks(0...60, count: 6, clock: .civil(start))
        #expect(near.title == "Time (UTC, 2026-11-21)")
        #expect(
            near.ticks.labels == ["23:58:40", "23:58:50", "23:59:00", "23:59:10", "23:59:20", "23:59:30", "23:59:40"])
        let far = TimeTicks(0...300, count: 6, clock: .civil(start))
        #expect(far.title == "Time (UTC, 2026-11-21 to 2026-11-22)")
        #expect(far.ticks.labels == ["23:59", "11-22", "00:01", "00:02", "00:03"])
        #expect(far.ticks.values == [20, 80, 140, 200, 260])
    }

    @Test("Durations are formatted in seconds, minutes and hours")
    func lengths() {
        #expect(PlotText.length(0) == "0 s")
        #expect(PlotText.length(12.34) == "12.3 s")
        #expect(PlotText.length(330) == "5 min 30 s")
        #expect(PlotText.length(7260) == "2 h 1 min")
        #expect(PlotText.length(.nan) == "?")
    }
}
