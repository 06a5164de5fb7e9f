// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls
import Testing
import Trace

@testable import TraceFormats

@Suite("Streaming export of motion readings")
struct MotionExportTests {
    /// Returns a trace with two sensors: one delivers each reading immediately, the other one in batches of 32, each
    /// 0.3 s late. One reading repeats the time of the previous one, and the first one is before the start.
    private static func walk(count: Int) throws -> TraceFile {
        let builder = TraceBuilder(name: "walk")
        var header = TraceHeader(
            start: .init(wallTime: WallTime(nanoseconds: 1_700_000_000_000_000_000), boot: .zero))
        var gyroscope = SensorDescription(id: "g", kind: .gyroscope)
        gyroscope.mountMatrix = MountMatrix([0, 1, 0], [-1, 0, 0], [0, 0, 1])
        header.add(gyroscope)
        header.add(SensorDescription(id: "a", kind: .accelerometer))
        try builder.write(header)
        for index in 0..<count {
            let time = Int64(index) * 10_000_000
            try builder.write(
                TraceEvent(time: time, .sample([Double(index) / 8, 0, -1], kind: .gyroscope, sensor: "g", stamp: nil)))
            guard index % 32 == 31 else { continue }
            for late in index - 31...index {
                let stamp = Int64(late == 5 ? 4 : late) * 10_000_000 - 300_000_000
                try builder.write(
                    TraceEvent(
                        time: time,
                        .sample([1, Double(late) / 4, 9.5], kind: .accelerometer, sensor: "a", stamp: stamp)))
            }
        }
        return try builder.file()
    }

    @Test("CSV written event by event equals the CSV of a recording in memory")
    func csv() throws {
        // More readings than fit into the sorting window.
        let trace = try Self.walk(count: SortedReadings.window)
        let expected = try Recording(trace: trace).csv()
        try Files.withFolder { folder in
            let remarks = try RecordingFormat.csv.write(trace, to: folder + "/a.csv")
            #expect(try Files.bytes(folder + "/a.csv") == expected)
            #expect(
                remarks.contains("1 readings had the same time as another reading of their sensor and were omitted."))
            // 0.3 s before the start.
            #expect(remarks.contains { $0.contains("2023-11-14T22:13:19.700Z") })
        }
    }

    @Test("libiio files written event by event equal those of a recording in memory")
    func iio() throws {
        let trace = try Self.walk(count: 2048)
        let recording = try Recording(trace: trace)
        try Files.withFolder { folder in
            _ = try RecordingFormat.iio.write(trace, to: folder + "/a")
            for (name, bytes) in try recording.iioFiles() {
                #expect(try Files.bytes(folder + "/a/" + name) == bytes, "\(name)")
            }
            #expect(throws: DeviceError.self) { try RecordingFormat.iio.write(trace, to: folder + "/a") }
            _ = try RecordingFormat.iio.write(trace, to: folder + "/a", overwrite: true)
        }
    }

    @Test("If libiio files cannot be written, a new directory is removed and an existing one is kept")
    func unwritten() throws {
        let trace = try Self.walk(count: 10)
        let recording = try Recording(trace: trace)
        try Files.withFolder { folder in
            // So deep that the directory can be created but no file in it, because paths have at most 4095 bytes.
            var path = folder
            while path.utf8.count < 3900 { path += "/" + String(repeating: "a", count: 100) }
            try Files.makeFolder(path)
            path += "/" + String(repeating: "b", count: 4093 - path.utf8.count)
            #expect(throws: DeviceError.self) { try RecordingFormat.iio.write(trace, to: path) }
            #expect(!FileIO.isDirectory(path))
            #expect(throws: DeviceError.self) { try recording.writeIIO(folder: path) }
            #expect(!FileIO.isDirectory(path))
            try Files.makeFolder(path)
            #expect(throws: DeviceError.self) { try RecordingFormat.iio.write(trace, to: path) }
            #expect(FileIO.isDirectory(path))
        }
    }

    @Test("Readings later than the sorting window are omitted and counted")
    func late() throws {
        let builder = TraceBuilder(name: "late")
        var header = TraceHeader()
        header.add(SensorDescription(id: "p", kind: .pressure))
        try builder.write(header)
        let count = SortedReadings.window + 10
        for index in 0...count {
            let stamp = index == count ? 5 : Int64(index) * 10
            try builder.write(
                TraceEvent(
                    time: Int64(index) * 10,
                    .sample([Double(index), 0, 0], kind: .pressure, sensor: "p", stamp: stamp)))
        }
        var readings = try SortedReadings(try builder.file())
        var times: [Int64] = []
        while let reading = readings.next() { times.append(reading.time) }
        #expect(times == (0..<count).map { Int64($0) * 10 })
        #expect(readings.lateCount == 1 && readings.repeatedCount == 0)
    }
}
