// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import SystemCalls

/// The stamp that gpspipe puts before a line when it is asked to, followed by a colon and a blank:
///
///     -t    2026-11-21 03:39:10
///     -u    2026-11-21 03:39:16.708334
///     -uu   2026-11-21 03:39:22 1795232362.754231
///     -Z    2026-11-21T03:39:29
///     -uZ   2026-11-21T03:39:35.17636Z       (five decimals)
///     -uuZ  2026-11-21T03:43:39Z 1795232619.661011
///     -T    as the user says
///
/// All are UTC.
package enum ArrivalStamp {
    /// The longest text that is looked at for a stamp, in bytes: gpspipe cuts the part before the seconds at 24.
    private static let maximumLength = 96
    /// In 1973. Dates written without separators have fewer digits, or more than are in range.
    private static let earliestSeconds: Int64 = 100_000_000_000_000_000

    /// Where the report behind a stamp starts; nil when that line is none.
    static func reportStart(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) -> Int? {
        let limit = min(line.upperBound, line.lowerBound + maximumLength)
        guard let base = bytes.baseAddress,
            let found = memchr(base + line.lowerBound, Int32(UInt8(ascii: "{")), limit - line.lowerBound)
        else { return nil }
        let start = UnsafeRawPointer(found) - base
        // With a stamp of any text allowed, only a report that starts the way gpsd writes them is told from prose.
        guard start - line.lowerBound >= 2, bytes[start - 1] == UInt8(ascii: " "),
            bytes[start - 2] == UInt8(ascii: ":"),
            Bytes.start(bytes, at: start, end: line.upperBound, with: "{\"class\":")
        else { return nil }
        return start
    }

    /// True for a line with an NMEA sentence after a stamp.
    static func isStampedSentence(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) -> Bool {
        var at = line.lowerBound
        let limit = min(line.upperBound, line.lowerBound + maximumLength)
        while at + 2 < limit {
            if bytes[at] == UInt8(ascii: ":"), bytes[at + 1] == UInt8(ascii: " ") {
                return bytes[at + 2] == UInt8(ascii: "$") || bytes[at + 2] == UInt8(ascii: "!")
            }
            at += 1
        }
        return false
    }

    /// The time of a stamp in nanoseconds since 1970; nil when it does not say one.
    package static func time(_ text: UnsafeRawBufferPointer) -> Int64? {
        let afterBlank = text.lastIndex(of: UInt8(ascii: " ")).map { $0 + 1 } ?? 0
        let last = UnsafeRawBufferPointer(rebasing: text[afterBlank...])
        if let time = TraceSeconds.parse(last), time >= 0 {
            // A small number may be anything, a day for example, unless it stands behind a date.
            let isSeconds = time >= earliestSeconds || isDate(UnsafeRawBufferPointer(rebasing: text[..<afterBlank]))
            return isSeconds ? time : nil
        }
        return CivilTime.parse(text)
    }

    /// True for a date and a time of day with a blank behind them.
    private static func isDate(_ text: UnsafeRawBufferPointer) -> Bool {
        CivilTime.parse(UnsafeRawBufferPointer(rebasing: text.dropLast())) != nil
    }
}

/// The time of reports that came without a stamp of their arrival: it goes on with the receiver's own time.
package struct ReportClock: Sendable {
    /// Nanoseconds since the start.
    package private(set) var elapsed: Int64 = 0
    private var last: WallTime?

    package init() {}

    /// Takes note of a report's own time: where that rises by up to a minute the clock goes on with it, else it holds.
    package mutating func take(_ time: WallTime?) {
        guard let time else { return }
        if let last {
            let rise = time.nanoseconds.subtractingSaturated(last.nanoseconds)
            if rise > 0, rise <= 60_000_000_000 { elapsed = elapsed.addingSaturated(rise) }
        }
        last = time
    }
}
