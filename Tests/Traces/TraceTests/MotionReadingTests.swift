// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import Trace

@Suite("Reading motion and battery")
struct MotionReadingTests {
    static let header =
        #"{"format":"device-services-trace","version":1,"sensors":[{"id":"accelerometer","kind":"accelerometer"},{"id":"local:/iio:device1/accel","kind":"accelerometer"},{"id":"local:/iio:device2/pressure","kind":"pressure"}]}"#

    /// The contents of an event, without its range in the file.
    struct Event: Equatable {
        var time: Int64?
        var sample: TraceSample?
        var sensor: Int?
        var kind: TraceRecord.Kind
    }

    private func read(_ lines: [String], header: String = header) throws -> (events: [Event], cursor: TraceCursor) {
        let text = ([header] + lines).joined(separator: "\n") + "\n"
        let file = try TraceFile(bytes: [UInt8](text.utf8), name: "x")
        var cursor = TraceCursor(file)
        let events = file.bytes.withUnsafeBytes { bytes in
            var events: [Event] = []
            while let record = cursor.next(bytes) {
                events.append(
                    Event(time: record.time, sample: record.sample, sensor: record.sensor, kind: record.kind))
            }
            return events
        }
        return (events, cursor)
    }

    private func samples(_ lines: String...) throws -> [TraceSample?] { try read(lines).events.map(\.sample) }

