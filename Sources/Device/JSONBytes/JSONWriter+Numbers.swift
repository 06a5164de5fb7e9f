// SPDX-License-Identifier: Apache-2.0

extension JSONWriter {
    /// A whole number.
    public mutating func int(_ value: Int64) {
        separate()
        if value < 0 { append(UInt8(ascii: "-")) }
        digits(value.magnitude)
    }

    /// A whole number.
    public mutating func int(_ value: Int) { int(Int64(value)) }

    /// A whole number.
    public mutating func int(_ value: Int32) { int(Int64(value)) }

    /// A number in the shortest form that reads back as the same value; `null` when it is infinite or not a number.
    public mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        // The description is the shortest form, and for finite values it is JSON: "0.1", "-0.0", "1e+16", "5e-324".
        var text = value.description
        text.withUTF8 { append(contentsOf: $0) }
    }

    /// A number with a fixed count of decimals, as gpsd writes it; `null` when it is not finite or 1e15 and more.
    /// - Parameter decimals: 0 to 9.
    public mutating func fixed(_ value: Double, decimals: Int) {
        guard value.magnitude < FixedDecimal.limit else { return null() }
        separate()
        var bytes: [UInt8] = []
        FixedDecimal.append(value, decimals: decimals, to: &bytes)
        append(contentsOf: bytes)
    }

    private mutating func digits(_ value: UInt64) {
        var divisor: UInt64 = 1
        while value / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }
}
