// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension IIODataFormat {
    /// The least and the greatest raw number, as doubles; exact up to 53 bits.
    public var range: ClosedRange<Double> {
        func power(_ exponent: Int) -> Double { Double(sign: .plus, exponent: exponent, significand: 1) }
        return isSigned ? -power(bits - 1)...(power(bits - 1) - 1) : 0...(power(bits) - 1)
    }

    /// The bits that count of the raw number nearest to a value, held at the ends of the range; 0 for not a number.
    func raw(nearest value: Double) -> UInt64 {
        guard !value.isNaN else { return 0 }
        let rounded = value.rounded()
        if isSigned {
            // 2^63 is the first double beyond Int64.
            if rounded >= 9_223_372_036_854_775_808 { return clamped(.max) }
            if rounded <= -9_223_372_036_854_775_808 { return clamped(.min) }
            return clamped(Int64(rounded))
        }
        if rounded <= 0 { return 0 }
        if rounded >= 18_446_744_073_709_551_616 { return mask }
        return min(UInt64(rounded), mask)
    }

    /// The bits that count of a raw number, held at the ends of the range.
    func clamped(_ raw: Int64) -> UInt64 {
        guard isSigned else { return raw < 0 ? 0 : min(UInt64(raw), mask) }
        let greatest = Int64(bitPattern: mask >> 1)
        return UInt64(bitPattern: max(-greatest - 1, min(raw, greatest))) & mask
    }

    /// Ones where bits count, before the shift.
    private var mask: UInt64 { bits >= 64 ? .max : (1 << UInt64(bits)) - 1 }
}
