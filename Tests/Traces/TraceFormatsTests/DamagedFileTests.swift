// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import TestSupport
import Testing
import Trace

@testable import TraceFormats

/// Position files that are truncated or manipulated.
@Suite("Damaged position files")
struct DamagedFileTests {
    /// Returns a trace of ten minutes with one fix a second.
    private static func drive() throws -> TraceFile {
        let builder = TraceBuilder(name: "drive")
        let start: Int64 = 1_700_000_000_000_000_000
        try builder.write(TraceHeader(start: .init(wallTime: WallTime(nanoseconds: start), boot: .zero)))
        for second in 0..<600 {
            let time = Int64(second) * 1_000_000_000
            var report = PositionReport()
            report.mode = .threeDimensional
            report.time = WallTime(nanoseconds: start + time)
            report.latitude = 48 + Double(second) * 1e-4
            report.longitude = 11 - Double(second) * 1e-4
            report.altitudeMSL = 500
            report.speed = 13.4
            report.track = 326.25
            try builder.write(TraceEvent(time: time, .gpsd(GPSDEncoder.encode(report))))
        }
        return try builder.file()
    }

    private static func bytes(_ format: RecordingFormat) throws -> [UInt8] {
        try Files.withFolder { folder in
            _ = try format.write(try drive(), to: folder + "/out", overwrite: false)
            return try Files.bytes(folder + "/out")
        }
    }

    @Test(
        "A truncated file yields the fixes before the cut, or an error that names the file",
        arguments: [RecordingFormat.trace, .gpsd, .nmea, .gpx])
    func cut(format: RecordingFormat) throws {
        let whole = try Self.bytes(format)
        let all = ReadPositions(try RecordingFile.read(whole, name: "cut").trace).fixes
        #expect(all.count == 600)
        var last = 0
        var refused = 0
        // The step is a prime number, so that the cuts are at all positions within a line.
        for end in stride(from: 1, to: whole.count, by: Thoroughness.rounds(1499, quick: 2999)) {
            do throws(DeviceError) {
                let file = try RecordingFile.read(Array(whole[..<end]), name: "cut")
                let found = ReadPositions(file.trace, remarks: file.remarks).fixes
                #expect(found.count >= last && found.count <= 600)
                // Compares only coordinates, because the missing last sentence of an epoch may contain its altitude or
                // speed.
                let places = found.dropLast().map { [$0.latitude, $0.longitude] }
                #expect(places == all.prefix(max(0, found.count - 1)).map { [$0.latitude, $0.longitude] }, "at \(end)")
                last = found.count
            } catch {
                #expect(last == 0, "at \(end)")
                #expect(error.message.contains("cut"))
                refused += 1
            }
        }
        // The last cut is within the last 30 fixes.
        #expect(last > 570)
        #expect(refused < 5)
    }

    @Test(
        "Zero bytes before, between and within lines damage only those lines",
        arguments: [RecordingFormat.trace, .gpsd, .nmea])
    func zeroBytes(format: RecordingFormat) throws {
        var lines = try Self.bytes(format).split(separator: 10, omittingEmptySubsequences: false).map { Array($0) }
        let perFix = lines.count / 600
        for index in stride(from: perFix * 100, to: perFix * 500, by: perFix * 50) {
            lines[index].insert(contentsOf: [UInt8](repeating: 0, count: 4096), at: 0)
            lines[index + perFix].insert(0, at: 40)
        }
        let damaged = Array(lines.joined(separator: [10]))
        let file = try RecordingFile.read(damaged, name: "zero")
        let fixes = ReadPositions(file.trace).fixes
        // Eight lines are damaged, and each one belongs to one fix.
        #expect(fixes.count >= 600 - 8 && fixes.count <= 600)
        #expect(fixes.last?.latitude == 48.0599)
    }

    @Test("Numbers with hundreds of digits are unknown, and the rest of the line is used")
    func hugeNumbers() throws {
        let nines = String(repeating: "9", count: 400)
        let line =
            #"{"class":"TPV","mode":3,"lat":1.5,"lon":2.5,"altMSL":1e400,"speed":-1e\#(nines),"track":\#(nines)}"#
        let report = try #require(
            ReadPositions(try RecordingFile.read([UInt8]("\(line)\n".utf8), name: "huge").trace).fixes.first)
        #expect(report.latitude == 1.5)
        #expect(!report.altitudeMSL.isFinite)
        #expect(!(report.track.magnitude <= 1e9))
        let text = "GPGGA,120000,4404.0,N,12118.0,W,1,12,\(nines).\(nines),\(nines),M,1e308,M,,"
        let sum = String(text.utf8.reduce(0, ^), radix: 16, uppercase: true)
        let sentence = "$\(text)*\(sum.count == 1 ? "0" : "")\(sum)\n"
        // A sentence has at most 82 characters, so this one is rejected or its numbers are unknown.
        if let file = try? RecordingFile.read([UInt8](sentence.utf8), name: "huge") {
            for fix in ReadPositions(file.trace).fixes { #expect(!fix.altitudeMSL.isFinite) }
        }
    }

    @Test("Sentences are found in a line without an end")
    func endless() throws {
        let sentence = [UInt8]("$GPGLL,4404.0,N,12118.0,W,120000,A,A*59".utf8)
        let sum = sentence.dropFirst().prefix { $0 != UInt8(ascii: "*") }.reduce(0, ^)
        #expect(sum == 0x59)
        var bytes: [UInt8] = []
        for index in 0..<5000 {
            bytes += sentence
            bytes += [0, 0xff, UInt8(truncatingIfNeeded: index) | 0x80, 0x20]
        }
        let builder = TraceBuilder(name: "t")
        var options = NMEALogOptions()
        options.date = WallTime(nanoseconds: 1_700_000_000_000_000_000)
        let remarks = try NMEALog.read(bytes, name: "endless", options: options, to: builder)
        // The line is read in pieces of 64 KiB. A sentence may be split at the end of each piece.
        let count = ReadPositions(try builder.file()).fixes.count
        #expect(count <= 5000 && count >= 5000 - bytes.count / 65_536)
        #expect(remarks.count <= 2, "\(remarks)")
    }
}
