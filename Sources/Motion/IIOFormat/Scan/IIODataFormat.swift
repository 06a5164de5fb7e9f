// SPDX-License-Identifier: Apache-2.0

/// The format of a sample in a buffer: the kernel's `[be|le]:[s|u]bits/storagebits[Xrepeat]>>shift`.
///
/// A value is loaded in its byte order, shifted right by `shift`, truncated to `bits` and sign-extended.
public struct IIODataFormat: Sendable, Hashable {
    /// True if the byte order is big endian.
    public var isBigEndian: Bool
    /// True if the value is signed.
    public var isSigned: Bool
    /// The number of significant bits, 1 to `storageBits`.
    public var bits: Int
    /// The number of bits in the buffer: 8, 16, 32 or 64.
    public var storageBits: Int
    /// The right shift, in bits; 0 to `storageBits - bits`.
    public var shift: Int
    /// The number of values in the element, 1 to 256. It is greater than 1 for quaternions, for example.
    public var count: Int

    /// Creates a format; nil if a parameter is out of range.
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

    /// The size of an element with all its values, in bytes.
    public var byteCount: Int { storageBits / 8 * count }
}

extension IIODataFormat {
    /// The range of raw numbers as doubles, exact up to 53 bits.
    public var range: ClosedRange<Double> {
        func power(_ exponent: Int) -> Double { Double(sign: .plus, exponent: exponent, significand: 1) }
        return isSigned ? -power(bits - 1)...(power(bits - 1) - 1) : 0...(power(bits) - 1)
    }

    /// Returns the raw number nearest to a value, clamped to the range, as unshifted bits; 0 for NaN.
    func raw(nearest value: Double) -> UInt64 {
        guard !value.isNaN else { return 0 }
        let rounded = value.rounded()
        if isSigned {
            // 2^63 is the smallest double greater than `Int64.max`.
            if rounded >= 9_223_372_036_854_775_808 { return clamped(.max) }
            if rounded <= -9_223_372_036_854_775_808 { return clamped(.min) }
            return clamped(Int64(rounded))
        }
        if rounded <= 0 { return 0 }
        if rounded >= 18_446_744_073_709_551_616 { return mask }
        return min(UInt64(rounded), mask)
    }

    /// Returns a raw number, clamped to the range, as unshifted bits.
    func clamped(_ raw: Int64) -> UInt64 {
        guard isSigned else { return raw < 0 ? 0 : min(UInt64(raw), mask) }
        let maximum = Int64(bitPattern: mask >> 1)
        return UInt64(bitPattern: max(-maximum - 1, min(raw, maximum))) & mask
    }

    /// A mask of the significant bits before the shift.
    private var mask: UInt64 { bits >= 64 ? .max : (1 << UInt64(bits)) - 1 }
}
