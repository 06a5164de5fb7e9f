// SPDX-License-Identifier: Apache-2.0

/// Numbers as decimal digits: the one place where they are made.
package enum DecimalDigits {
    /// As many as a UInt64 has, and some zeros in front.
    private static let most = 32

    /// Appends a whole number.
    ///
    /// - Parameter minimum: At least so many digits, up to 32, with zeros in front.
    package static func append(_ value: UInt64, minimum: Int = 1, to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: most) { text in
            var place = most
            write(value, minimum: min(minimum, most), to: text, before: &place)
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[place...]))
        }
    }

    /// Writes digits from the right to the left; there must be room for them.
    @inline(__always)
    private static func write(
        _ value: UInt64, minimum: Int, to text: UnsafeMutableBufferPointer<UInt8>, before place: inout Int
    ) {
        var rest = value
        let last = place - minimum
        while rest > 0 || place > last {
            place -= 1
            text[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// Below this magnitude at most one number of nine decimals lies between two neighbours of a Double: at 2^22 they are
    /// 2^-30 apart, which is less than 1e-9.
    private static let nineDecimalsLimit = 4e6
    /// Smaller ones are written with an exponent.
    private static let leastWithoutExponent = 1e-4

    /// Appends a finite number in the shortest form that reads back as the same value: `0.1`, `-0.0`, `1e+16`, `5e-324`.
    package static func append(shortest value: Double, to bytes: inout [UInt8]) {
        let magnitude = value.magnitude
        // Rounded by the conversion to a whole number, which is quicker; the comparison below decides.
        let billionths = magnitude < nineDecimalsLimit ? Double(UInt64(magnitude * 1e9 + 0.5)) : .infinity
        // Sensors and files have few digits. Where nine decimals are the value, no other form of so few digits is: both are
        // whole numbers below 2^53 and the quotient is rounded correctly, as one who reads them rounds.
        guard magnitude < nineDecimalsLimit, billionths / 1e9 == magnitude,
            magnitude >= leastWithoutExponent || magnitude == 0
        else {
            var sink = ASCIISink(bytes: bytes)
            bytes = []
            value.write(to: &sink)
            bytes = sink.bytes
            return
        }
        let whole = UInt64(billionths) / 1_000_000_000
        var fraction = UInt64(billionths) % 1_000_000_000
        var decimals = 9
        while decimals > 1, case let (less, digit) = fraction.quotientAndRemainder(dividingBy: 10), digit == 0 {
            fraction = less
            decimals -= 1
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: most) { text in
            var place = most
            write(fraction, minimum: decimals, to: text, before: &place)
            place -= 1
            text[place] = UInt8(ascii: ".")
            write(whole, minimum: 1, to: text, before: &place)
            if value.sign == .minus {
                place -= 1
                text[place] = UInt8(ascii: "-")
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[place...]))
        }
    }
}

/// Takes text without a string in between: one for each number costs two thirds more.
private struct ASCIISink: TextOutputStream {
    var bytes: [UInt8]

    mutating func write(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// What numbers of the standard library call; they call the other one where they do not know this.
    mutating func _writeASCII(_ text: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: text) }
}
