// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Testing
import Trace

@testable import TraceFormats

@Suite("Loss reporting for NMEA logs")
struct NMEALossTests {
    private func sentence(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        let sum = Int(text.utf8.reduce(0, ^))
        return "$\(text)*\(digits[sum >> 4])\(digits[sum & 15])"
    }

    private func open(_ sentences: String...) throws -> ReadPositions { try open(sentences) }

    private func open(_ sentences: [String]) throws -> ReadPositions {
        let text = sentences.map { sentence($0) + "\r\n" }.joined()
        let file = try RecordingFile.read([UInt8](text.utf8), name: "t.nmea")
        return ReadPositions(file.trace, remarks: file.remarks)
    }

    private static let rmc = "GPRMC,085210,A,5008.7630,N,00828.9580,E,10.0,90.0,010124,,,A"

    @Test(
        "If a sentence is invalid, the other sentences of its epoch give the fix",
        arguments: [
            "IIGGA,085210,5008.7630,N,00828.9580,E,DGNSS fix,8,1,100.0,M,47.0,M,,",
            "GPGGA,085210,5008.7630,N,00828.9580,E,,8,1,100.0,M,47.0,M,,",
            "GPGGA,085210,5008.7630,N,00828.9580,E,X,8,1,100.0,M,47.0,M,,",
            "GPGGA,085210,5008.7630,N,00828.9580,E,2.0,8,1,100.0,M,47.0,M,,",
            "GPGLL,5008.7630,N,00828.9580,E,085210,,A", "GPGLL,5008.7630,N,00828.9580,E,085210,X,A",
            "GPGGA,085210,5000,0000,N,00800,0000,E,1,8,1,100,0,M,47,0,M,,",
            "GPGGA,085210,5008.7630,N,00828.9580,O,1,8,1,100.0,M,47.0,M,,",
            "GPGGA,085210,5008.7630,,00828.9580,,1,8,1,100.0,M,47.0,M,,",
            "GPGGA,085210,5060.0000,N,00828.9580,E,1,8,1,100.0,M,47.0,M,,",
            "GPGGA,085210,-5008.7630,N,00828.9580,E,1,8,1,100.0,M,47.0,M,,",
            "GNGNS,085210,5008.7630,N,00828.9580,E,XX,8,1,100.0,47.0,,",
        ])
    func unreadable(other: String) throws {
        for lines in [[Self.rmc, other], [other, Self.rmc]] {
            let read = try open(lines)
            #expect(read.reports.count == 1)
            let report = try #require(read.fixes.first)
            #expect((report.latitude - 50.14605).magnitude < 1e-9 && (report.longitude - 8.4826333333).magnitude < 1e-9)
            let line = lines[0] == other ? 1 : 2
            #expect(read.remarks.contains { $0.contains("(line \(line): \"$\(other.prefix(5))") }, "\(read.remarks)")
        }
        // On its own, the sentence gives neither a fix nor the absence of one.
        let alone = try open([other])
        #expect(alone.fixes.isEmpty && !alone.reports.contains { $0.report.mode == FixMode.none })
        #expect(!alone.remarks.isEmpty)
    }

    @Test(
        "A sentence whose fields are shifted by decimal commas is ignored as a whole",
        arguments: [
            "GPGGA,100000,5000.0000,N,00800.0000,E,1,08,1,2,250,5,M,47,3,M,,",
            "GPGGA,100000,5000.0000,N,00800.0000,E,1,08,1,5,100.0,M,47.0,M,,",
            "GPGGA,100000,5000.0000,N,00800.0000,E,1,08,1.0,250,5,M,47.0,M,,",
            "GPGGA,100000,5000,5000,N,00800.0000,E,1,08,1.0,100.0,M,47.0,M,,",
            "GNGNS,100000,5000.0000,N,00800.0000,E,AN,8,1,5,100,0,47.0,,",
            "GPRMC,100000,A,5000,1234,N,00800,5678,E,1.0,90.0,010124,,,A",
            "GPRMC,100000,A,5000.0000,N,00800,5678,E,1.0,90.0,010124,,,A",
            "GPRMC,100000,A,5000.0000,N,00800.0000,E,1,5,90.0,010124,,,A",
            "GPRMC,100000,A,5000.0000,N,00800.0000,E,1,5,,010124,,,A", "GPVTG,90,5,T,,M,1,5,N,2,8,K,A",
            "GPVTG,90.5,T,,M,1,5,N,2.8,K,A",
        ])
    func decimalCommas(other: String) throws {
        let good = "GNGNS,100000,5008.7630,N,00828.9580,E,AN,8,1.5,100.0,47.0,,"
        let read = try open([good, other])
        #expect(read.trace.bytes == (try open([good]).trace.bytes))
        #expect(read.remarks.count == 2 && read.remarks[0].contains("decimal commas?"), "\(read.remarks)")
    }

