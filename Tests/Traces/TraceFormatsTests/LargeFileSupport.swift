// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing

@testable import Trace
@testable import TraceFormats

/// A text of any length that is made while it is read: a head, the records of so many hours, and a tail.
///
/// Records are all of one length. In each "@D" becomes the day of the month from 01 on, "@H" the hour of the day, and "@NN" the
/// hour from 000 on.
final class HourlyText: ByteSource {
    private let head: [UInt8]
    private let tail: [UInt8]
    private let hours: Int
    private var block: [UInt8]
    private let recordLength: Int
    /// Where in a record which digits stand.
    private let places: [(offset: Int, kind: Kind)]
    private var part = 0
    private var offset = 0

    private enum Kind { case day, hour, number }

    /// Records in an hour.
    static let recordsPerHour = 3600

    /// - Parameter record: the record of a second of an hour, as long as that of any other.
    init(head: [UInt8], hours: Int, tail: [UInt8] = [], record: (_ second: Int) -> [UInt8]) {
        (self.head, self.hours, self.tail) = (head, hours, tail)
        let first = record(0)
        recordLength = first.count
        var places: [(offset: Int, kind: Kind)] = []
        for offset in first.indices.dropLast() where first[offset] == UInt8(ascii: "@") {
            switch first[offset + 1] {
            case UInt8(ascii: "D"): places.append((offset, .day))
            case UInt8(ascii: "H"): places.append((offset, .hour))
            case UInt8(ascii: "N"): places.append((offset, .number))
            default: break
            }
        }
        self.places = places
        block = []
        block.reserveCapacity(first.count * Self.recordsPerHour)
        for second in 0..<Self.recordsPerHour { block += record(second) }
        precondition(block.count == first.count * Self.recordsPerHour, "Records differ in their lengths.")
    }

    /// The same text, to be read beside it.
    init(copyOf text: HourlyText) {
        (head, hours, tail) = (text.head, text.hours, text.tail)
        (block, recordLength, places) = (text.block, text.recordLength, text.places)
    }

    convenience init(head: String, hours: Int, tail: String = "", record: (_ second: Int) -> String) {
        self.init(head: [UInt8](head.utf8), hours: hours, tail: [UInt8](tail.utf8)) { [UInt8](record($0).utf8) }
    }

    /// The text from an offset on.
    func copy(from offset: Int) -> HourlyText {
        let copy = HourlyText(copyOf: self)
        copy.skip(offset)
        return copy
    }

