// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// Builds a sentence field by field: `$GPGGA,…*hh`.
struct NMEASentenceBuilder {
    private(set) var bytes: [UInt8] = []

    init(_ talker: String, _ formatter: StaticString) {
        bytes.reserveCapacity(96)
        bytes.append(UInt8(ascii: "$"))
        bytes.append(contentsOf: talker.utf8)
        formatter.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func appendEmpty(_ count: Int = 1) { for _ in 0..<count { bytes.append(UInt8(ascii: ",")) } }

    /// Appends a text field. The text must not contain field or sentence delimiters.
    mutating func appendText(_ text: StaticString) {
        appendEmpty()
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func appendCharacter(_ letter: UInt8) {
        appendEmpty()
        bytes.append(letter)
    }

    /// Appends a number, or an empty field if the number is unknown or its magnitude is at least 1e9. The unit, if any,
    /// follows in a separate field.
    mutating func appendNumber(_ value: Double, decimals: Int, width: Int = 1, unit: StaticString? = nil) {
        appendEmpty()
        defer { if let unit { appendText(unit) } }
        guard value.magnitude < 1e9 else { return }
        let start = bytes.count
        FixedDecimal.append(value, decimals: decimals, width: width, to: &bytes)
        // Removes the sign from a negative number that was rounded to 0.
        if bytes[start] == UInt8(ascii: "-"),
            bytes[(start + 1)...].allSatisfy({ $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") })
        {
            bytes.remove(at: start)
        }
    }

    /// Appends a direction in degrees, normalized to 0..<360 after rounding, or an empty field if it is unknown.
    mutating func appendDirection(_ value: Double, decimals: Int, width: Int = 1, unit: StaticString? = nil) {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let remainder = value.truncatingRemainder(dividingBy: 360)
        let positive = remainder < 0 ? remainder + 360 : remainder
        let isFullTurn = (positive * scale).rounded() >= 360 * scale
        appendNumber(isFullTurn ? 0 : positive, decimals: decimals, width: width, unit: unit)
    }

    /// Appends an integer with leading zeros, or an empty field if the integer is negative.
    mutating func appendInteger(_ value: Int, digits: Int = 1) {
        appendEmpty()
        guard value >= 0 else { return }
        CivilDate.append(value, digits: max(digits, String(value).utf8.count), to: &bytes)
    }

    /// Appends a time of day with hundredths of a second, or with milliseconds if necessary.
    mutating func appendTimeOfDay(_ date: CivilDate?) {
        appendEmpty()
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

    mutating func appendDate(_ date: CivilDate?) {
        appendEmpty()
        guard let date else { return }
        for part in [date.day, date.month, date.year] { CivilDate.append(part, digits: 2, to: &bytes) }
    }

    /// Appends degrees and minutes, followed by the hemisphere, or two empty fields if the angle is unknown.
    mutating func appendCoordinate(_ value: Double, isLatitude: Bool, decimals: Int) {
        guard value.magnitude <= 180 else { return appendEmpty(2) }
        var unit: Int64 = 1
        for _ in 0..<decimals { unit *= 10 }
        // The angle is rounded before it is split, so the minutes are always less than 60.
        let total = Int64((value.magnitude * 60 * Double(unit)).rounded())
        let (degrees, rest) = total.quotientAndRemainder(dividingBy: 60 * unit)
        let (minutes, fraction) = rest.quotientAndRemainder(dividingBy: unit)
        appendEmpty()
        CivilDate.append(Int(degrees), digits: isLatitude ? 2 : 3, to: &bytes)
        CivilDate.append(Int(minutes), digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "."))
        CivilDate.append(Int(truncatingIfNeeded: fraction), digits: decimals, to: &bytes)
        let (positive, negative): (StaticString, StaticString) = isLatitude ? ("N", "S") : ("E", "W")
        appendText(value < 0 ? negative : positive)
    }

    /// Returns the sentence with its checksum but without a line terminator.
    consuming func finish() -> [UInt8] {
        bytes.append(contentsOf: Self.checksum(bytes.dropFirst()))
        return bytes
    }

    /// Returns the checksum of the bytes as an asterisk followed by two hexadecimal digits.
    static func checksum(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let sum = bytes.reduce(0, ^)
        return [UInt8(ascii: "*"), hexadecimalDigit(sum >> 4), hexadecimalDigit(sum)]
    }

    /// Returns the low four bits as an upper-case hexadecimal digit.
    static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        let digit = HexDigit.digit(value)
        return digit < UInt8(ascii: "a") ? digit : digit & 0xdf
    }
}
