// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import GPSDProtocol
import NMEAFormat
import TestSupport
import Testing
import Trace

@testable import TraceFormats

@Suite("NMEA logs")
struct NMEALogTests {
    /// Returns a sentence with its checksum.
    private func sentence(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        let sum = Int(text.utf8.reduce(0, ^))
        return "$\(text)*\(digits[sum >> 4])\(digits[sum & 15])"
    }

    private func gga(_ time: String, _ minutes: String = "4.0") -> String {
        sentence("GPGGA,\(time),440\(minutes),N,12118.0,W,1,12,1.0,10.0,M,-20.0,M,,")
    }

    private func rmc(_ time: String, date: String = "010117") -> String {
        sentence("GPRMC,\(time),A,4404.0,N,12118.0,W,1.0,90.0,\(date),,,A")
    }

    private func open(_ text: String, _ options: RecordingOptions = .init()) throws -> RecordingFile {
        try RecordingFile.read([UInt8](text.utf8), name: "t.nmea", options: options)
    }

    /// Returns the positions of a trace with the times of their events in seconds.
    private func positions(_ trace: TraceFile) -> [(seconds: Double, report: PositionReport)] {
        var found: [(Double, PositionReport)] = []
        trace.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(trace)
            var decoder = GPSDDecoder()
            while let record = cursor.next(bytes) {
                let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
                guard case .position(let report) = decoder.decode(line) else { continue }
                found.append((Double(record.time ?? 0) / 1e9, report))
            }
        }
        return found
    }

    private static let folder = Checkout.traces.appending(path: "gpsd")

    @Test("A log becomes a trace that begins at its first time and follows the receiver's clock")
    func clock() throws {
        let text = [
            rmc("235958.00"), gga("235958.00"), gga("235959.50"), gga("000003.00"), gga("000002.00"), gga("000004.00"),
        ]
        let file = try open(text.joined(separator: "\r\n"))
        #expect(file.format == .nmea)
        // Two seconds before midnight at the end of 1 January 2017.
        let start = 1_483_315_198.0
        #expect(file.trace.start?.seconds == 1_483_315_198)
        let found = positions(file.trace)
        #expect(found.map(\.seconds) == [0, 1.5, 5, 5, 7])
        #expect(found.map { ($0.report.time?.seconds ?? 0) - start } == [0, 1.5, 5, 4, 6])
        #expect(
            file.remarks == [
                "1 times were earlier than the previous ones; the time of the trace does not advance there."
            ])
    }

    @Test("A jump of the date does not create a gap of years")
    func jump() throws {
        let text = [
            rmc("120000", date: "150180"), rmc("120001", date: "150180"), rmc("120002"), rmc("120003"), rmc("120103"),
        ]
        let file = try open(text.joined(separator: "\n"))
        #expect(positions(file.trace).map(\.seconds) == [0, 1, 1, 2, 62])
        #expect(file.remarks.contains { $0.hasPrefix("1 times differed from the previous ones by more than a day") })
    }

    @Test(
        "Stamps before sentences are the times of the events",
        arguments: [
            ["2026-11-21 03:39:10: ", "2026-11-21 03:39:10.250000: "],
            ["2026-11-21T03:39:10Z,", "2026-11-21T03:39:10.25Z,"],
            ["1795232350 ", "1795232350.25 "], ["[1795232350000] ", "[1795232350250] "],
        ])
    func stamps(stamps: [String]) throws {
        let file = try open("\(stamps[0])\(rmc("120000"))\n\(stamps[1])\(rmc("120001"))\n")
        #expect(file.trace.start?.seconds == 1_795_232_350)
        #expect(positions(file.trace).map(\.seconds) == [0, 0.25])
    }

    @Test("A remark reports a last line that is cut within a tag block or gpsd report, but not a comment")
    func cutTail() throws {
        for (tail, isReceived) in [
            ("\\c:1158", true), ("{\"class\":\"TPV\",\"mo", true), ("# the end", false), ("", false),
            (sentence("GPTXT,01"), false),
        ] {
            let remarks = try open(rmc("120000") + "\n" + tail).remarks
            #expect(remarks.contains("The last line is incomplete and was skipped.") == isReceived, "\(tail)")
        }
    }

    @Test("Stamps in milliseconds that are out of range are ignored, before and after a sentence")
    func farStamps() throws {
        for text in ["9999999999999 \(rmc("120000"))\n", "NMEA,\(rmc("120000")),9999999999999\n"] {
            // 2017-01-01 12:00, the time in the sentence.
            #expect(positions(try open(text).trace).map { $0.report.time?.seconds } == [1_483_272_000])
        }
    }

    @Test("GnssLogger's lines contain their times after the sentences")
    func gnssLogger() throws {
        let text = "# Header\nNMEA,\(rmc("120000")),1795232350000\nNMEA,\(rmc("120001")),1795232351500\n"
        let file = try open(text)
        #expect(file.format == .nmea)
        #expect(positions(file.trace).map(\.seconds) == [0, 1.5])
    }

    @Test(
        "The date comes from an RMC, options, a comment or stamps, in this order; otherwise it is unknown")
    func dates() throws {
        // Midnight passes before the first date. 1483228800 is the first second of 2017.
        let late = [gga("235959"), gga("000000"), rmc("000001")].joined(separator: "\n")
        #expect(
            try positions(open(late).trace).map { $0.report.time?.seconds } == [
                1_483_228_799, 1_483_228_800, 1_483_228_801,
            ])
        let bare = "\(gga("120000"))\n\(gga("120001"))\n"
        let none = try open(bare)
        #expect(positions(none.trace).map(\.report.time) == [nil, nil])
        #expect(positions(none.trace).map(\.seconds) == [0, 1])
        #expect(none.trace.start == nil)
        #expect(none.remarks.contains { $0.hasPrefix("2 positions have no time") })
        let comment = try open("# Date: 2017-1-1\n\(bare)")
        #expect(positions(comment.trace).first?.report.time?.seconds == 1_483_272_000)
        #expect(comment.remarks.contains { $0.contains("a comment") })
        var options = RecordingOptions()
        options.nmea.date = WallTime(nanoseconds: 1_483_228_800_000_000_000)
        #expect(try positions(open(bare, options).trace).first?.report.time?.seconds == 1_483_272_000)
        // A sentence from the end of 1 January arrives two seconds after midnight of 2 January.
        let stamped = try open("1483315202 \(gga("235959"))\n")
        #expect(positions(stamped.trace).first?.report.time?.seconds == 1_483_315_199)
    }

    @Test("A rollover of the week counter is reported, and corrected only on request")
    func rollover() throws {
        // 2019-04-10 minus 1024 weeks is 1999-08-25.
        let text = "# Date: 2019-04-10\n\(rmc("120000", date: "250899"))\n"
        let file = try open(text)
        #expect(positions(file.trace).first?.report.time?.seconds == 935_582_400)
        #expect(file.remarks.contains { $0.contains("weeks = 1024") })
        var options = RecordingOptions()
        options.nmea.weeks = 1024
        let corrected = try open(text, options)
        #expect(positions(corrected.trace).first?.report.time?.seconds == 1_554_897_600)
        #expect(corrected.trace.start?.seconds == 1_554_897_600)
        #expect(corrected.remarks.isEmpty)
    }

    /// The receiver moves north by one minute of latitude in 100 s. Between 44 and 45 degrees that is 1852.1 m (WGS
    /// 84).
    @Test("Speed and course are derived only if no sentence contains them")
    func derived() throws {
        let bare = try open("# Date: 2017-01-01\n\(gga("120000", "4.0"))\n\(gga("120140", "5.0"))\n")
        let report = try #require(positions(bare.trace).last?.report)
        #expect(abs(report.speed - 18.52) < 0.01)
        #expect(report.track == 0)
        #expect(bare.remarks.contains { $0.hasPrefix("1 positions have a speed or course") })
        // A stationary receiver gives no course.
        let still = sentence("GPRMC,120140,A,4405.0,N,12118.0,W,0.0,,010117,,,A")
        let received = try open("\(rmc("120000"))\n\(gga("120140", "5.0"))\n\(still)\n")
        #expect(positions(received.trace).last?.report.track.isNaN == true)
        #expect(positions(received.trace).last?.report.speed == 0)
    }

    @Test("Impossible numbers count as unknown and are reported")
    func impossible() throws {
        let text = sentence("GPRMC,101556.00,A,4739.0,N,00918.0,E,999999999999,90.0,010117,,")
        let file = try open(text)
        #expect(file.remarks.contains("a number is impossible and was ignored (the epoch that ends in line 1)."))
        #expect(positions(file.trace).allSatisfy { $0.report.speed.isNaN })
    }

    @Test("Sentences without checksums are read if no sentence has one, and omitted otherwise")
    func unchecked() throws {
        let bare = rmc("120000").prefix { $0 != "*" }
        let alone = try open("\(bare)\n")
        #expect(positions(alone.trace).count == 1)
        #expect(
            alone.remarks.contains { $0.hasPrefix("the sentence has no checksum and was used unchecked (line 1: ") })
        let mixed = try open("\(bare)\n\(rmc("120001"))\n")
        #expect(positions(mixed.trace).count == 1)
        #expect(
            mixed.remarks.contains {
                $0.hasPrefix("the sentence has a wrong or missing checksum, or is truncated, and was skipped (line ")
            })
    }

    @Test("A log of gpsd's reports and sentences is identified as gpsd's")
    func mixed() throws {
        let bytes = [UInt8](try Data(contentsOf: Self.folder.appending(path: "ublox-8.log.chk")))
        #expect(try RecordingFile.read(bytes, name: "ublox-8.log.chk").format == .gpsd)
        #expect(try RecordingFile.open(Self.folder.appending(path: "ublox-8.log").path).format == .nmea)
    }

    @Test("Files without position sentences are rejected")
    func others() {
        #expect(throws: DeviceError.self) { try self.open("$ ls\nhello\n") }
        #expect(throws: DeviceError.self) { try self.open("\(self.sentence("PUBX,00,1"))\n") }
        #expect(throws: DeviceError.self) { try self.open("$$$$\n") }
    }

    private func export(_ trace: TraceFile, _ options: ExportOptions = .init()) throws -> (
        text: String, remarks: [String]
    ) {
        let path = FileManager.default.temporaryDirectory.appending(path: "nmea-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let remarks = try RecordingFormat.nmea.write(trace, to: path, options: options)
        return (String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self), remarks)
    }

    @Test(
        "An exported log is read back with the same positions",
        arguments: ["ublox-8.log", "isync.log", "humminbird-M37.log"])
    func exportOfLogs(log: String) throws {
        let file = try RecordingFile.open(Self.folder.appending(path: log).path)
        let (text, remarks) = try export(file.trace)
        #expect(remarks.isEmpty)
        let reread = try open(text)
        let expected = positions(file.trace).filter(\.report.hasFix)
        let found = positions(reread.trace).filter(\.report.hasFix)
        #expect(found.map(\.report.time) == expected.map(\.report.time))
        for (one, other) in zip(found, expected) {
            #expect(abs(one.report.latitude - other.report.latitude) < 2e-7)
            #expect(abs(one.report.longitude - other.report.longitude) < 2e-7)
            #expect(abs(one.report.altitudeMSL - other.report.altitudeMSL) < 0.006 || other.report.altitudeMSL.isNaN)
            #expect(abs(one.report.speed - other.report.speed) < 0.001 || other.report.speed.isNaN)
        }
    }

    @Test("Several gpsd reports of an epoch are exported as one, with the satellites that follow them")
    func exportOfReports() throws {
        let trace = try TraceFile(path: Self.folder.appending(path: "ublox-8.log.chk").path)
        let (text, _) = try export(trace)
        let lines = text.split(separator: "\r\n")
        let first = lines.filter { $0.contains("000941.00") }
        #expect(first.filter { $0.contains("GGA") }.count == 1)
        #expect(
            first.contains {
                $0.hasPrefix("$GNGGA,000941.00,4404.13387,N,12118.85628,W,1,") && $0.contains(",1144.80,M,-21.400,M")
            })
        #expect(lines.contains("$GPGSV,4,1,16,02,05,307,,03,21,174,29,04,12,038,23,06,07,270,06*7E"))
        #expect(lines.contains("$GLGSV,3,1,09,69,40,156,22,70,76,297,23,71,24,325,14,73,33,233,24*6D"))
    }

    @Test("Outdated satellites and dilutions are not exported with a fix")
    func staleSky() throws {
        func fix(_ time: String) -> String {
            #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-01-01T\#(time)Z","lat":48.1,"lon":11.5,"altMSL":500.0}"#
        }
        let sky =
            #"{"class":"SKY","device":"/dev/a","time":"2026-01-01T00:00:00Z","hdop":0.7,"uSat":11,"satellites":[{"PRN":5,"el":77.0,"az":123.0,"ss":40,"used":true}]}"#
        let trace = try gpsdTrace([
            (0, sky), (0, fix("00:00:00")), (1, fix("00:00:01")), (3600, fix("01:00:00")),
            (3601, #"{"class":"TPV","device":"/dev/a","mode":1,"time":"2026-01-01T01:00:01Z"}"#),
            (3602, fix("01:00:02")),
        ])
        let lines = try export(trace).text.split(separator: "\r\n")
        // Within two seconds they are used, and the satellites are listed once.
        #expect(lines.count { $0.hasPrefix("$GPGGA,00000") && $0.contains(",E,1,11,0.70,500.00,M,") } == 2)
        #expect(lines.count { $0.hasPrefix("$GPGSA,A,3,05,,,,,,,,,,,,,0.70,*") } == 2)
        #expect(lines.count { $0.hasPrefix("$GPGSV,1,1,01,05,77,123,40*") } == 1)
        #expect(lines.count { $0.hasPrefix("$GPGGA,01000") && $0.contains(",E,1,,,500.00,M,,M,,*") } == 2)
        #expect(lines.count { $0.hasPrefix("$GPGSA,A,3,,,,,,,,,,,,,,,*") } == 2)
        // The same sentence as in EncoderTests.
        #expect(lines.contains("$GPGSA,A,1,,,,,,,,,,,,,,,*1E"))
        #expect(lines.count { $0.contains("0.70") } == 4)
    }

    @Test("After a fix is lost its satellites are not repeated, and new ones are exported")
    func skyWithoutFix() throws {
        func sky(_ second: Int, _ number: Int) -> String {
            #"{"class":"SKY","time":"2026-01-01T00:00:0\#(second)Z","hdop":0.7,"satellites":[{"PRN":\#(number),"el":77.0,"az":123.0,"ss":40,"used":\#(second == 0)}]}"#
        }
        let trace = try gpsdTrace([
            (0, #"{"class":"TPV","mode":2,"time":"2026-01-01T00:00:00Z","lat":48.1,"lon":11.5}"#), (0, sky(0, 5)),
            (1, #"{"class":"TPV","mode":1,"time":"2026-01-01T00:00:01Z"}"#),
            (2, #"{"class":"TPV","mode":1,"time":"2026-01-01T00:00:02Z"}"#), (2, sky(2, 7)),
        ])
        var options = ExportOptions()
        options.nmea.sentences = [.gsa, .gsv]
        #expect(
            try export(trace, options).text.split(separator: "\r\n").map { $0.prefix { $0 != "*" } } == [
                "$GPGSA,A,2,05,,,,,,,,,,,,,0.70,", "$GPGSV,1,1,01,05,77,123,40", "$GPGSA,A,1,,,,,,,,,,,,,,,",
                "$GPGSA,A,1,,,,,,,,,,,,,,0.70,", "$GPGSV,1,1,01,07,77,123,40",
            ])
    }

    @Test("Only attitudes of the chosen receiver are exported, and a missing receiver is an error")
    func attitudesOfOne() throws {
        func attitude(_ receiver: String, _ heading: Double) -> String {
            #"{"class":"ATT","device":"\#(receiver)","time":"2026-01-01T00:00:00Z","heading":\#(heading)}"#
        }
        let fix =
            #"{"class":"TPV","device":"/dev/a","mode":2,"time":"2026-01-01T00:00:00Z","lat":48.1,"lon":11.5}"#
        let trace = try gpsdTrace([(0, fix), (0, attitude("/dev/a", 12.5)), (0, attitude("/dev/b", 98.5))])
        let all = try export(trace)
        #expect(all.text.contains("12.5") && all.text.contains("98.5"))
        var options = ExportOptions()
        options.receiver = "/dev/a"
        let chosen = try export(trace, options)
        #expect(chosen.text.contains("12.5") && !chosen.text.contains("98.5"))
        #expect(chosen.remarks.contains("1 attitude reports were omitted."))
        options.receiver = "/dev/c"
        let error = #expect(throws: DeviceError.self) { try export(trace, options) }
        #expect(error?.message.contains("of the receiver /dev/c") == true)
    }

    @Test("Arrival times are kept in tag blocks, and events without a sentence are reported")
    func arrivals() throws {
        let builder = TraceBuilder(name: "t")
        try builder.write(
            TraceHeader(start: .init(wallTime: WallTime(nanoseconds: 1_795_232_350_000_000_000), boot: .zero)))
        var report = PositionReport()
        report.mode = .threeDimensional
        report.latitude = 1
        report.longitude = 2
        report.altitudeHAE = 3
        try builder.write(TraceEvent(time: 1_500_000_000, .gpsd(GPSDEncoder.encode(report))))
        try builder.write(
            TraceEvent(
                time: 2_000_000_000, .sample([1, 2, 3], kind: .accelerometer, sensor: "accelerometer", stamp: nil)))
        var options = ExportOptions()
        options.includesArrivalTimes = true
        options.nmea.sentences = [.gga]
        let (text, remarks) = try export(try builder.file(), options)
        // 1795232351.5 is 2026-11-21T03:39:11.500Z.
        #expect(text.hasPrefix("\\c:1795232351500*"))
        #expect(text.contains("\\$GPGGA,033911.50,0100.00000,N,00200.00000,E,1,,,,M,,M,,*"))
        #expect(remarks.count == 2)
        let reread = try open(text)
        #expect(reread.trace.start?.seconds == 1_795_232_351.5)
    }
}
