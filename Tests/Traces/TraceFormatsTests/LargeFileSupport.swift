// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing

@testable import Trace
@testable import TraceFormats

/// A text of any length that is generated while it is read: a head, the records of a number of hours, and a tail.
///
/// All records have the same length. In each record, "@D" is replaced by the day of the month from 01 on, "@H" by the
/// hour of the day, and "@NN" by the hour from 000 on.
final class HourlyText: ByteSource {
    private let head: [UInt8]
    private let tail: [UInt8]
    private let hours: Int
    private var block: [UInt8]
    private let recordLength: Int
    /// The offsets of the replaced digits in a record.
    private let places: [(offset: Int, kind: Kind)]
    private var part = 0
    private var offset = 0

    private enum Kind { case day, hour, number }

    static let recordsPerHour = 3600

    /// - Parameter record: Returns the record for a second of the hour. All records must have the same length.
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

    /// Creates an independent reader of the same text.
    init(copyOf text: HourlyText) {
        (head, hours, tail) = (text.head, text.hours, text.tail)
        (block, recordLength, places) = (text.block, text.recordLength, text.places)
    }

    convenience init(head: String, hours: Int, tail: String = "", record: (_ second: Int) -> String) {
        self.init(head: [UInt8](head.utf8), hours: hours, tail: [UInt8](tail.utf8)) { [UInt8](record($0).utf8) }
    }

    /// Returns the text from an offset on.
    func copy(from offset: Int) -> HourlyText {
        let copy = HourlyText(copyOf: self)
        copy.skip(offset)
        return copy
    }

    /// The length in bytes.
    var count: Int { head.count + hours * block.count + tail.count }
    /// The number of records.
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

    /// Skips a number of bytes.
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

    /// The peak since ``resetPeak()``.
    static var peak: Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    static func resetPeak() { try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs")) }

    /// Returns the maximum growth while the closure runs.
    static func growth(_ body: () throws -> Void) rethrows -> Int {
        resetPeak()
        let before = peak
        try body()
        return peak - before
    }
}

/// Importers as programs use them, but with smaller buffers, so that smaller files suffice to detect unbounded memory.
enum LargeFile {
    /// Returns the minute and second for a second of the hour, with a separator.
    static func clock(_ second: Int, _ separator: String = "") -> String {
        let (minute, rest) = (second / 60, second % 60)
        return "\(minute < 10 ? "0" : "")\(minute)\(separator)\(rest < 10 ? "0" : "")\(rest)"
    }

    /// Returns a number below 10,000 with four digits.
    static func digits(_ number: Int) -> String { String(String(10_000 + number).dropFirst()) }

    /// Returns a TPV report for a second of the hour.
    static func position(_ second: Int) -> String {
        #"{"class":"TPV","device":"/dev/gps","mode":3,"time":"2026-03-@DT@H:\#(clock(second, ":")).000Z","lat":48.1\#(digits(second)),"lon":11.5,"altMSL":500.0,"track":0.0,"speed":11.1,"eph":5.0}"#
    }

    /// Returns a GPX track with one point a second.
    static func gpx(hours: Int) -> HourlyText {
        HourlyText(head: "<gpx version=\"1.1\"><trk><trkseg>\n", hours: hours, tail: "</trkseg></trk></gpx>\n") {
            second in
            "<trkpt lat=\"48.1\(digits(second))\" lon=\"11.5\"><ele>500</ele><time>2026-03-@DT@H:\(clock(second, ":"))Z</time></trkpt>\n"
        }
    }

    /// Reads a small text first, so that one-time allocations are complete, and then a text of about this number of
    /// bytes.
    ///
    /// - Parameter read: Reads a text. Returns a closure that returns the number of records found.
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

    /// Returns the number of positions and readings in a trace.
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

    /// Prints the standard output of an exit test.
    static func show(_ result: ExitTest.Result?) {
        if let result { print(String(decoding: result.standardOutputContent, as: UTF8.self), terminator: "") }
    }

    /// A sink that counts events.
    final class Counter: TraceSink {
        var events = 0

        func write(_ header: TraceHeader) {}

        func write(_ event: TraceEvent) { events += 1 }
    }

    /// Returns a builder that stores traces beyond 256 KiB in a file.
    static func builder() -> TraceBuilder { TraceBuilder(name: "large", limit: .max, largestInMemory: 1 << 18) }

    /// Returns the text as a stream.
    static func chunks(_ text: HourlyText) -> FileContents { .stream(name: "large") { text.copy(from: $0) } }

    /// Calls the closure with the text as a mapped file.
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