    @Test("The members of a reading may be in any order, with whitespace and further members")
    func anyForm() throws {
        let forms = [
            #"{"t":1.25,"accelerometer":[0.1,-2e-1,9.81],"sensor":"local:/iio:device1/accel","stamp":1.2483}"#,
            #"{"t":1.25,"accelerometer":[0.1,-0.2,9.81],"stamp":1.2483,"sensor":"local:/iio:device1/accel"}"#,
            #"{"stamp":12483e-4,"sensor":"local:\/iio:device1\/accel","accelerometer":[ 0.1 , -0.2,9.81 ],"t":1.25}"#,
            #"{ "t" : 1.25 , "\u0061ccelerometer" : [0.1,-0.2,9.81] , "sensor" : "local:/iio:device1/accel" ,"stamp":1.2483}"#,
            #"{"t":1.25,"accelerometer":[0.1,-0.2,9.81],"sensor":"local:/iio:device1/accel","stamp":1.2483,"note":{}}"#,
            #"{"t":1.25000000000001,"accelerometer":[0.1,-0.20,981e-2],"sensor":"local:/iio:device1/accel","stamp":1.2483}"#,
        ]
        let expected = TraceSample(sensor: 1, kind: .accelerometer, value: [0.1, -0.2, 9.81], stamp: 1_248_300_000)
        for form in forms {
            let (events, cursor) = try read([form])
            #expect(
                events == [Event(time: 1_250_000_000, sample: expected, sensor: 1, kind: .sample)], "\(form)")
            #expect(cursor.warnings.map(\.reason) == (form.contains("note") ? [.invalidMember] : []), "\(form)")
            #expect(cursor.sensors.count == 3)
        }
    }

    @Test("Each kind has its own key, and pressure is a single number")
    func kinds() throws {
        let found = try samples(
            #"{"t":1,"accelerometer":[1,2,3]}"#, #"{"t":1,"gyroscope":[1,2,3]}"#, #"{"t":1,"magnetometer":[1,2,3]}"#,
            #"{"t":1,"pressure":101.325}"#, #"{"t":1,"pressure":[101.325]}"#, #"{"pressure":[101.325],"t":1}"#)
        let pressure = TraceSample(sensor: 2, kind: .pressure, value: [101.325, 0, 0])
        #expect(
            found == [
                TraceSample(sensor: 0, kind: .accelerometer, value: [1, 2, 3]),
                TraceSample(sensor: 3, kind: .gyroscope, value: [1, 2, 3]),
                TraceSample(sensor: 4, kind: .magnetometer, value: [1, 2, 3]), pressure, pressure, pressure,
            ])
    }

    @Test("A reading without a sensor uses the one named like its kind, else the kind's first, else a new one")
    func unnamedSensors() throws {
        let (events, cursor) = try read([
            #"{"t":1,"accelerometer":[1,2,3]}"#, #"{"t":1,"pressure":1}"#, #"{"t":1,"gyroscope":[1,2,3]}"#,
            #"{"t":1,"gyroscope":[1,2,3],"sensor":"gyroscope"}"#, #"{"t":1,"gyroscope":[1,2,3],"sensor":"other"}"#,
            #"{"t":1,"gyroscope":[1,2,3]}"#,
        ])
        #expect(events.map(\.sensor) == [0, 2, 3, 3, 4, 3])
        #expect(
            cursor.sensors.map(\.id) == [
                "accelerometer", "local:/iio:device1/accel", "local:/iio:device2/pressure", "gyroscope", "other",
            ])
        #expect(cursor.sensors[4].kind == .gyroscope)
        #expect(cursor.sensors[4].mountMatrix == .identity)
        #expect(cursor.sensors.map(\.remarks.count) == [0, 0, 0, 1, 1])
        #expect(cursor.sensors.allSatisfy { $0.mode == .recorded })
        #expect(cursor.warnings.isEmpty)
    }

    @Test("findSensors() returns the sensors of the cursor in the same order")
    func findsSensors() throws {
        let text =
            Self.header + "\n" + #"{"t":1,"magnetometer":[1,2,3],"sensor":"m"}"# + "\n"
            + #"{"t":2,"lost":{},"sensor":"gyroscope"}"# + "\n"
        let file = try TraceFile(bytes: [UInt8](text.utf8), name: "x")
        #expect(file.findSensors().dropFirst(3).map(\.id) == ["m", "gyroscope"])
        let report = try TraceFile(bytes: [UInt8](tpv.utf8), name: "x")
        #expect(report.findSensors().isEmpty)
    }

    @Test(
        "A reading with missing or invalid numbers is skipped with a warning",
        arguments: [
            #""accelerometer":[1,2]"#, #""accelerometer":[1,2,3,4]"#, #""accelerometer":[]"#, #""accelerometer":1"#,
            #""accelerometer":[1,2,NaN]"#, #""accelerometer":[1,nan,3]"#, #""accelerometer":[-Infinity,2,3]"#,
            #""accelerometer":[1,2,null]"#, #""accelerometer":[1,2,"3"]"#, #""accelerometer":[1,2,[3]]"#,
            #""accelerometer":[1,2,1e400]"#, #""accelerometer":[1,2,1.1e9]"#, #""accelerometer":[1,-1.1e9,0]"#,
            #""accelerometer":null"#, #""accelerometer":{"x":1}"#, #""accelerometer":"1,2,3""#,
            #""pressure":NaN"#, #""pressure":[]"#, #""pressure":[1,2]"#, #""pressure":1e308"#, #""pressure":null"#,
        ])
    func badNumbers(member: String) throws {
        let (events, cursor) = try read(["{\"t\":1,\(member)}", #"{"t":2,"accelerometer":[1e9,-1e9,0]}"#])
        #expect(events.map(\.time) == [2_000_000_000])
        #expect(cursor.warnings == [TraceWarning(line: 2, reason: .invalidReading, text: "{\"t\":1,\(member)}")])
        #expect(cursor.skippedLines == 1)
    }

    @Test("Malformed lines with readings are skipped")
    func brokenLines() throws {
        let broken = [
            #"{"t":1,"accelerometer":[1,2,3]"#, #"{"t":1,"accelerometer":[1,2,3}"#,
            #"{"t":1,"accelerometer":[1,2,3]]}"#,
            #"{"t":1,"accelerometer":[1,,3]}"#, #"{"t":1,"accelerometer":[01,2,3]}"#, #"{"t":1,"sensor":"x"}"#,
            #"{"t":1,"accelerometer":[1,2,3],"sensor":"x}"#, #"{"t":1,"accelerometer":[1,2,3],"stamp":}"#,
            #"{"t":1,"pressure":}"#, #"{"t":1,"battery":5}"#, #"{"t":1,"battery":[]}"#, #"{"t":1,"stamp":1}"#,
            #"{"t":1,"accelerometer":[1,2,3]}}"#,
        ]
        let (events, cursor) = try read(broken)
        #expect(events.isEmpty)
        #expect(
            cursor.warnings
                == broken.enumerated().map { TraceWarning(line: $0 + 2, reason: .malformedLine, text: $1) })
    }

    @Test("Invalid stamps are ignored and reported, stamps may be negative, and time never decreases")
    func times() throws {
        let (events, cursor) = try read([
            #"{"t":5,"accelerometer":[1,2,3],"stamp":-0.000000001}"#, #"{"t":5,"accelerometer":[1,2,3],"stamp":"x"}"#,
            #"{"t":4,"accelerometer":[1,2,3],"stamp":3.9}"#, #"{"accelerometer":[1,2,3]}"#,
        ])
        #expect(events.map(\.time) == [5_000_000_000, 5_000_000_000, 5_000_000_000, 5_000_000_000])
        #expect(events.map(\.sample?.stamp) == [-1, nil, 3_900_000_000, nil])
        #expect(
            cursor.warnings.map(\.description)
                == [
                    TraceWarning(line: 3, reason: .invalidMember), TraceWarning(line: 4, reason: .decreasingTime),
                    TraceWarning(line: 5, reason: .missingTime),
                ].map(\.description))
    }

    @Test("Events with the wrong kind, an invalid sensor id or too many sensors are skipped with a warning")
    func unknownSensors() throws {
        let long = String(repeating: "x", count: TraceSensors.maximumIDLength + 1)
        let (events, cursor) = try read([
            #"{"t":1,"gyroscope":[1,2,3],"sensor":"accelerometer"}"#, #"{"t":1,"lost":{},"sensor":"nobody"}"#,
            #"{"t":1,"gyroscope":[1,2,3],"sensor":""}"#, "{\"t\":1,\"gyroscope\":[1,2,3],\"sensor\":\"\(long)\"}",
        ])
        #expect(events.isEmpty)
        #expect(cursor.warnings.map(\.reason) == [.unknownSensor, .unknownSensor, .unknownSensor, .unknownSensor])
        let many = (0..<1000).map { "{\"t\":1,\"gyroscope\":[1,2,3],\"sensor\":\"\($0)\"}" }
        let crowd = try read(many)
        #expect(crowd.cursor.sensors.count == TraceSensors.maximumCount)
        #expect(crowd.events.count == TraceSensors.maximumCount - 3)
    }

    @Test("Losses with a sensor belong to that sensor, and those without to the position source")
    func losses() throws {
        let text = """
            \(Self.header)
            {"t":1,"lost":{"code":"silent","message":"no interrupts"},"sensor":"local:/iio:device1/accel"}
            {"t":2,"sensor":"pressure","lost":{}}
            {"t":3,"regained":true,"sensor":"local:/iio:device1/accel"}
            {"t":4,"lost":{"code":"noFix"}}
            {"t":5,"regained":true}

            """
        let file = try TraceFile(bytes: [UInt8](text.utf8), name: "x")
        var cursor = TraceCursor(file)
        file.bytes.withUnsafeBytes { bytes in
            var records: [TraceRecord] = []
            while let record = cursor.next(bytes) { records.append(record) }
            #expect(records.map(\.kind) == [.sensorLost, .sensorLost, .sensorRegained, .lost, .regained])
            // "pressure" is the name of a kind and refers to its first sensor.
            #expect(records.map(\.sensor) == [1, 2, 1, nil, nil])
            #expect(records.first?.loss(in: bytes)?.code == .silent)
            #expect(records.first?.loss(in: bytes)?.message == "no interrupts")
            #expect(records.dropFirst().first?.loss(in: bytes)?.message.contains("sensor") == true)
            #expect(records.dropFirst(2).first?.loss(in: bytes) == nil)
            #expect(records.allSatisfy { $0.sample == nil && $0.line(in: bytes).isEmpty })
        }
        #expect(cursor.warnings.isEmpty)
    }

    @Test("A missing or invalid level or state of a battery is unknown")
    func batteries() throws {
        let cases: [(String, BatteryReading?)] = [
            (#"{"level":0.79,"state":"charging"}"#, BatteryReading(level: 0.79, state: .charging)),
            (#"{ "state":"full", "x":{}, "level":1 }"#, BatteryReading(level: 1, state: .full)),
            (#"{"level":null,"state":"unplugged"}"#, BatteryReading(level: nil, state: .unplugged)),
            (#"{"state":"unplugged"}"#, BatteryReading(level: nil, state: .unplugged)),
            (#"{"level":-1,"state":"unknown"}"#, BatteryReading(level: nil, state: .unknown)),
            (#"{"level":1.01,"state":5}"#, BatteryReading(level: nil, state: .unknown)),
            (#"{"level":NaN,"state":"of the future"}"#, BatteryReading(level: nil, state: .unknown)),
            (#"{"level":0}"#, BatteryReading(level: 0, state: .unknown)),
            ("{}", BatteryReading(level: nil, state: .unknown)),
            ("null", nil),
        ]
        for (json, expected) in cases {
            let file = try TraceFile(bytes: [UInt8]("\(headerLine)\n{\"t\":1,\"battery\":\(json)}\n".utf8), name: "x")
            var cursor = TraceCursor(file)
            try file.bytes.withUnsafeBytes { bytes in
                let next = cursor.next(bytes)
                let record = try #require(next)
                #expect(record.kind == .battery)
                #expect(record.battery(in: bytes) == expected, "\(json)")
                #expect(record.loss(in: bytes) == nil)
            }
        }
    }

    @Test("A trace with readings that is cut at any byte is read up to the cut, with a warning")
    func truncation() throws {
        let events = [
            #"{"t":1.0,"accelerometer":[0.1,0.2,9.81]}"#,
            #"{"t":2.0,"gyroscope":[1e-05,-2.5,3.0],"sensor":"g]}","stamp":1.9}"#, #"{"t":3.0,"pressure":101.325}"#,
            #"{"t":4.0,"battery":null}"#, #"{"t":5.0,"lost":{"code":"silent","message":"}}"},"sensor":"g]}"}"#,
        ]
        let whole = [UInt8]("\(headerLine)\n\(events.joined(separator: "\n"))\n".utf8)
        var ends: [Int] = []
        var end = headerLine.utf8.count
        for event in events {
            end += 1 + event.utf8.count
            ends.append(end)
        }
        for length in headerLine.utf8.count...whole.count {
            let reading = try Reading(Array(whole.prefix(length)))
            #expect(reading.records.count == ends.filter { $0 <= length }.count, "\(length)")
            let isCut = length > headerLine.utf8.count + 1 && !ends.contains(length) && !ends.contains(length - 1)
            #expect(reading.warnings.map(\.reason) == (isCut ? [.truncatedLine] : []), "\(length)")
        }
    }
}
