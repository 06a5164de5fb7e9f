// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// Puts a sentence together, field by field: `$GPGGA,…*hh`.
struct NMEASentenceText {
    private(set) var bytes: [UInt8] = []

    /// Begins with the talker and the kind of sentence.
    init(_ talker: String, _ formatter: StaticString) {
        bytes.reserveCapacity(96)
        bytes.append(UInt8(ascii: "$"))
        bytes.append(contentsOf: talker.utf8)
        formatter.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// A field of which nothing is known.
    mutating func empty() { bytes.append(UInt8(ascii: ",")) }

    /// A field of text, without anything that would end a field or a sentence.
    mutating func text(_ text: StaticString) {
        empty()
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// A field of one character.
    mutating func letter(_ letter: UInt8) {
        empty()
        bytes.append(letter)
    }

    /// A number with a fixed count of decimals; empty when it is not known, or too large to mean anything.
    mutating func number(_ value: Double, decimals: Int, width: Int = 1) {
        empty()
        guard value.magnitude < 1e9 else { return }
        let start = bytes.count
        FixedDecimal.append(value, decimals: decimals, width: width, to: &bytes)
        // What rounds to nothing has no sign.
        if bytes[start] == UInt8(ascii: "-"),
            bytes[(start + 1)...].allSatisfy({ $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") })
        {
            bytes.remove(at: start)
        }
    }

    /// A direction, 0 up to but not including 360 degrees as written; empty when it is not known.
    mutating func degrees(_ value: Double, decimals: Int, width: Int = 1) {
        guard value.isFinite else { return empty() }
        var unit = 1.0
        for _ in 0..<decimals { unit *= 10 }
        let turned = value.truncatingRemainder(dividingBy: 360)
        let positive = turned < 0 ? turned + 360 : turned
        number((positive * unit).rounded() >= 360 * unit ? 0 : positive, decimals: decimals, width: width)
    }

    /// A whole number with zeros before it; empty for a number below zero.
    mutating func count(_ value: Int, digits: Int = 1) {
        empty()
        guard value >= 0 else { return }
        CivilDate.append(value, digits: max(digits, String(value).utf8.count), to: &bytes)
    }

    /// The time of day: hundredths of a second, thousandths where they say more. What is finer is cut off, as in gpsd's
    /// reports.
    mutating func timeOfDay(_ date: CivilDate?) {
        empty()
        guard let date else { return }
        for part in [date.hour, date.minute, date.second] { CivilDate.append(part, digits: 2, to: &bytes) }
        bytes.append(UInt8(ascii: "."))
        let milliseconds = Int(date.nanosecond / 1_000_000)
        if milliseconds % 10 == 0 {
            CivilDate.append(milliseconds / 10, digits: 2, to: &bytes)
        } else {
            CivilDate.append(milliseconds, digits: 3, to: &bytes)
        }
    }

    /// The date with two digits of the year.
    mutating func shortDate(_ date: CivilDate?) {
        empty()
        guard let date else { return }
        for part in [date.day, date.month, date.year] { CivilDate.append(part, digits: 2, to: &bytes) }
    }

    /// A latitude or longitude: two fields, degrees with minutes and the half of the globe.
    ///
    /// - Parameters:
    ///   - width: digits of the degrees.
    ///   - decimals: digits behind the point of the minutes.
    mutating func coordinate(
        _ value: Double, width: Int, decimals: Int, positive: StaticString, negative: StaticString
    ) {
        guard value.magnitude <= 180 else {
            empty()
            return empty()
        }
        var unit: Int64 = 1
        for _ in 0..<decimals { unit *= 10 }
        // Rounded as a whole, so that there never are sixty minutes.
        let total = Int64((value.magnitude * 60 * Double(unit)).rounded())
        let (degrees, rest) = total.quotientAndRemainder(dividingBy: 60 * unit)
        let (minutes, fraction) = rest.quotientAndRemainder(dividingBy: unit)
        empty()
        CivilDate.append(Int(degrees), digits: width, to: &bytes)
        CivilDate.append(Int(minutes), digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "."))
        CivilDate.append(Int(truncatingIfNeeded: fraction), digits: decimals, to: &bytes)
        text(value < 0 ? negative : positive)
    }

    /// The whole sentence with its checksum, without a line end.
    consuming func sentence() -> [UInt8] {
        bytes.append(contentsOf: Self.checksum(bytes.dropFirst()))
        return bytes
    }

    /// The asterisk and two digits behind bytes.
    static func checksum(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let sum = bytes.reduce(0, ^)
        return [UInt8(ascii: "*"), digit(sum >> 4), digit(sum)]
    }

    /// The hexadecimal digit of the low four bits. Receivers write capitals.
    static func digit(_ value: UInt8) -> UInt8 {
        let digit = HexDigit.digit(value)
        return digit < UInt8(ascii: "a") ? digit : digit & 0xdf
    }
}