    /// How many bytes it has.
    var count: Int { head.count + hours * block.count + tail.count }
    /// How many records it has.
    var records: Int { hours * Self.recordsPerHour }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        while filled < buffer.count, part <= hours + 1 {
            if part > 0, part <= hours, offset == 0 { setDigits(hour: part - 1) }
            let source = part == 0 ? head : part <= hours ? block : tail
            let count = min(source.count - offset, buffer.count - filled)
            source.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + count])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
            }
            filled += count
            offset += count
            if offset == source.count { (part, offset) = (part + 1, 0) }
        }
        return filled
    }

    private func setDigits(hour: Int) {
        let zero = UInt8(ascii: "0")
        let (places, length) = (places, recordLength)
        block.withUnsafeMutableBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: length) {
                for (offset, kind) in places {
                    let at = start + offset
                    let number = kind == .day ? hour / 24 + 1 : kind == .hour ? hour % 24 : hour
                    if kind == .number {
                        bytes[at] = zero + UInt8(truncatingIfNeeded: number / 100)
                        bytes[at + 1] = zero + UInt8(truncatingIfNeeded: number / 10 % 10)
                        bytes[at + 2] = zero + UInt8(truncatingIfNeeded: number % 10)
                    } else {
                        bytes[at] = zero + UInt8(truncatingIfNeeded: number / 10)
                        bytes[at + 1] = zero + UInt8(truncatingIfNeeded: number % 10)
                    }
                }
            }
        }
    }

    /// Passes over so many bytes.
    private func skip(_ count: Int) {
        var rest = count
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while rest > 0 {
            let count = min(rest, buffer.count)
            rest -= buffer.withUnsafeMutableBytes { read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
}

/// The memory of this process, in KiB.
enum Memory {
    static let canBeMeasured = FileManager.default.isWritableFile(atPath: "/proc/self/clear_refs")

    /// The most that it has had since ``resetPeak()``.
    static var peak: Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    static func resetPeak() { try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs")) }

    /// By how much it grows while the closure runs, at the most.
    static func growth(_ body: () throws -> Void) rethrows -> Int {
        resetPeak()
        let before = peak
        try body()
        return peak - before
    }
}

/// Importers as programs use them, but that what is kept in memory is less, so that less has to be read to see that no more is.
enum LargeFile {
    /// A second of an hour as minutes and seconds, with something between.
    static func clock(_ second: Int, _ separator: String = "") -> String {
        let (minute, rest) = (second / 60, second % 60)
        return "\(minute < 10 ? "0" : "")\(minute)\(separator)\(rest < 10 ? "0" : "")\(rest)"
    }

    /// A number below 10,000 with four digits.
    static func digits(_ number: Int) -> String { String(String(10_000 + number).dropFirst()) }

    /// A position of a second as gpsd reports it.
    static func position(_ second: Int) -> String {
        #"{"class":"TPV","device":"/dev/gps","mode":3,"time":"2026-03-@DT@H:\#(clock(second, ":")).000Z","lat":48.1\#(digits(second)),"lon":11.5,"altMSL":500.0,"track":0.0,"speed":11.1,"eph":5.0}"#
    }

    /// A track of GPX with a point a second.
    static func gpx(hours: Int) -> HourlyText {
        HourlyText(head: "<gpx version=\"1.1\"><trk><trkseg>\n", hours: hours, tail: "</trkseg></trk></gpx>\n") {
            second in
            "<trkpt lat=\"48.1\(digits(second))\" lon=\"11.5\"><ele>500</ele><time>2026-03-@DT@H:\(clock(second, ":"))Z</time></trkpt>\n"
        }
    }

    /// Reads a small one first, so that what is made once is there, and then one of about so many bytes.
    ///
    /// - Parameter read: reads a text that begins; what it returns says afterwards how many records were found.
    static func check(
        bytes: Int, limit: Int, _ name: String, _ text: (_ hours: Int) -> HourlyText,
        _ read: (HourlyText) throws -> () -> Int
    ) throws {
        let small = text(1)
        #expect(try read(small)() == small.records, "\(name)")
        let large = text(max(1, bytes / small.count))
        var count: () -> Int = { 0 }
        let growth = try Memory.growth { count = try read(large) }
        print("\(name): \(large.count / 1024) KiB are read in \(growth) KiB")
        #expect(growth < limit, "\(name), a file of \(large.count / 1024) KiB")
        #expect(count() == large.records, "\(name)")
    }

    /// The positions or readings of a trace, read event by event.
    static func count(_ trace: TraceFile) -> Int {
        trace.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(trace)
            var count = 0
            while let record = cursor.next(bytes) {
                if record.kind == .gpsd || record.kind == .sample { count += 1 }
            }
            return count
        }
    }

    /// Shows what the process of a test has printed.
    static func show(_ result: ExitTest.Result?) {
        if let result { print(String(decoding: result.standardOutputContent, as: UTF8.self), terminator: "") }
    }

    /// Counts what it is given.
    final class Counter: TraceSink {
        var events = 0

        func write(_ header: TraceHeader) {}

        func write(_ event: TraceEvent) { events += 1 }
    }

    /// A trace in memory up to 256 KiB, and in a file from there on.
    static func builder() -> TraceBuilder { TraceBuilder(name: "large", limit: .max, largestInMemory: 1 << 18) }

    /// What streams are read from.
    static func chunks(_ text: HourlyText) -> FileChunks {
        .stream(name: "large") { text.copy(from: $0) }
    }

    /// Calls the closure with the text as a file that is mapped.
    static func mapped<Result>(_ text: HourlyText, _ body: (TraceBytes) throws -> Result) throws -> Result {
        try Files.withFolder { folder in
            let path = folder + "/large"
            try Data().write(to: URL(fileURLWithPath: path))
            let file = try #require(FileHandle(forWritingAtPath: path))
            var buffer = [UInt8](repeating: 0, count: 1 << 18)
            while case let count = buffer.withUnsafeMutableBytes({ text.read(into: $0) }), count > 0 {
                try file.write(contentsOf: buffer[..<count])
            }
            try file.close()
            return try body(try TraceBytes(path: path, largestInMemory: 0))
        }
    }
}
