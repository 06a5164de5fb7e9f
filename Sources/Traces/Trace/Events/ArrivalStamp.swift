// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import SystemCalls

/// The optional timestamp that gpspipe writes before each line, followed by a colon and a space. The format depends on
/// gpspipe's options:
///
///     -t    2026-11-21 03:39:10
///     -u    2026-11-21 03:39:16.708334
///     -uu   2026-11-21 03:39:22 1795232362.754231
///     -Z    2026-11-21T03:39:29
///     -uZ   2026-11-21T03:39:35.17636Z       (five decimals)
///     -uuZ  2026-11-21T03:43:39Z 1795232619.661011
///     -T    a format given by the user
///
/// All times are UTC.
package enum ArrivalStamp {
    /// The number of bytes at the start of a line in which to search for a stamp. gpspipe limits a stamp's date to 24
    /// bytes, and the Unix time after it needs up to 30. The rest is a margin.
    private static let searchedLength = 96
    /// The earliest Unix time that is accepted without a preceding date, in nanoseconds. The limit rejects dates
    /// without separators, such as 20261121.
    private static let earliestNanoseconds: Int64 = 100_000_000_000_000_000

    /// Returns the offset at which the report begins, or nil if the line does not consist of a stamp and a report.
    static func reportStart(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) -> Int? {
        let limit = min(line.upperBound, line.lowerBound + searchedLength)
        guard let base = bytes.baseAddress,
            let found = memchr(base + line.lowerBound, Int32(UInt8(ascii: "{")), limit - line.lowerBound)
        else { return nil }
        let start = UnsafeRawPointer(found) - base
        // With `-T`, a stamp can be any text. It is recognized only if a gpsd report follows.
        guard start - line.lowerBound >= 2, bytes[start - 1] == UInt8(ascii: " "),
            bytes[start - 2] == UInt8(ascii: ":"),
            ByteMatching.hasPrefix(bytes, at: start, end: line.upperBound, "{\"class\":")
        else { return nil }
        return start
    }

    static func isStampedSentence(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) -> Bool {
        var at = line.lowerBound
        let limit = min(line.upperBound, line.lowerBound + searchedLength)
        while at + 2 < limit {
            if bytes[at] == UInt8(ascii: ":"), bytes[at + 1] == UInt8(ascii: " ") {
                return bytes[at + 2] == UInt8(ascii: "$") || bytes[at + 2] == UInt8(ascii: "!")
            }
            at += 1
        }
        return false
    }

    /// Returns the time of a stamp in nanoseconds since 1970, or nil if the stamp contains no valid time.
    package static func time(_ text: UnsafeRawBufferPointer) -> Int64? {
        let afterBlank = text.lastIndex(of: UInt8(ascii: " ")).map { $0 + 1 } ?? 0
        let last = UnsafeRawBufferPointer(rebasing: text[afterBlank...])
        if let time = TraceSeconds.parse(last), time >= 0 {
            // A small number could be the day of the month, so it is accepted as a Unix time only after a date.
            let date = UnsafeRawBufferPointer(rebasing: text[..<afterBlank].dropLast())
            return time >= earliestNanoseconds || CivilTime.parse(date) != nil ? time : nil
        }
        return CivilTime.parse(text)
    }
}

/// A clock for reports without arrival times. It advances with the times in the reports.
package struct ReportClock: Sendable {
    /// The time since the start of the trace, in nanoseconds.
    package private(set) var elapsed: Int64 = 0
    private var last: WallTime?

    package init() {}

    /// Advances the clock by the difference between `time` and the previous report's time. Does not advance the clock
    /// if `time` is nil, or if the difference is negative or greater than one minute.
    package mutating func advance(to time: WallTime?) {
        guard let time else { return }
        if let last {
            let rise = time.nanoseconds.subtractingSaturated(last.nanoseconds)
            if rise > 0, rise <= 60_000_000_000 { elapsed = elapsed.addingSaturated(rise) }
        }
        last = time
    }
}
