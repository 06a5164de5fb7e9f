// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import TraceFormats

@Suite("Clocks set back during a recording")
struct ClockStepTests {
    /// Returns a table with one row for each time. The first axis is the index of the row divided by 1000.
    private static func table(_ times: [Double]) -> String {
        times.enumerated().reduce(into: "t,gx,gy,gz\n") { $0 += "\($1.element),\(Double($1.offset) / 1000),0,0\n" }
    }

    private static func seconds(_ count: Int, from start: Double) -> [Double] {
        (0..<count).map { start + Double($0) / 100 }
    }

    private static func order(_ recording: Recording) -> [Int] {
        recording.track(.gyroscope)?.values.map { Int(($0.x * 1000).rounded()) } ?? []
    }

    @Test("Readings after a clock step continue after those before it, with one remark", arguments: [30, 1.5])
    func back(by seconds: Double) throws {
        let former = Self.seconds(4000, from: 0)
        // Without the step, the next reading would be at 40 s.
        let recording = try Recording(text: Self.table(former + Self.seconds(4000, from: 40 - seconds + 0.003)))
        #expect(Self.order(recording) == Array(0..<8000))
        let times = try #require(recording.track(.gyroscope)?.times)
        #expect(times[4000] - times[3999] == 10_000_000 && times[7999] == 79_990_000_000)
        #expect(
            recording.remarks == [
                "The clock was set back once, by up to \(seconds) s; in the trace, later readings follow earlier ones."
            ])
    }

    @Test("A clock may be set back twice, and to before the start of the recording")
    func twice() throws {
        let recording = try Recording(
            text: Self.table(
                Self.seconds(1000, from: 100) + Self.seconds(1000, from: 105) + Self.seconds(3000, from: 90)))
        #expect(Self.order(recording) == Array(0..<5000))
        #expect(recording.track(.gyroscope)?.times.last == 149_990_000_000)
        #expect(recording.remarks.count == 1 && recording.remarks.first?.contains("2 times, by up to 25.0 s") == true)
    }

    @Test(
        "Positions stay with the readings of their rows, whether or not their own times show the step",
        arguments: [1.5, 2, 3])
    func positions(back: Double) throws {
        var text = "t,gx,gy,gz,lat,lon\n"
        for row in 0..<2000 {
            let time = Double(row) / 100 - (row < 1000 ? 0 : back)
            // One position a second, at a latitude of 40 degrees plus 0.001 degrees for each row.
            let location = row % 100 == 50 ? "\(40 + Double(row) / 1000),8" : ","
            text += "\(time),\(Double(row) / 1000),0,0,\(location)\n"
        }
        let map = try CSVColumnMap("time=t,gyro.x=gx,gyro.y=gy,gyro.z=gz,lat=lat,lon=lon")
        let recording = try Recording(table: [UInt8](text.utf8), name: "t.csv", columns: map)
        #expect(Self.order(recording) == Array(0..<2000))
        let trace = try recording.trace(named: "t")
        let fixes = ReadPositions(trace).reports.map { ($0.seconds, $0.report.latitude) }
        #expect(fixes.count == 20)
        for (number, fix) in fixes.enumerated() {
            #expect(abs(fix.1 - (40.05 + 0.1 * Double(number))) < 1e-9, "\(fixes)")
            #expect(abs(fix.0 - (0.5 + Double(number))) < 0.011, "\(fixes)")
        }
        #expect(recording.remarks.count { $0.contains("set back") } == 1, "\(recording.remarks)")
    }

    @Test("Late, repeated and interleaved readings are not mistaken for a clock step")
    func others() throws {
        let hole = Self.seconds(1000, from: 0) + Self.seconds(1000, from: 20) + Self.seconds(1000, from: 10)
        let late = try Recording(text: Self.table(hole))
        #expect(Self.order(late) == Array(0..<1000) + Array(2000..<3000) + Array(1000..<2000))
        #expect(late.remarks == ["1 readings of the gyroscope were out of order and were sorted."])

        let lines = Self.table(Self.seconds(1000, from: 0)).split(separator: "\n")
        let reread = try Recording(text: (lines + lines.suffix(500)).joined(separator: "\n") + "\n")
        #expect(Self.order(reread) == Array(0..<1000))
        #expect(
            reread.remarks.contains(
                "500 readings of the gyroscope had the same time as another reading and were skipped."))

        let first = Self.seconds(500, from: 30)
        let second = Self.seconds(500, from: 30 - 0.205)
        let both = try Recording(text: Self.table(zip(first, second).flatMap { [$0, $1] }))
        #expect(!both.remarks.contains { $0.contains("set back") }, "\(both.remarks)")
        #expect(both.track(.gyroscope)?.times.last == 34_990_000_000)
        // Alternate blocks of ten readings are 1.255 s earlier, and alternate bursts of eight readings 5 s earlier.
        let blocks = (0..<100).flatMap { block in
            Self.seconds(10, from: Double(block) / 10 + (block % 2 == 0 ? 0 : -1.255))
        }
        let bursts = (0..<500).flatMap { Self.seconds(8, from: Double($0) * 0.3 - ($0 % 2 == 0 ? 0 : 5)) }
        for times in [blocks, bursts] {
            let recording = try Recording(text: Self.table(times))
            #expect(!recording.remarks.contains { $0.contains("set back") }, "\(recording.remarks)")
        }
    }

    @Test("Times at the limits of the range are not clock steps")
    func extremes() throws {
        let times = [
            -9_000_000_000, -5_000_000_000, 0, 5_000_000_000, 9_000_000_000, -8_999_999_999, 1, 8_999_999_999.0,
        ]
        let recording = try Recording(text: Self.table(times))
        #expect(recording.count == 8)
        #expect(!recording.remarks.contains { $0.contains("set back") })
    }

    @Test("A Sensor Logger directory keeps accelerometer and gyroscope readings at equal times")
    func sensorLogger() throws {
        func file(_ value: String) -> String {
            (0..<4000).reduce(into: "time,seconds_elapsed,z,y,x\n") { text, row in
                let time = Double(row) / 100 - (row < 2000 ? 0 : 10)
                text += "\(1_790_000_000_000_000_000 + Int64((time * 1e9).rounded())),\(time),\(value)\n"
            }
        }
        let metadata = "version,device name,recording time,platform,sensors\n2,x,2026-09-21_14-13-20,android,a\n"
        let files = [
            "Metadata.csv": metadata, "Accelerometer.csv": file("0.1,0,0"), "Gravity.csv": file("9.8,0,0"),
            "Gyroscope.csv": file("0.1,0.2,0.3"),
        ]
        let recording = try Recording(
            sensorLogger: files.mapValues { [UInt8]($0.utf8) }, name: "logger", options: SensorLoggerOptions())
        let counts = recording.tracks.map(\.count)
        #expect(recording.track(.accelerometer)?.times == recording.track(.gyroscope)?.times, "\(counts)")
    }
}
