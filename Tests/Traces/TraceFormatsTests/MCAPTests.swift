// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing
import Trace

@testable import TraceFormats

@Suite("MCAP files")
struct MCAPTests {
    @Test("A written trace is read back unchanged")
    func roundTrip() throws {
        let trace = try MCAPFiles.trace()
        let file = try MCAPFiles.with(trace) { try RecordingFile.open($0) }
        #expect(file.format == .mcap)
        #expect(file.remarks == [])
        #expect(MCAPFiles.lines(file.trace).dropFirst() == MCAPFiles.lines(trace).dropFirst())
        #expect(file.trace.header == trace.header)
    }

    @Test("The checksum equals zlib's, regardless of how the bytes are split")
    func checksum() {
        // The check value from the catalogue of parametrised CRC algorithms, and crc32(bytes(range(256))) of zlib.
        #expect(Array("123456789".utf8).withUnsafeBytes { CRC32.of($0) } == 0xcbf4_3926)
        let bytes = [UInt8](0...255)
        #expect(bytes.withUnsafeBytes { CRC32.of($0) } == 0x2905_8c73)
        for cut in 0...bytes.count {
            var sum = CRC32()
            bytes.withUnsafeBytes { bytes in
                sum.add(UnsafeRawBufferPointer(rebasing: bytes[..<cut]))
                sum.add(UnsafeRawBufferPointer(rebasing: bytes[cut...]))
            }
            #expect(sum.value == 0x2905_8c73)
        }
    }

    @Test(
        "An independent checker accepts the files",
        .enabled(if: MCAPFiles.hasPython, "python3 is not installed"))
    func rules() throws {
        // Enough readings for several chunks.
        let many = (0..<30_000).map {
            #"{"t":\#(4 + Double($0) / 100),"gyroscope":[0.25,0.5,0.125],"sensor":"g"}"# + "\n"
        }
        let trace = try MCAPFiles.trace(MCAPFiles.text + many.joined())
        let messages = try MCAPFiles.with(trace) { path in
            try MCAPFiles.messages(MCAPFiles.python, "check_mcap.py", [path])
        }
        #expect(messages.count { $0["topic"] as? String == "/gyroscope/g" } == 30_001)
        let fix = try #require(messages.first { $0["schema"] as? String == "foxglove.LocationFix" })
        let message = try #require(fix["message"] as? [String: Any])
        #expect(message["latitude"] as? Double == 50.5 && message["longitude"] as? Double == 8.25)
        #expect(message["altitude"] as? Double == 247.5)
        // The errors of 3, 4 and 5 m at 95 % are divided by 1.959964 and squared. The standard deviations are 1.531,
        // 2.041 and 2.551 m.
        let covariance = try #require(message["position_covariance"] as? [Double])
        for (value, expected) in zip(covariance, [2.342860, 0, 0, 0, 4.165084, 0, 0, 0, 6.507944]) {
            #expect(abs(value - expected) < 1e-6)
        }
        #expect(covariance.count == 9)
        #expect(message["position_covariance_type"] as? Int == 2)
        // East is pi / 2 from north. At 10 m/s, descending at 1 m/s, the velocity in ENU is (10, 0, -1).
        #expect(message["heading"] as? Double == Double.pi / 2)
        let velocity = try #require(message["velocity"] as? [String: Double])
        #expect(velocity["x"] == 10 && abs(velocity["y"] ?? .nan) < 1e-12 && velocity["z"] == -1)
        // 2024-05-01T10:00:00Z
        #expect(fix["logged"] as? Int == 1_714_557_600_000_000_000)
        #expect((message["timestamp"] as? [String: Int]) == ["sec": 1_714_557_600, "nsec": 0])
        let gyroscope = try #require(messages.first { $0["topic"] as? String == "/gyroscope/g" })
        #expect(gyroscope["logged"] as? Int == 1_714_557_600_500_000_000)
        #expect(gyroscope["published"] as? Int == 1_714_557_600_498_000_000)
        let attitudes = messages.filter { $0["topic"] as? String == "/attitude" }
        // 300 s at 50 Hz, and the first one.
        #expect(attitudes.count > 14_000)
        let transform = try #require(attitudes.last?["message"] as? [String: Any])
        let rotation = try #require(transform["rotation"] as? [String: Double])
        #expect(abs(rotation.values.reduce(0) { $0 + $1 * $1 } - 1) < 1e-9)
    }

