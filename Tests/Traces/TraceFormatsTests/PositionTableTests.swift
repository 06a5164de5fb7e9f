// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing
import Trace
import TraceEditing

@testable import TraceFormats

@Suite("Tables of positions")
struct PositionTableTests {
    private static let start = "2023-11-14T22:13:20.000Z"

    /// Returns a trace with two positions, an interval without a fix, and motion readings.
    private func trace(hasMotion: Bool = true) throws -> TraceFile {
        let lines = [
            #"{"class":"SKY","device":"/dev/a","hdop":0.9,"uSat":7}"#,
            #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2023-11-14T22:13:20.000Z","lat":47.5,"lon":-11.25,"altHAE":147.25,"altMSL":100.125,"track":90.5,"speed":1.5,"climb":-0.25,"eph":3.0,"epv":4.5,"eps":0.5,"epd":2.25}"#,
            #"{"class":"TPV","device":"/dev/a","mode":1,"time":"2023-11-14T22:13:21.000Z"}"#,
            #"{"class":"TPV","device":"/dev/a","mode":2,"time":"2023-11-14T22:13:22.123456Z","lat":47.6,"lon":-11,"epx":3,"epy":4}"#,
        ]
        let builder = TraceBuilder(name: "t")
        var header = TraceHeader(start: .init(wallTime: WallTime(nanoseconds: 1_700_000_000_000_000_000), boot: .zero))
        if hasMotion { header.add(SensorDescription(id: "g", kind: .gyroscope)) }
        try builder.write(header)
        for (index, line) in lines.enumerated() {
            let time = Int64(index) * 500_000_000
            try builder.write(TraceEvent(time: time, .gpsd([UInt8](line.utf8))))
            guard hasMotion else { continue }
            try builder.write(
                TraceEvent(time: time, .sample([Double(index), 0, -1], kind: .gyroscope, sensor: "g", stamp: nil)))
        }
        return try builder.file()
    }

    private func table(_ trace: TraceFile, _ contents: CSVContents = .both) throws -> (text: String, remarks: [String])
    {
        try Files.withFolder { folder in
            var options = ExportOptions()
            options.table = contents
            let remarks = try RecordingFormat.csv.write(trace, to: folder + "/t.csv", options: options)
            return (String(decoding: try Files.bytes(folder + "/t.csv"), as: UTF8.self), remarks)
        }
    }

    private static let header =
        "t,time,lat,lon,alt_msl,hae,speed,course,climb,hacc,vacc,sacc,cacc,mode,sat,hdop,vdop,pdop"

    // The second horizontal accuracy is the length of the errors to the east and north: √(3² + 4²) = 5.
    private static let positions = [
        "0.500000000,2023-11-14T22:13:20.000Z,47.5,-11.25,100.125,147.25,1.5,90.5,-0.25,3,4.5,0.5,2.25,3,7,0.9,,",
        "1.000000000,2023-11-14T22:13:21.000Z,,,,,,,,,,,,1,,,,",
        "1.500000000,2023-11-14T22:13:22.123456000Z,47.6,-11,,,,,,5,,,,2,7,0.9,,",
    ]

    @Test("A table of positions has a row for each report, also for those without a fix")
    func positionsOnly() throws {
        let expected = ([Self.header] + Self.positions).joined(separator: "\n") + "\n"
        let alone = try table(try trace(hasMotion: false))
        #expect(alone.text == expected)
        #expect(alone.remarks == [])
        let chosen = try table(try trace(), .positions)
        #expect(chosen.text == expected)
        #expect(chosen.remarks == ["4 motion readings were omitted."])
    }

