// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Parses times and dates in the formats that tables use.
enum TableTime {
    /// Parses a time in ISO 8601 or a variant, such as `2024/01/01 10:08:00 UTC`, or `10:08:00:250` with milliseconds.
    static func parse(_ text: String) -> (time: WallTime, zone: CivilTime.Zone)? {
        if let found = zoned(text) { return found }
        var words = text.split(separator: " ").map(String.init)
        guard let last = words.last else { return nil }
        // A space may separate the time zone from the time.
        if last == "UTC" || last == "GMT" { words[words.count - 1] = "Z" }
        var plain =
            words.count > 2
            ? words.dropLast().joined(separator: " ") + (words.last ?? "") : words.joined(separator: " ")
        if words.count == 2, words[1] == "Z" { plain = words[0] + "Z" }
        var bytes = [UInt8](plain.utf8)
        guard bytes.count >= 16 else { return nil }
        for index in [4, 7] where bytes[index] == UInt8(ascii: "/") || bytes[index] == UInt8(ascii: ".") {
            bytes[index] = UInt8(ascii: "-")
        }
        if bytes.count > 19, bytes[19] == UInt8(ascii: ":") { bytes[19] = UInt8(ascii: ".") }
        return zoned(String(decoding: bytes, as: UTF8.self))
    }

    /// Parses a time of day, such as `10:08:00.25`, `100800.25` or `10:08 PM`. Returns nanoseconds since midnight.
    static func timeOfDay(_ text: String) -> Int64? {
        var digits = text.uppercased().replacing(" ", with: "")
        var shift = 0
        for (ending, hours) in [("Z", 0), ("UTC", 0), ("AM", 0), ("PM", 12)] where digits.hasSuffix(ending) {
            digits.removeLast(ending.count)
            shift = hours
            if ending == "AM" || ending == "PM" {
                guard let hour = Int(digits.prefix { $0.isNumber }.prefix(2)), (1...12).contains(hour) else {
                    return nil
                }
                if hour == 12 { shift -= 12 }
            }
            break
        }
        if !digits.contains(":"), digits.prefix(while: { $0 != "." }).count == 6 {
            digits.insert(":", at: digits.index(digits.startIndex, offsetBy: 4))
            digits.insert(":", at: digits.index(digits.startIndex, offsetBy: 2))
        } else if digits.prefix(while: { $0 != ":" }).count == 1 {
            digits = "0" + digits
        }
        guard let (time, zone) = parse("1970-01-01T\(digits)"), zone == .missing else { return nil }
        return time.nanoseconds + Int64(shift) * 3_600_000_000_000
    }

    /// Parses a date and returns the start of that day in nanoseconds since 1970. `order` is `ymd`, `dmy` or `mdy`. The
    /// parts may be separated by any characters except digits, or written without separators, as in `20240131` or
    /// `310124`.
    static func midnight(_ text: String, order: String) -> Int64? {
        var parts = text.split { !$0.isASCII || !$0.isNumber }.map(String.init)
        if parts.count == 1, let digits = parts.first, digits.count == 8 || digits.count == 6 {
            let widths = order == "ymd" ? [digits.count - 4, 2, 2] : [2, 2, digits.count - 4]
            var rest = digits[...]
            parts = widths.map { width in
                defer { rest = rest.dropFirst(width) }
                return String(rest.prefix(width))
            }
        }
        guard parts.count == 3, parts.allSatisfy({ $0.utf8.count <= 4 }) else { return nil }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == 3 else { return nil }
        let (year, month, day) =
            switch order {
            case "dmy": (numbers[2], numbers[1], numbers[0])
            case "mdy": (numbers[2], numbers[0], numbers[1])
            default: (numbers[0], numbers[1], numbers[2])
            }
        let full = year < 80 ? 2000 + year : year < 100 ? 1900 + year : year
        return CivilDate.time(year: full, month: month, day: day)?.nanoseconds
    }

    private static func zoned(_ text: String) -> (time: WallTime, zone: CivilTime.Zone)? {
        var text = text
        return text.withUTF8 { CivilTime.parseZoned(UnsafeRawBufferPointer($0)) }
    }
}