    @Test(
        "Foxglove's library reads the same messages with and without the index, with valid checksums",
        .enabled(if: MCAPFiles.referenceReader != nil, MCAPFiles.referenceReaderMissing))
    func library() throws {
        let python = try #require(MCAPFiles.referenceReader)
        let many = (0..<20_000).map { #"{"t":\#(4 + Double($0) / 100),"accelerometer":[0.25,0.5,9.75]}"# + "\n" }
        for text in [MCAPFiles.text + many.joined(), String(MCAPFiles.text.prefix { $0 != "\n" }) + "\n"] {
            let (read, checked) = try MCAPFiles.with(try MCAPFiles.trace(text)) { path in
                (
                    try MCAPFiles.messages(python, "mcap_oracle.py", ["read", path]),
                    try MCAPFiles.messages(python, "check_mcap.py", [path])
                )
            }
            #expect((read as NSArray).isEqual(to: checked))
            #expect(read.isEmpty == (text.count < 1000))
        }
    }

    @Test(
        "The schemas require the same members as Foxglove's own schemas",
        arguments: [
            // From schemas/jsonschema in github.com/foxglove/foxglove-sdk, in 2026.
            (
                "foxglove.LocationFix",
                [
                    "timestamp", "frame_id", "latitude", "longitude", "altitude", "position_covariance",
                    "position_covariance_type",
                ]
            ),
            ("foxglove.FrameTransform", ["timestamp", "parent_frame_id", "child_frame_id", "translation", "rotation"]),
        ])
    func schemas(name: String, required: [String]) throws {
        let json = try #require(FoxgloveSchema.all.first { $0.0 == name }?.1)
        let schema = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(schema["title"] as? String == name)
        #expect(schema["required"] as? [String] == required)
        #expect((schema["properties"] as? [String: Any]).map { Set(required).isSubset(of: $0.keys) } == true)
    }

    @Test("A damaged report is omitted and counted, and the written file is read back without remarks")
    func damaged() throws {
        let text =
            [
                #"{"format":"device-services-trace","version":1}"#,
                #"{"t":1,"gpsd":{"class":"TPV","mode":3,"lat":50.5,"lon":8.5}}"#,
                #"{"t":2,"gpsd":{"class":"TPV","mode":3,"lat":50..5,"lon":8.5}}"#,
                #"{"t":3,"gpsd":{"class":"TPV","mode":3,"lat":50.6,"lon":8.5}}"#,
            ].joined(separator: "\n") + "\n"
        let trace = try TraceFile(bytes: [UInt8](text.utf8), name: "t")
        let (remarks, back) = try Files.withFolder { folder in
            let remarks = try RecordingFormat.mcap.write(trace, to: folder + "/a.mcap", overwrite: false)
            return (remarks, try RecordingFile.open(folder + "/a.mcap"))
        }
        #expect(remarks.first?.hasPrefix("a report is damaged and was ignored (line 3: ") == true)
        #expect(back.remarks.isEmpty)
        let reports = String(decoding: Array(back.trace.bytes), as: UTF8.self)
        #expect(reports.contains("50.5") && !reports.contains("50..5") && reports.contains("50.6"))
    }

    /// Returns the fixes in a file.
    private func fixes(_ bytes: [UInt8]) throws -> [[String: Any]] {
        var reader = try MCAPReader(.memory(TraceBytes(bytes), name: "t"))
        var fixes: [[String: Any]] = []
        while let message = try reader.next() {
            guard reader.channels[message.channel]?.schema == "foxglove.LocationFix" else { continue }
            let data = try #require(try reader.data())
            fixes.append(try #require(try JSONSerialization.jsonObject(with: Data(data)) as? [String: Any]))
        }
        return fixes
    }

    /// Returns the deviations in the GST sentences that are written for a trace.
    private func deviations(_ trace: TraceFile) throws -> [[Double?]] {
        try Files.withFolder { folder in
            _ = try RecordingFormat.nmea.write(trace, to: folder + "/a.nmea")
            let lines = String(decoding: try Files.bytes(folder + "/a.nmea"), as: UTF8.self).split(separator: "\r\n")
            return lines.filter { $0.contains("GST,") }.map { line in
                line.prefix { $0 != "*" }.split(separator: ",", omittingEmptySubsequences: false)[6...8].map {
                    Double($0)
                }
            }
        }
    }

    @Test("Errors give equal standard deviations in covariances and sentences, and are read back unchanged")
    func confidence() throws {
        let lines = [
            (
                0,
                #"{"class":"TPV","mode":3,"time":"2023-11-14T22:13:20.000Z","lat":1.0,"lon":2.0,"altHAE":3.0,"eph":10}"#
            ),
            (
                1,
                #"{"class":"TPV","mode":3,"time":"2023-11-14T22:13:21.000Z","lat":1.0,"lon":2.0,"altHAE":3.0,"epx":9.8,"epy":3.92,"epv":19.6}"#
            ),
        ]
        let trace = try gpsdTrace(lines.map { (Double($0.0), $0.1) })
        // A radius of 10 m at 95 % is 10 / 2.447747 = 4.0854 m; along an axis, 9.8 / 1.959964 = 5.0001 m.
        #expect(try deviations(trace) == [[4.085, 4.085, nil], [2, 5, 10]])
        let covariances = try fixes(try MCAPFiles.bytes(of: trace)).map { $0["position_covariance"] as? [Double] ?? [] }
        for (covariance, sigma) in zip(covariances, [[4.0854, 4.0854, 1e6], [5.0001, 2, 10.0002]]) {
            for axis in 0..<3 { #expect(abs(covariance[axis * 4].squareRoot() - sigma[axis]) < 1e-4) }
        }
        #expect(covariances.count == 2)
        // The same fixes in a file of another program, without gpsd's reports.
        let foreign = try Files.withFolder { folder in
            var writer = try MCAPWriter(path: folder + "/a.mcap", ExportOptions(), library: "other")
            let channel = writer.channel(
                topic: "/fix", schema: writer.schema(name: "foxglove.LocationFix", json: FoxgloveSchema.locationFix))
            for (index, fix) in try fixes(try MCAPFiles.bytes(of: trace)).enumerated() {
                let data = try JSONSerialization.data(withJSONObject: fix)
                try writer.message(channel, logged: UInt64(index), published: 0, [UInt8](data))
            }
            try writer.close()
            return try RecordingFile.open(folder + "/a.mcap").trace
        }
        #expect(try deviations(foreign) == [[4.085, 4.085, nil], [2, 5, 10]])
        let found = ReadPositions(foreign).fixes
        #expect(found.map(\.longitudeError) == [8.007, 9.8] && found[0].horizontalError == 10)
        #expect(found[0].verticalError.isNaN && found[1].verticalError == 19.6)
    }

    @Test("A phone's accuracies at 68 % are converted with different factors than gpsd's errors")
    func phones() throws {
        // In a normal distribution, 68 % lie within sqrt(-2 ln 0.32) = 1.509592 standard deviations in the plane, and
        // within 0.994458 along an axis.
        let files = [
            "Metadata.csv": "version,platform\n3,android\n",
            "Location.csv":
                "time,latitude,longitude,altitude,horizontalAccuracy,verticalAccuracy,speed,bearing\n1700000000000000000,1,2,3,15.096,9.945,0,0\n",
        ]
        let recording = try Recording(sensorLogger: files.mapValues { [UInt8]($0.utf8) }, name: "walk")
        let trace = try recording.trace(named: "walk")
        #expect(try deviations(trace) == [[10, 10, 10]])
        let bytes = try MCAPFiles.bytes(of: trace)
        let covariance = try #require(try fixes(bytes).first?["position_covariance"] as? [Double])
        for axis in 0..<3 { #expect(abs(covariance[axis * 4] - 100) < 0.01) }
        // The trace stays marked as having phone accuracies.
        #expect(try deviations(try RecordingFile.read(bytes, name: "t").trace) == [[10, 10, 10]])
    }

    @Test("Unknown altitudes are marked, and positions with only an altitude above sea level are reported")
    func altitudes() throws {
        let trace = try gpsdTrace([
            (0, #"{"class":"TPV","mode":2,"lat":1.0,"lon":2.0,"eph":10}"#),
            (1, #"{"class":"TPV","mode":2,"lat":1.0,"lon":2.0}"#),
            (2, #"{"class":"TPV","mode":3,"lat":1.0,"lon":2.0,"altMSL":100,"geoidSep":47}"#),
            (3, #"{"class":"TPV","mode":3,"lat":1.0,"lon":2.0,"altMSL":100}"#),
        ])
        try Files.withFolder { folder in
            let remarks = try RecordingFormat.mcap.write(trace, to: folder + "/a.mcap")
            #expect(remarks.count == 2)
            #expect(remarks[0].hasPrefix("2 positions have no altitude; "))
            #expect(remarks[1].hasPrefix("1 positions have an altitude above mean sea level only; "))
            let fixes = try self.fixes(try Files.bytes(folder + "/a.mcap"))
            #expect(fixes.map { $0["altitude"] as? Double } == [0, 0, 147, 100])
            #expect(fixes.map { ($0["position_covariance"] as? [Double])?[8] } == [1e12, 1e12, 0, 0])
            #expect(fixes.map { $0["position_covariance_type"] as? Int } == [1, 0, 0, 0])
        }
    }

    @Test("The attitude rotates the device's axes into those of the earth")
    func attitude() throws {
        // Flat on a table, then a quarter turn to the left in one second: x then points along the former y. The
        // quaternion is (0, 0, sin 45°, cos 45°).
        var text = String(MCAPFiles.text.prefix { $0 != "\n" }) + "\n"
        for index in 0...200 {
            let rate = index > 100 ? Double.pi / 2 : 0
            text += #"{"t":\#(Double(index) / 100),"accelerometer":[0,0,9.80665]}"# + "\n"
            text += #"{"t":\#(Double(index) / 100),"gyroscope":[0,0,\#(rate)],"sensor":"g"}"# + "\n"
        }
        let bytes = try MCAPFiles.bytes(of: try MCAPFiles.trace(text))
        var reader = try MCAPReader(.memory(TraceBytes(bytes), name: "t"))
        var last: [String: Any] = [:]
        while let message = try reader.next() {
            guard reader.channels[message.channel]?.schema == "foxglove.FrameTransform" else { continue }
            let data = try #require(try reader.data())
            last = try #require(try JSONSerialization.jsonObject(with: Data(data)) as? [String: Any])
        }
        #expect(last["parent_frame_id"] as? String == "start" && last["child_frame_id"] as? String == "device")
        let rotation = try #require(last["rotation"] as? [String: Double])
        let half = 0.5.squareRoot()
        for (key, value) in [("x", 0), ("y", 0), ("z", half), ("w", half)] {
            #expect(abs((rotation[key] ?? .nan) - value) < 0.01, "\(key)")
        }
    }
}
