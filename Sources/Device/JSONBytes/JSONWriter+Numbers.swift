// SPDX-License-Identifier: Apache-2.0

extension JSONWriter {
    /// Appends an integer.
    @usableFromInline
    package mutating func int(_ value: Int64) {
        separate()
        if value < 0 { append(UInt8(ascii: "-")) }
        DecimalDigits.append(value.magnitude, to: &bytes)
    }

    /// Appends an integer.
    package mutating func int(_ value: Int) { int(Int64(value)) }

    /// Appends an integer.
    package mutating func int(_ value: Int32) { int(Int64(value)) }

    /// Appends a number in the shortest form that reads back as the same value. Writes `null` for infinity and NaN.
    @usableFromInline
    package mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        DecimalDigits.append(shortest: value, to: &bytes)
    }

    /// Appends a number with a fixed number of decimals, the notation of gpsd. Writes `null` if the number is not
    /// finite or its magnitude is 1e15 or more.
    ///
    /// - Parameter decimals: The number of decimals, 0 to 9.
    package mutating func fixed(_ value: Double, decimals: Int) {
        guard value.magnitude < FixedDecimal.limit else { return null() }
        separate()
        FixedDecimal.append(value, decimals: decimals, to: &bytes)
    }
}