    @Test("A date from an unset clock is replaced by a later one", arguments: ["060180", "010170"])
    func firstDates(date: String) throws {
        func rmc(_ second: Int, _ date: String) -> String {
            "GPRMC,10000\(second),A,5000.000\(second),N,00800.0000,E,1.0,90.0,\(date),,,A"
        }
        let read = try open(rmc(0, date), rmc(1, date), rmc(2, "010124"))
        #expect(read.times == [0, 1, 2])
        #expect(read.trace.start?.nanoseconds == 1_704_103_200_000_000_000)
        #expect(read.fixes.last?.time?.nanoseconds == 1_704_103_202_000_000_000)
    }

    @Test(
        "ZDA and GST in local time belong to the epoch of the other sentences",
        arguments: ["GPZDA,120001,01,01,2024,,", "GPGST,120001,1,1,1,0,1.5,2.5,3.5"])
    func localTimeWithoutPosition(other: String) throws {
        let rmc = (1...3).map { "GPRMC,10000\($0),A,5000.000\($0),N,00800.0000,E,1.0,90.0,010124,,,A" }
        let read = try open([rmc[0], other, rmc[1], rmc[2]])
        #expect(read.times == [0, 1, 2])
        #expect(read.fixes.count == 3)
        #expect(read.hasRemark("is 2 hours ahead of that of the other sentences and was ignored"))
    }

    @Test("GLL in local time is recognised at the beginning and at the end of a log")
    func localTimeAtTheEnds() throws {
        let rmc = "GPRMC,100000,A,5000.0000,N,00800.0000,E,1.0,90.0,010124,,,A"
        let gll = "GPGLL,5000.0000,N,00800.0000,E,120000,A,A"
        for lines in [[rmc, gll], [gll, rmc]] {
            let read = try open(lines)
            #expect(read.fixes.map { $0.time?.nanoseconds } == [1_704_103_200_000_000_000])
            #expect(read.remarks.contains { $0.contains("the time of GLL is 2 hours ahead") }, "\(read.remarks)")
        }
    }

    @Test("Different measurements with the same time and position are spread over time")
    func differentSpeeds() throws {
        let lines = (0..<4).map { "GPRMC,10000\($0 / 2),A,5000.0000,N,00800.0000,E,\($0).0,90.0,010124,,,A" }
        #expect(try open(lines).times == [0, 0.5, 1, 1.5])
        // A repeated sentence is one measurement.
        let twice = [lines[0], lines[0], lines[2]]
        #expect(try open(twice).times == [0, 0, 1])
    }

    @Test("Positions without a time follow the previous position")
    func withoutTime() throws {
        func gga(_ time: String, _ minutes: Int) -> String {
            "GPGGA,\(time),5000.000\(minutes),N,00800.0000,E,1,08,1.0,10\(minutes).0,M,47.0,M,,"
        }
        let among = try open(gga("100000", 0), gga("", 1), gga("", 2), gga("100004", 3))
        #expect(among.fixes.map(\.altitudeMSL) == [100, 101, 102, 103])
        #expect(Set(among.times).count == 4)
        #expect(among.remarks.contains { $0.contains("has a position but no time") }, "\(among.remarks)")
        let alone = try open(gga("", 0), gga("", 1), gga("", 2))
        #expect(alone.times == [0, 1, 2])
        let before = try open(gga("", 0), gga("", 1), gga("100000", 2), gga("100001", 3))
        #expect(before.times == [0, 1, 2, 3])
        #expect(alone.remarks.contains { $0.contains("placed one second apart") }, "\(alone.remarks)")
    }

    @Test("An epoch has no fix if the receiver reports none")
    func noFix() throws {
        #expect(try open("GPGGA,085210,,,,,0,0,,,M,,M,,").reports.map(\.report.mode) == [.none])
        #expect(try open("GPRMC,085210,V,,,,,,,010124,,,N").reports.map(\.report.mode) == [.none])
        #expect(try open("GPGLL,,,,,085210,V,N").reports.map(\.report.mode) == [.none])
    }

