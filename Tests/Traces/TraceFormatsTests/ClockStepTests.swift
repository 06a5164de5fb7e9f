// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import TraceFormats

@Suite("A clock that was set back during a recording")
struct ClockStepTests {
    /// A hundred readings a second; the first axis counts them. Each row has the time given for it.
    private static func table(_ times: [Double]) -> String {
        times.enumerated().reduce(into: "t,gx,gy,gz\n") { $0 += "\($1.element),\(Double($1.offset) / 1000),0,0\n" }
    }

    private static func seconds(_ count: Int, from start: Double) -> [Double] {
        (0..<count).map { start + Double($0) / 100 }
    }

    private static func order(_ recording: Recording) -> [Int] {
        recording.track(.gyroscope)?.values.map { Int(($0.x * 1000).rounded()) } ?? []
    }

    @Test("What it measured afterwards goes on behind what came before, and one remark says so", arguments: [30, 0.5])
    func back(by seconds: Double) throws {
        let former = Self.seconds(4000, from: 0)
        // The next reading would be of 40 s.
        let recording = try Recording(text: Self.table(former + Self.seconds(4000, from: 40 - seconds + 0.003)))
        #expect(Self.order(recording) == Array(0..<8000))
        let times = try #require(recording.track(.gyroscope)?.times)
        #expect(times[4000] - times[3999] == 10_000_000 && times[7999] == 79_990_000_000)
        #expect(
            recording.remarks == [
                "The clock was set back once, by up to \(seconds) s: what was measured afterwards stands behind what was measured before."
            ])
    }

    @Test("Twice, and back to before the beginning")
    func twice() throws {
        let recording = try Recording(
            text: Self.table(
                Self.seconds(1000, from: 100) + Self.seconds(1000, from: 105) + Self.seconds(3000, from: 90)))
        #expect(Self.order(recording) == Array(0..<5000))
        #expect(recording.track(.gyroscope)?.times.last == 149_990_000_000)
        #expect(recording.remarks.count == 1 && recording.remarks.first?.contains("2 times, by up to 25.0 s") == true)
    }

    @Test("Positions of the same rows stay with their readings")
    func positions() throws {
        var text = "t,gx,gy,gz,lat,lon\n"
        for row in 0..<1000 {
            let time = Double(row) / 100 - (row < 500 ? 0 : 3)
            // One a second, and one more behind the step.
            let place = row % 100 == 50 ? "4\(Double(row) / 1000),8" : ","
            text += "\(time),\(Double(row) / 1000),0,0,\(place)\n"
        }
        let recording = try Recording(text: text)
        #expect(Self.order(recording) == Array(0..<1000))
        let readings = try #require(recording.track(.gyroscope)?.times)
        for time in recording.reports.times { #expect(readings.contains(time)) }
        #expect(recording.reports.times == recording.reports.times.sorted())
        #expect(recording.remarks.count { $0.contains("set back") } == 1, "\(recording.remarks)")
    }

    @Test("Readings that came late are sorted, ones that stand there twice are left out, and two devices stay two")
    func others() throws {
        let hole = Self.seconds(1000, from: 0) + Self.seconds(1000, from: 20) + Self.seconds(1000, from: 10)
        let late = try Recording(text: Self.table(hole))
        #expect(Self.order(late) == Array(0..<1000) + Array(2000..<3000) + Array(1000..<2000))
        #expect(late.remarks == ["1 readings of the gyroscope stood out of order and were sorted."])

        let lines = Self.table(Self.seconds(1000, from: 0)).split(separator: "\n")
        let again = try Recording(text: (lines + lines.suffix(500)).joined(separator: "\n") + "\n")
        #expect(Self.order(again) == Array(0..<1000))
        #expect(again.remarks.contains("500 readings of the gyroscope had the time of another one and were left out."))

        let first = Self.seconds(500, from: 30)
        let second = Self.seconds(500, from: 30 - 0.205)
        let both = try Recording(text: Self.table(zip(first, second).flatMap { [$0, $1] }))
        #expect(!both.remarks.contains { $0.contains("set back") }, "\(both.remarks)")
        #expect(both.track(.gyroscope)?.times.last == 34_990_000_000)
    }
}
