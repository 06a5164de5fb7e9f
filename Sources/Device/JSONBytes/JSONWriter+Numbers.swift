// SPDX-License-Identifier: Apache-2.0

extension JSONWriter {
    /// A whole number.
    public mutating func int(_ value: Int64) {
        separate()
        if value < 0 { append(UInt8(ascii: "-")) }
        DecimalDigits.append(value.magnitude, to: &bytes)
    }

    /// A whole number.
    public mutating func int(_ value: Int) { int(Int64(value)) }

    /// A whole number.
    public mutating func int(_ value: Int32) { int(Int64(value)) }

    /// A number in the shortest form that reads back as the same value; `null` when it is infinite or not a number.
    public mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        DecimalDigits.append(shortest: value, to: &bytes)
    }

    /// A number with a fixed count of decimals, as gpsd writes it; `null` when it is not finite or 1e15 and more.
    /// - Parameter decimals: 0 to 9.
    public mutating func fixed(_ value: Double, decimals: Int) {
        guard value.magnitude < FixedDecimal.limit else { return null() }
        separate()
        FixedDecimal.append(value, decimals: decimals, to: &bytes)
    }
}
