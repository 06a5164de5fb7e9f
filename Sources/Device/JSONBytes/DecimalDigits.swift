// SPDX-License-Identifier: Apache-2.0

/// Numbers as decimal digits: the one place where they are made.
package enum DecimalDigits {
    /// As many as a UInt64 has, and some zeros in front.
    private static let most = 32

    /// Appends a whole number.
    ///
    /// - Parameter minimum: At least so many digits, up to 32, with zeros in front.
    package static func append(_ value: UInt64, minimum: Int = 1, to bytes: inout [UInt8]) {
        let minimum = min(minimum, most)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: most) { digits in
            var place = most
            var rest = value
            while rest > 0 || most - place < minimum {
                place -= 1
                digits[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[place...]))
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
        let billionths = (magnitude * 1e9).rounded()
        // Sensors and files have few digits. Where nine decimals are the value, no other form of so few digits is: both are
        // whole numbers below 2^53 and the quotient is rounded correctly, as one who reads them rounds.
        guard magnitude < nineDecimalsLimit, billionths / 1e9 == magnitude,
            magnitude >= leastWithoutExponent || magnitude == 0
        else {
            var text = value.description
            return text.withUTF8 { bytes.append(contentsOf: $0) }
        }
        if value.sign == .minus { bytes.append(UInt8(ascii: "-")) }
        let whole: UInt64
        var fraction: UInt64
        (whole, fraction) = UInt64(billionths).quotientAndRemainder(dividingBy: 1_000_000_000)
        append(whole, to: &bytes)
        bytes.append(UInt8(ascii: "."))
        var decimals = 9
        while decimals > 1, case let (less, digit) = fraction.quotientAndRemainder(dividingBy: 10), digit == 0 {
            fraction = less
            decimals -= 1
        }
        append(fraction, minimum: decimals, to: &bytes)
    }
}
