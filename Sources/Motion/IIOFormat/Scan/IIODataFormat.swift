// SPDX-License-Identifier: Apache-2.0

/// The format of a sample in a buffer: the kernel's `[be|le]:[s|u]bits/storagebits[Xrepeat]>>shift`.
///
/// The value is loaded with its byte order, shifted right by `shift`, cut to `bits` and extended by its sign.
public struct IIODataFormat: Sendable, Hashable {
    /// True when the most significant byte comes first.
    public var isBigEndian: Bool
    /// True when the value has a sign.
    public var isSigned: Bool
    /// The bits that count, 1 to `storageBits`.
    public var bits: Int
    /// The bits that it takes in the buffer: 8, 16, 32 or 64.
    public var storageBits: Int
    /// The bits to shift right by, 0 to `storageBits - bits`.
    public var shift: Int
    /// The number of values in the element, 1 or more, as for quaternions.
    public var count: Int

    /// A format of those parts; nil when they do not fit together.
    public init?(
        isBigEndian: Bool = false, isSigned: Bool = true, bits: Int, storageBits: Int, shift: Int = 0, count: Int = 1
    ) {
        guard [8, 16, 32, 64].contains(storageBits), bits >= 1, shift >= 0, bits <= storageBits - shift,
            count >= 1, count <= 256
        else { return nil }
        self.isBigEndian = isBigEndian
        self.isSigned = isSigned
        self.bits = bits
        self.storageBits = storageBits
        self.shift = shift
        self.count = count
    }

    /// The bytes of one element: all its values.
    public var byteCount: Int { storageBits / 8 * count }
}

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
