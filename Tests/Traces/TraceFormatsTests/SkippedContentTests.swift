// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Testing
import Trace

@testable import TraceFormats

@Suite("Contents that formats cannot store")
struct SkippedContentTests {
    private static let second: Int64 = 1_000_000_000
    private static let start = WallTime(nanoseconds: 1_700_000_000_000_000_000)

    /// Returns a trace with all kinds of contents.
    private static func everything() throws -> TraceFile {
        let builder = TraceBuilder(name: "everything")
        var header = TraceHeader(start: .init(wallTime: start, boot: .zero))
        for (id, kind) in [
            ("a", SensorKind.accelerometer), ("b", .accelerometer), ("g", .gyroscope), ("m", .magnetometer),
            ("p", .pressure),
        ] {
            header.add(SensorDescription(id: id, kind: kind))
        }
        try builder.write(header)
        func line(_ text: String) -> TraceEvent.Contents { .gpsd([UInt8](text.utf8)) }
        let events: [TraceEvent.Contents] = [
            .battery(BatteryReading(level: 0.5, state: .charging)),
            .sample([1, 2, 9.5], kind: .accelerometer, sensor: "a", stamp: nil),
            .sample([3, 4, 9.5], kind: .accelerometer, sensor: "b", stamp: nil),
            .sample([0.1, 0.2, 0.3], kind: .gyroscope, sensor: "g", stamp: nil),
            .sample([0.2, 0.1, 0.4], kind: .magnetometer, sensor: "m", stamp: nil),
            .sample([101, 0, 0], kind: .pressure, sensor: "p", stamp: nil),
            line(
                #"{"class":"SKY","device":"/dev/a","time":"2023-11-14T22:13:26.000Z","hdop":0.9,"uSat":1,"satellites":[{"PRN":5,"el":45,"az":90,"ss":40,"used":true}]}"#
            ),
            line(
                #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2023-11-14T22:13:26.000Z","lat":47.5,"lon":11.25,"altMSL":500,"altHAE":547}"#
            ),
            line(
                #"{"class":"ATT","device":"/dev/a","time":"2023-11-14T22:13:26.000Z","heading":12.5,"pitch":1.5,"roll":2.5}"#
            ),
            .gpsdText([UInt8]("$PUBX,00".utf8)),
            .accessory(
                TraceAccessoryEvent(
                    accessory: "1", .attached(AccessoryDescription(identity: "port:1", name: "Scale")))),
            .beacon(.regained),
            .lost(DeviceError(.connectionLost, "gone")),
        ]
        for (index, contents) in events.enumerated() {
            try builder.write(TraceEvent(time: Int64(index) * second, contents))
        }
        return try builder.file()
    }

    /// A part of that trace that a recording may contain.
    private enum Part: String, CaseIterable {
        case position, satellites, attitude, acceleration, furtherSensor, battery, text, accessory, beacon, loss, start

        /// Words in the remark about a missing part.
        var words: [String] {
            switch self {
            case .position: ["gpsd reports"]
            case .satellites: ["gpsd reports", "satellite"]
            case .attitude: ["gpsd reports", "attitude"]
            case .acceleration: ["motion readings"]
            case .furtherSensor: ["motion readings", "further sensors"]
            case .battery: ["battery"]
            case .text: ["not gpsd reports"]
            case .accessory: ["accessory events"]
            case .beacon: ["beacon events"]
            case .loss: ["source loss"]
            case .start: ["start", "arrival times"]
            }
        }
    }

