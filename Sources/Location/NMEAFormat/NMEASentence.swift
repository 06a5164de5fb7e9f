// SPDX-License-Identifier: Apache-2.0

/// A sentence in a line, split into its talker, kind and fields. Valid only as long as the line's bytes are.
struct NMEASentence {
    private let bytes: UnsafeRawBufferPointer
    /// The start offset of each field. The last element is the offset at which another field would start.
    private var starts: [Int] = []
    let talker: (UInt8, UInt8)
    /// The three letters of the sentence kind, packed into an integer by ``NMEASentence/kind(_:)``.
    let kind: UInt32

    /// Parses the bytes between the dollar sign and the checksum. Returns nil if there is no talker or no kind.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 5, bytes.count == 5 || bytes[5] == UInt8(ascii: ",") else { return nil }
        self.bytes = bytes
        talker = (bytes[0], bytes[1])
        kind = UInt32(bytes[2]) << 16 | UInt32(bytes[3]) << 8 | UInt32(bytes[4])
        starts.reserveCapacity(24)
        for at in 5..<bytes.count where bytes[at] == UInt8(ascii: ",") { starts.append(at &+ 1) }
        starts.append(bytes.count &+ 1)
    }

    var kindName: String { String(decoding: bytes[2..<5], as: UTF8.self) }
    var text: String { "$" + String(decoding: bytes, as: UTF8.self) }

    func copy() -> [UInt8] { [UInt8](bytes) }

    var count: Int { starts.count &- 1 }

    /// Returns a field without leading and trailing spaces. The first field after the sentence kind has the index 0.
    /// Fields beyond the end are empty.
    subscript(index: Int) -> NMEAField {
        guard index >= 0, index < count else { return NMEAField(bytes: UnsafeRawBufferPointer(start: nil, count: 0)) }
        var start = starts[index]
        var end = starts[index &+ 1] &- 1
        while start < end, bytes[start] == UInt8(ascii: " ") { start &+= 1 }
        while end > start, bytes[end &- 1] == UInt8(ascii: " ") { end &-= 1 }
        return NMEAField(bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
    }

    static func kind(_ name: StaticString) -> UInt32 {
        name.withUTF8Buffer { $0.prefix(3).reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// Parses an `hhmmss` field, with or without a fraction, as nanoseconds since midnight.
    func timeOfDay(_ index: Int) -> Int64? {
        let field = self[index].bytes
        guard field.count >= 6, let hour = Self.twoDigits(field, 0), hour < 24, let minute = Self.twoDigits(field, 2),
            minute < 60,
            let second = Self.twoDigits(field, 4), second <= 60
        else { return nil }
        var nanoseconds: Int64 = 0
        if field.count > 6 {
            guard field[6] == UInt8(ascii: ".") else { return nil }
            var unit: Int64 = 100_000_000
            for byte in field[7...] {
                let digit = byte &- UInt8(ascii: "0")
                guard digit <= 9 else { return nil }
                nanoseconds += Int64(digit) * unit
                unit /= 10
            }
        }
        return Int64(hour * 3600 + minute * 60 + second) * 1_000_000_000 + nanoseconds
    }

    /// Parses a `ddmmyy` field. The years 80 to 99 stand for 1980 to 1999, because GPS time begins in 1980.
    func shortDate(_ index: Int) -> (year: Int, month: Int, day: Int)? {
        let field = self[index].bytes
        guard field.count == 6, let day = Self.twoDigits(field, 0), let month = Self.twoDigits(field, 2),
            let year = Self.twoDigits(field, 4)
        else { return nil }
        return (year < 80 ? 2000 + year : 1900 + year, month, day)
    }

    private static func twoDigits(_ field: UnsafeRawBufferPointer, _ at: Int) -> Int? {
        let tens = field[at] &- UInt8(ascii: "0")
        let ones = field[at &+ 1] &- UInt8(ascii: "0")
        return tens <= 9 && ones <= 9 ? Int(tens) &* 10 &+ Int(ones) : nil
    }

    /// Parses a position from four fields: latitude, N or S, longitude, E or W.
    func position(_ index: Int) -> NMEAPosition? {
        guard let latitude = coordinate(index, positive: UInt8(ascii: "N"), negative: UInt8(ascii: "S"), limit: 90),
            let longitude = coordinate(index &+ 2, positive: UInt8(ascii: "E"), negative: UInt8(ascii: "W"), limit: 180)
        else { return nil }
        return NMEAPosition(
            latitude: latitude.degrees, longitude: longitude.degrees,
            decimals: min(latitude.decimals, longitude.decimals))
    }

    private func coordinate(
        _ index: Int, positive: UInt8, negative: UInt8, limit: Double
    ) -> (degrees: Double, decimals: Int)? {
        let hemisphere = self[index &+ 1].firstLetter
        guard hemisphere == positive || hemisphere == negative else { return nil }
        let field = self[index].bytes
        var digits = ParsedDecimal()
        guard digits.read(field), !digits.isNegative else { return nil }
        var unit: UInt64 = 1
        for _ in 0..<digits.decimals { unit &*= 10 }
        // The last two digits before the decimal point are minutes. The preceding digits are degrees.
        let (whole, fraction) = digits.mantissa.quotientAndRemainder(dividingBy: unit)
        let (degrees, minutes) = whole.quotientAndRemainder(dividingBy: 100)
        guard minutes < 60, degrees <= 180 else { return nil }
        let value = (Double(degrees &* 60 &+ minutes) + Double(fraction) / ParsedDecimal.powers[digits.decimals]) / 60
        guard value <= limit else { return nil }
        return (hemisphere == negative ? -value : value, digits.decimals)
    }

    /// Parses an angle from two fields: a number, followed by E or W. Returns degrees east, or NaN if a field is
    /// invalid.
    func degreesEast(_ index: Int) -> Double {
        let degrees = self[index].nonnegativeNumber
        guard degrees <= 180 else { return .nan }
        return switch self[index &+ 1].firstLetter {
        case UInt8(ascii: "E"): degrees
        case UInt8(ascii: "W"): -degrees
        default: .nan
        }
    }
}

/// A position in degrees, and the number of decimal places in its minutes.
struct NMEAPosition {
    var latitude, longitude: Double
    var decimals: Int
}