    @Test(
        "A field that cannot be parsed is reported with its line and sentence",
        arguments: [
            ("GPGGA,noon,5008.7630,N,00828.9580,E,1,8,1,100.0,M,47.0,M,,", "field 1 of GGA"),
            ("GPGGA,085210,5008.7630,N,00828.9580,E,1,many,1,100.0,M,47.0,M,,", "field 7 of GGA"),
            ("GPGGA,085210,5008.7630,N,00828.9580,E,1,8,good,100.0,M,47.0,M,,", "field 8 of GGA"),
            ("GPGGA,085210,5008.7630,N,00828.9580,E,1,8,1,high,M,47.0,M,,", "field 9 of GGA"),
            ("GPRMC,085210,A,5008.7630,N,00828.9580,E,-3,90.0,010124,,,A", "field 7 of RMC"),
            ("GPRMC,085210,A,5008.7630,N,00828.9580,E,1,N,010124,,,A", "field 8 of RMC"),
            ("GPRMC,085210,A,5008.7630,N,00828.9580,E,1,90.0,today,,,A", "field 9 of RMC"),
            ("GPRMC,085210,A,5008.7630,N,00828.9580,E,1,90.0,010124,3.1,O,A", "field 10 of RMC"),
            ("GPVTG,x,T,,M,1.0,N,,K,A", "field 1 of VTG"), ("GPGST,085210,1,x,1,1,1,1,1", "field 3 of GST"),
            ("GPRMC,085210,A,5008.7630,N,00828.9580,E,1,90.0,310224,,,A", "field 9 of RMC"),
            ("GPRMC,085210,A,5008.7630,N,00828.9580,E,1,400,010124,,,A", "field 8 of RMC"),
            ("GPHDT,400,T", "field 1 of HDT"), ("GPGSA,A,4,01,,,,,,,,,,,,1.0,1.0,1.0", "field 2 of GSA"),
            ("GPGSV,1,1,02,01,40,083,46,02,xx,308,41", "field 9 of GSV"),
            ("GPGSV,1,1,x,01,40,083,46", "field 3 of GSV"), ("GPZDA,085210,32,01,2024,,", "the date of ZDA"),
            ("GPZDA,085210,first,01,2024,,", "field 2 of ZDA"),
            ("GPGSA,A,3,1A,,,,,,,,,,,,1.0,1.0,1.0", "field 3 of GSA"), ("GPDPT,deep,0.0", "field 1 of DPT"),
            ("HCXDR,A,1.0,D,PITCH,A,steep,D,ROLL", "field 6 of XDR"),
            ("GPHDT,north,T", "field 1 of HDT"), ("GPHDG,1.0,2.0,X,,", "field 2 of HDG"),
            ("GPROT,1.0,X", "field 2 of ROT"), ("GPVHW,x,T,1.0,M,,N,,K", "field 1 of VHW"),
        ])
    func fields(text: String, problem: String) throws {
        let read = try open(Self.rmc, text)
        let remark = try #require(read.remarks.first { $0.hasPrefix(problem) }, "\(read.remarks)")
        #expect(remark.contains("cannot be read and was ignored (line 2: \"$\(text.prefix(5))"))
    }