    private static func parts(of trace: TraceFile) -> Set<Part> {
        var parts: Set<Part> = []
        var sensors: Set<Int> = []
        if trace.start.map({ abs($0.nanoseconds - start.nanoseconds) <= 20 * second }) == true { parts.insert(.start) }
        if trace.header?.battery != nil { parts.insert(.battery) }
        trace.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(trace)
            var decoder = GPSDDecoder()
            while let record = cursor.next(bytes) {
                switch record.kind {
                case .gpsd:
                    switch decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[record.range])) {
                    case .position(let report): if report.hasFix { parts.insert(.position) }
                    case .sky: parts.insert(.satellites)
                    case .attitude: parts.insert(.attitude)
                    default: break
                    }
                case .gpsdText: parts.insert(.text)
                case .sample:
                    guard let sample = record.sample, sample.kind == .accelerometer else { continue }
                    parts.insert(.acceleration)
                    sensors.insert(sample.sensor)
                case .battery: parts.insert(.battery)
                case .accessory: parts.insert(.accessory)
                case .beacon: parts.insert(.beacon)
                case .lost, .regained, .sensorLost, .sensorRegained: parts.insert(.loss)
                }
            }
        }
        if sensors.count > 1 { parts.insert(.furtherSensor) }
        return parts
    }

    @Test(
        "Each part of a trace is read back or named in a remark",
        arguments: RecordingFormat.writableFormats)
    func named(format: RecordingFormat) throws {
        let trace = try Self.everything()
        #expect(Self.parts(of: trace) == Set(Part.allCases))
        try Files.withFolder { folder in
            let remarks = try format.write(trace, to: folder + "/out")
            var included: Set<Part>
            switch format {
            // These formats are only written. A line ends where positions are lost.
            case .kml, .geojson: included = [.position, .loss, .start]
            case .gpx, .xcode:
                included = Self.parts(of: try RecordingFile.open(folder + "/out").trace).union([.loss])
            default: included = Self.parts(of: try RecordingFile.open(folder + "/out").trace)
            }
            // A line between reports, which the reader skips.
            if format == .gpsd,
                String(decoding: try Files.bytes(folder + "/out"), as: UTF8.self).contains("\n$PUBX,00\n")
            {
                included.insert(.text)
            }
            for part in Part.allCases where !included.contains(part) {
                #expect(
                    remarks.contains { remark in part.words.contains { remark.contains($0) } },
                    "\(format): nothing is said of \(part): \(remarks)")
            }
            let hasPositions = format != .iio
            #expect(included.contains(.position) == hasPositions && (hasPositions || included.contains(.acceleration)))
        }
    }

    @Test(
        "A loss and a recovery of the source are both counted as omitted",
        arguments: [RecordingFormat.nmea, .gpsd, .csv])
    func recovery(format: RecordingFormat) throws {
        // The trace contains one of each.
        let trace = try MCAPFiles.trace()
        try Files.withFolder { folder in
            let remarks = try format.write(trace, to: folder + "/out")
            #expect(remarks.contains("2 source loss and recovery events were omitted."), "\(remarks)")
        }
    }

    @Test("Exports of gpsd's reports contain arrival times, or a remark names the option for them")
    func stamps() throws {
        let trace = try Self.everything()
        try Files.withFolder { folder in
            let plain = try RecordingFormat.gpsd.write(trace, to: folder + "/a.json")
            #expect(plain.contains { $0.contains("arrival times of 4 reports") && $0.contains("--stamps") })
            let stamped = try RecordingFormat.gpsd.write(
                trace, to: folder + "/b.json", options: ExportOptions(includesArrivalTimes: true))
            #expect(!stamped.contains { $0.contains("rrival times") })
            let times = ReadPositions(try RecordingFile.open(folder + "/b.json").trace).times
            // The file begins at its first line, 6 s after the start. The position is the next line.
            #expect(times == [1])
        }
    }

    @Test("A receiver can be chosen in every format that stores one receiver")
    func receiver() throws {
        let lines = ["/dev/a", "/dev/b"].enumerated().map { index, path in
            (
                Double(index),
                #"{"class":"TPV","device":"\#(path)","mode":2,"time":"2023-11-14T22:13:2\#(index).000Z","lat":\#(10 + index),"lon":20}"#
            )
        }
        let trace = try gpsdTrace(lines)
        try Files.withFolder { folder in
            for format in RecordingFormat.writableFormats where format.supportsReceiverSelection {
                let path = "\(folder)/\(format)"
                _ = try format.write(trace, to: path, options: ExportOptions(receiver: "/dev/b"))
                guard ![.kml, .geojson].contains(format) else {
                    #expect(String(decoding: try Files.bytes(path), as: UTF8.self).contains("20,11"))
                    continue
                }
                let latitudes = ReadPositions(try RecordingFile.open(path).trace).fixes.map(\.latitude)
                #expect(latitudes == [11], "\(format)")
            }
        }
    }
}
