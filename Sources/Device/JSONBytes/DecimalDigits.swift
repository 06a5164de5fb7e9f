// SPDX-License-Identifier: Apache-2.0

package enum DecimalDigits {
    /// The size of the temporary buffer, in bytes. It has room for the 20 digits of `UInt64.max` and for leading zeros.
    private static let maximumDigits = 32

    /// - Parameter minimum: The minimum number of digits, at most 32. Shorter numbers are padded with leading zeros.
    package static func append(_ value: UInt64, minimum: Int = 1, to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: maximumDigits) { text in
            var index = maximumDigits
            write(value, minimum: min(minimum, maximumDigits), to: text, before: &index)
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[index...]))
        }
    }

    /// Writes the digits so that the last one is just before `index`, and moves `index` to the first digit. The buffer
    /// must have enough room for the digits.
    @inline(__always) private static func write(
        _ value: UInt64, minimum: Int, to text: UnsafeMutableBufferPointer<UInt8>, before index: inout Int
    ) {
        var rest = value
        let last = index - minimum
        while rest > 0 || index > last {
            index -= 1
            text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// Below this magnitude, two different numbers with nine decimals never round to the same `Double`, because
    /// adjacent `Double` values are less than 1e-9 apart up to 2^22.
    private static let nineDecimalsLimit = 4e6
    /// The smallest magnitude that is written without an exponent.
    private static let minimumWithoutExponent = 1e-4

    /// Appends a finite number in the shortest form that parses back to the same value: `0.1`, `1e+16`, `5e-324`.
    package static func append(shortest value: Double, to bytes: inout [UInt8]) {
        let magnitude = value.magnitude
        // Rounds by converting to an integer, which is faster than `rounded()`. The comparison below detects a wrong
        // result.
        let billionths = magnitude < nineDecimalsLimit ? Double(UInt64(magnitude * 1e9 + 0.5)) : .infinity
        // Fast path for values with up to nine decimals, which are typical of sensors. The operands of the division
        // below are integers smaller than 2^53, so the quotient is rounded correctly. This quotient is the value that a
        // parser returns for the nine decimals. If it equals the magnitude, the decimals are correct, because no other
        // number with up to nine decimals parses to this value.
        guard magnitude < nineDecimalsLimit, billionths / 1e9 == magnitude,
            magnitude >= minimumWithoutExponent || magnitude == 0
        else {
            var sink = ASCIISink(bytes: bytes)
            bytes = []  // The sink is then the only owner, so appending does not copy the array.
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
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: maximumDigits) { text in
            var index = maximumDigits
            write(fraction, minimum: decimals, to: text, before: &index)
            index -= 1
            text[index] = UInt8(ascii: ".")
            write(whole, minimum: 1, to: text, before: &index)
            if value.sign == .minus {
                index -= 1
                text[index] = UInt8(ascii: "-")
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[index...]))
        }
    }
}

/// An output stream that appends to a byte array. Formatting through an intermediate `String` takes about 1.7 times as
/// long.
private struct ASCIISink: TextOutputStream {
    var bytes: [UInt8]

    mutating func write(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// The standard library's numeric types call this method if it is implemented. Otherwise, they call `write(_:)`.
    mutating func _writeASCII(_ text: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: text) }
}