    @Test("Unsupported lines and sentences are counted")
    func others() throws {
        let text =
            sentence(Self.rmc) + "\nhello\n" + sentence("PMTK001,1") + "\n" + sentence("PMTK001,2") + "\n# comment\n"
            + "$GPGGA,1*00\n"
        let file = try RecordingFile.read([UInt8](text.utf8), name: "t.nmea")
        #expect(
            file.remarks.contains { $0.hasPrefix("the line contains no sentence and was skipped (line 2: \"hello\")") })
        #expect(
            file.remarks.contains { $0.contains("of an unsupported kind and was skipped (2 times; first in line 3: ") })
        #expect(
            file.remarks.contains {
                $0.contains("wrong or missing checksum, or is truncated, and was skipped (line 6: ")
            })
    }

    @Test(
        "GLL in local time does not begin a separate epoch",
        arguments: [["GGA", "GLL", "RMC"], ["GGA", "RMC", "GLL"], ["GLL", "GGA", "RMC"], ["RMC", "GLL", "GGA"]])
    func localTime(order: [String]) throws {
        var lines: [String] = []
        for second in 0..<3 {
            let position = "500\(second).0000,N,00800.0000,E"
            let texts = [
                "GGA": "GPGGA,10080\(second),\(position),1,8,1.0,100.0,M,47.0,M,,",
                "GLL": "GPGLL,\(position),12080\(second).020,A,A",
                "RMC": "GPRMC,10080\(second),A,\(position),1.0,90.0,010124,,,A",
            ]
            lines += order.compactMap { texts[$0] }
        }
        let read = try open(lines)
        #expect(read.fixes.count == 3)
        #expect(read.times == [0, 1, 2])
        // 2024-01-01T10:08:00Z
        #expect(read.fixes.first?.time?.seconds == 1_704_103_680)
        #expect(read.hasRemark("the time of GLL is 2 hours ahead of that of the other sentences and was ignored"))
        // The first line whose time differs from that of its epoch: a GLL, or the sentence after a GLL that begins the
        // epoch.
        let number = try #require(order.firstIndex(of: "GLL")).magnitude
        #expect(read.hasRemark("line \(max(number + 1, 2)):"))
    }

    @Test("A log with a fix every half hour keeps all of them")
    func halfHours() throws {
        var lines: [String] = []
        for hour in 10..<12 {
            for minute in ["00", "30"] {
                let position = "50\(hour).0000,N,008\(minute).0000,E"
                lines.append("GPGLL,\(position),\(hour)\(minute)00,A,A")
                lines.append("GPGGA,\(hour)\(minute)00,\(position),1,8,1.0,100.0,M,47.0,M,,")
                lines.append("GPRMC,\(hour)\(minute)00,A,\(position),1.0,90.0,010124,,,A")
            }
        }
        let read = try open(lines)
        #expect(read.times == [0, 1800, 3600, 5400])
        #expect(!read.hasRemark("ahead"))
    }

    @Test("The first date of a fix also replaces the 1980 date of a void RMC before it")
    func voidDate() throws {
        let gga = "GPGGA,100801,5000.0000,N,00800.0000,E,1,8,1.0,100.0,M,47.0,M,,"
        let read = try open(
            "GPRMC,100800,V,,,,,,,060180,,,N", gga, "GPRMC,100802,A,5000.0000,N,00800.0000,E,1.0,90.0,010124,,,A")
        #expect(read.fixes.map { $0.time?.seconds } == [1_704_103_681, 1_704_103_682])
        #expect(read.trace.start?.seconds == 1_704_103_680)
        // The void sentences may also contain the right date before the first fix does.
        let corrected = try open(
            "GPRMC,100800,V,,,,,,,060180,,,N", "GPRMC,100801,V,,,,,,,010124,,,N",
            "GPRMC,100802,A,5000.0000,N,00800.0000,E,1.0,90.0,010124,,,A")
        #expect(corrected.fixes.map { $0.time?.seconds } == [1_704_103_682])
        #expect(corrected.trace.start?.seconds == 1_704_103_680)
        // Without another date, the date of the void RMC is used.
        let only = try open("GPRMC,100800,V,,,,,,,020180,,,N", gga)
        #expect(only.fixes.first?.time?.seconds == 315_655_681)
    }

    @Test("All positions are kept if the measurement rate exceeds the resolution of the times")
    func wholeSeconds() throws {
        func gga(_ time: String, _ minutes: String) -> String {
            "GPGGA,\(time),50\(minutes),N,00800.0000,E,1,8,1.0,100.0,M,47.0,M,,"
        }
        let read = try open(
            "GPZDA,100800,01,01,2024,,", gga("100800", "00.0000"), gga("100800", "00.0010"), gga("100800", "00.0020"),
            gga("100800", "00.0030"), gga("100801", "00.0040"))
        #expect(read.times == [0, 0.25, 0.5, 0.75, 1])
        #expect(Set(read.fixes.compactMap(\.time)).count == 5)
        #expect(read.hasRemark("the position has the same time as the previous one"))
        var epochs = PositionEpochs(read.trace)
        let count = read.trace.bytes.withUnsafeBytes { bytes in
            var count = 0
            while epochs.next(bytes) != nil { count += 1 }
            return count
        }
        #expect(count == 5)
    }

    @Test("A sentence that is sent twice counts as one position")
    func repeats() throws {
        let gga = "GPGGA,100800,5000.0000,N,00800.0000,E,1,8,1.0,100.0,M,47.0,M,,"
        let read = try open(gga, gga, "GPGGA,100801,5000.0000,N,00800.0000,E,1,8,1.0,100.0,M,47.0,M,,")
        #expect(read.times == [0, 0, 1])
        #expect(!read.hasRemark("spread"))
    }
}