    @Test("A table of motion has the same columns as before there were tables of positions")
    func motionOnly() throws {
        let (text, remarks) = try table(try trace(), .motion)
        #expect(
            text == """
                t,gx,gy,gz
                0.000000000,0.0,0.0,-1.0
                0.500000000,1.0,0.0,-1.0
                1.000000000,2.0,0.0,-1.0
                1.500000000,3.0,0.0,-1.0

                """)
        #expect(remarks.contains("4 gpsd reports were omitted."))
        #expect(remarks.contains { $0.contains("The start time \(Self.start) was omitted") })
    }

    @Test("A table of both has the motion readings in the rows of positions with the same time")
    func both() throws {
        let (text, remarks) = try table(try trace())
        let empty = String(repeating: ",", count: 16)
        let rows =
            ["0.000000000,\(empty),0.0,0.0,-1.0"]
            + zip(Self.positions, 1...).map { row, index in "\(row),\(index).0,0.0,-1.0" }
        #expect(text == ([Self.header + ",gx,gy,gz"] + rows).joined(separator: "\n") + "\n")
        #expect(remarks == [])
        let back = try RecordingFile.read([UInt8](text.utf8), name: "t.csv")
        #expect(back.format == .csv)
        #expect(back.remarks == [])
        #expect(back.trace.start == WallTime(nanoseconds: 1_699_999_999_500_000_000))
        let motion = try Recording(trace: back.trace)
        #expect(motion.track(.gyroscope)?.times == [0, 500_000_000, 1_000_000_000, 1_500_000_000])
        #expect(motion.track(.gyroscope)?.values.map(\.x) == [0, 1, 2, 3])
    }

    @Test("A table without the chosen contents is an error that names them")
    func missing() throws {
        let builder = TraceBuilder(name: "empty")
        try builder.write(TraceHeader())
        let empty = try builder.file()
        for (contents, word) in [
            (CSVContents.positions, "no positions"), (.motion, "no motion readings"), (.both, "neither positions nor"),
        ] {
            let error = #expect(throws: DeviceError.self) { try table(empty, contents) }
            #expect(error?.message.contains("empty contains \(word)") == true, "\(String(describing: error))")
        }
    }

    @Test("Columns can be removed from a table, except for the times and the coordinates")
    func removedColumns() throws {
        let text = "lon,lat,time,t\n7,50,2023-11-14T22:13:20Z,1\n7.001,50,2023-11-14T22:13:21Z,2\n"
        let fixes = ReadPositions(try RecordingFile.read([UInt8](text.utf8), name: "t.csv").trace).fixes
        #expect(fixes.map(\.longitude) == [7, 7.001])
        // 0.001 degrees of longitude at 50 degrees north are 111 319.49 m × cos 50° / 1000 ≈ 71.7 m.
        #expect(abs((fixes.last?.speed ?? 0) - 71.7) < 0.2)
    }

    private static let recordings: [String] = {
        let names = FileManager.default.enumerator(atPath: Files.traces.path)?.compactMap { $0 as? String } ?? []
        return names.filter { name in [".chk", ".json", ".log", ".trace"].contains(where: name.hasSuffix) }.sorted()
    }()

    @Test("Positions of every shipped recording are read back unchanged")
    func readBack() throws {
        var recordingCount = 0
        var positionCount = 0
        for name in Self.recordings {
            let original: TraceFile
            do { original = try RecordingFile.open(Files.trace(name)).trace } catch { continue }
            let expected = Self.epochs(of: original)
            guard expected.contains(where: \.report.hasFix) else { continue }
            let (text, _) = try table(original, .positions)
            let back = try RecordingFile.read([UInt8](text.utf8), name: "t.csv")
            let found = Self.epochs(of: back.trace)
            #expect(found.count == expected.count, "\(name)")
            for (left, right) in zip(expected, found) {
                #expect(left.report.time == right.report.time, "\(name)")
                if let arrival = left.arrival { #expect(right.arrival == arrival, "\(name)") }
                for column in PositionColumns.all where column.quantity != .fixTime {
                    let values = [left, right].map { PositionColumns.value(of: column.quantity, in: $0) }
                    // Derived altitudes are rounded to 0.1 mm when they are written.
                    let isEqual = values[0].isNaN ? values[1].isNaN : abs(values[0] - values[1]) < 1e-9
                    #expect(isEqual, "\(name) \(column.name): \(values)")
                }
            }
            recordingCount += 1
            positionCount += found.count
        }
        #expect(
            recordingCount >= 20 && positionCount > 1400, "\(recordingCount) recordings, \(positionCount) positions")
    }

    private static func epochs(of trace: TraceFile) -> [PositionEpochs.Epoch] {
        trace.bytes.withUnsafeBytes { bytes in
            var epochs = PositionEpochs(trace, includesMissing: true)
            var found: [PositionEpochs.Epoch] = []
            while let epoch = epochs.next(bytes) { if epoch.report.mode != .unknown { found.append(epoch) } }
            return found
        }
    }
}
