// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// Parses civil times in ISO 8601 format, such as `2026-11-21T03:39:16.708334Z`.
package enum CivilTime {
    /// The time zone designator at the end of a time.
    package enum Zone: Sendable {
        /// No designator. The time is interpreted as UTC.
        case missing
        case utc
        /// An offset in hours and minutes, as in `+05:30`.
        case offset
    }

    /// Returns a UTC time in nanoseconds since 1970, or nil if the text is invalid or contains an offset from UTC.
    static func parse(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard let (time, zone) = parseZoned(text), zone != .offset else { return nil }
        return time.nanoseconds
    }

    /// Parses a time, or returns nil if the text is invalid. A space may separate the date from the time. The seconds
    /// and the time zone are optional. Digits after the ninth decimal are truncated. A leap second (`:60`) becomes the
    /// first second of the next minute.
    package static func parseZoned(_ text: UnsafeRawBufferPointer) -> (time: WallTime, zone: Zone)? {
        var at = 0

        func number(_ digits: Int) -> Int? {
            guard text.count - at >= digits else { return nil }
            var value = 0
            for index in at..<at + digits {
                let digit = text[index] &- UInt8(ascii: "0")
                guard digit <= 9 else { return nil }
                value = value * 10 + Int(digit)
            }
            at += digits
            return value
        }

        func skip(_ byte: UInt8) -> Bool {
            guard at < text.count, text[at] == byte else { return false }
            at += 1
            return true
        }

        let (dash, colon) = (UInt8(ascii: "-"), UInt8(ascii: ":"))
        guard let year = number(4), skip(dash), let month = number(2), skip(dash), let day = number(2),
            skip(UInt8(ascii: "T")) || skip(UInt8(ascii: "t")) || skip(UInt8(ascii: " ")),
            let hour = number(2), skip(colon), let minute = number(2)
        else { return nil }
        var second = 0
        var nanosecond: Int32 = 0
        if skip(colon) {
            guard let seconds = number(2) else { return nil }
            second = seconds
            if skip(UInt8(ascii: ".")) || skip(UInt8(ascii: ",")) {
                var unit: Int32 = 100_000_000
                let start = at
                while let digit = number(1) {
                    nanosecond += Int32(digit) * unit
                    unit /= 10
                }
                guard at > start else { return nil }
            }
        }
        guard
            let local = CivilDate.time(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second, nanosecond: nanosecond)
        else { return nil }
        var zone = Zone.utc
        var offset = 0
        if at == text.count {
            zone = .missing
        } else if !skip(UInt8(ascii: "Z")), !skip(UInt8(ascii: "z")) {
            zone = .offset
            let isWest = text[at] == dash
            guard isWest || text[at] == UInt8(ascii: "+") else { return nil }
            at += 1
            guard let hours = number(2) else { return nil }
            let isColon = skip(colon)
            let minutes = number(2)
            guard minutes != nil || !isColon, hours <= 14, minutes ?? 0 < 60 else { return nil }
            offset = (hours * 60 + (minutes ?? 0)) * (isWest ? -60 : 60)
        }
        guard at == text.count else { return nil }
        let time = local.nanoseconds.subtractingSaturated(Int64(offset) * 1_000_000_000)
        return (WallTime(nanoseconds: time), zone)
    }
}
