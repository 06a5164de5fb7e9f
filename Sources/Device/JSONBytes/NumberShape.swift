// SPDX-License-Identifier: Apache-2.0

/// The shape of a number: its sign, and how many digits it has before and after the decimal point. The shape is empty
/// if the number has too many digits, no decimal point, or an exponent.
struct NumberShape: Sendable, Equatable {
    /// The maximum total number of digits before and after the point. Double represents integers with this many digits
    /// exactly.
    private static let maximumDigits = 15

    var isNegative = false
    /// The number of digits before the point, 1 to 7.
    var integerDigits = 0
    /// The number of digits after the point, 1 to 14, or 0 if the shape is empty.
    var fractionDigits = 0

    init() {}

    init(_ text: UnsafeRawBufferPointer) {
        var isNegative = false
        var point: Int?
        for (index, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: "-") where index == 0: isNegative = true
            case UInt8(ascii: "."): point = index
            case UInt8(ascii: "0")...UInt8(ascii: "9"): break
            default: return
            }
        }
        guard let point else { return }
        let whole = point - (isNegative ? 1 : 0)
        let fraction = text.count - point - 1
        guard (1...7).contains(whole), fraction >= 1, whole + fraction <= Self.maximumDigits else { return }
        (self.isNegative, self.integerDigits, self.fractionDigits) = (isNegative, whole, fraction)
    }
}

extension JSONReader {
    /// Reads a number of exactly this shape, followed by a comma or a closing brace. Otherwise, reads nothing and
    /// returns nil. The shape alone determines where the number ends, so the processor can continue with the following
    /// text before it has converted the digits.
    @inline(__always) mutating func number(_ shape: NumberShape) -> Double? {
        // 26 bytes cover everything that is read: the sign, the digits before the point, the point, and 16 bytes after
        // the point.
        guard shape.fractionDigits > 0, offset &+ 26 <= limit else { return nil }
        guard (bytes[offset] == UInt8(ascii: "-")) == shape.isNegative else { return nil }
        let start = offset &+ (shape.isNegative ? 1 : 0)
        let point = start &+ shape.integerDigits
        guard let whole = digits(at: start, count: shape.integerDigits), bytes[point] == UInt8(ascii: "."),
            shape.integerDigits == 1 || bytes[start] != UInt8(ascii: "0")
        else { return nil }
        let end = point &+ 1 &+ shape.fractionDigits
        let next = bytes[end]
        guard next == UInt8(ascii: ",") || next == UInt8(ascii: "}") else { return nil }
        var mantissa = whole
        if shape.fractionDigits <= 8 {
            guard let fraction = digits(at: point &+ 1, count: shape.fractionDigits) else { return nil }
            mantissa = mantissa &* JSONNumber.wholePowers[shape.fractionDigits] &+ fraction
        } else {
            guard let first = digits(at: point &+ 1, count: 8),
                let rest = digits(at: point &+ 9, count: shape.fractionDigits &- 8)
            else { return nil }
            mantissa = (mantissa &* 100_000_000 &+ first) &* JSONNumber.wholePowers[shape.fractionDigits &- 8] &+ rest
        }
        advance(to: end)
        // Both operands are exact, so the quotient is rounded correctly.
        let value = Double(Int64(truncatingIfNeeded: mantissa)) / JSONNumber.powers[shape.fractionDigits]
        return shape.isNegative ? -value : value
    }

    /// Returns the value of 1 to 8 digits, or nil if a byte is not a digit. Eight bytes must be readable at `start`.
    @inline(__always) private func digits(at start: Int, count: Int) -> UInt64? {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        let values = (word ^ 0x3030_3030_3030_3030) &<< UInt64(truncatingIfNeeded: 64 &- 8 &* count)
        // The shift discards the bytes after the digits and pads with zeros.
        guard (values &+ 0x7676_7676_7676_7676 | values) & 0x8080_8080_8080_8080 == 0 else { return nil }
        return Self.value(ofDigits: values)
    }

    /// Like `doubleIfPresent()`, but also stores the number's shape.
    @inline(never) mutating func doubleIfPresent(updating shape: inout NumberShape) throws(JSONError) -> Double {
        _ = try nextByte(&offset)
        let start = offset
        let value = try doubleIfPresent()
        shape = NumberShape(slice(start, offset))
        return value
    }
}
