// SPDX-License-Identifier: Apache-2.0

/// The format of a sample in a buffer, which the kernel writes as `[be|le]:[s|u]bits/storagebits[Xrepeat]>>shift`. A
/// value is loaded in the given byte order, shifted right by `shift`, truncated to `bits` and sign-extended.
package struct IIODataFormat: Sendable, Hashable {
    package var isBigEndian: Bool
    package var isSigned: Bool
    /// The number of significant bits, from 1 to `storageBits`.
    package var bits: Int
    /// The number of bits that a value occupies in the buffer: 8, 16, 32 or 64.
    package var storageBits: Int
    /// The right shift in bits, from 0 to `storageBits - bits`.
    package var shift: Int
    /// The number of values in the element, from 1 to 256.
    package var count: Int

    /// Returns nil if a parameter is out of range.
    package init?(
        isBigEndian: Bool = false, isSigned: Bool = true, bits: Int, storageBits: Int, shift: Int = 0, count: Int = 1
    ) {
        guard [8, 16, 32, 64].contains(storageBits), bits >= 1, shift >= 0, bits <= storageBits - shift,
            (1...256).contains(count)
        else { return nil }
        self.isBigEndian = isBigEndian
        self.isSigned = isSigned
        self.bits = bits
        self.storageBits = storageBits
        self.shift = shift
        self.count = count
    }

    /// The size of an element with all of its values, in bytes.
    package var byteCount: Int { storageBits / 8 * count }
}

// MARK: Text

extension IIODataFormat {
    /// Parses a format, for example `be:s12/16>>4` or `le:s32/32X4>>0`. Returns nil if the text is invalid. `>>shift`
    /// is optional. libiio writes the sign in upper case if all storage bits are used.
    package init?(_ text: String) {
        guard text.utf8.count <= 64 else { return nil }
        var rest = IIONumber.trimmed(text).utf8[...]
        func consume(_ bytes: String) -> Bool {
            guard let first = rest.first, bytes.utf8.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        func number() -> Int? {
            let digits = rest.prefix(while: IIONumber.isDigit)
            // All valid numbers have at most three digits.
            guard (1...3).contains(digits.count) else { return nil }
            rest = rest.dropFirst(digits.count)
            return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        let isBigEndian = consume("b")
        guard isBigEndian || consume("l"), consume("e"), consume(":") else { return nil }
        let isSigned = consume("sS")
        guard isSigned || consume("uU"), let bits = number(), consume("/"), let storageBits = number() else {
            return nil
        }
        guard let count = consume("X") ? number() : 1 else { return nil }
        let hasShift = consume(">")
        guard !hasShift || consume(">"), let shift = hasShift ? number() : 0, rest.isEmpty else { return nil }
        self.init(
            isBigEndian: isBigEndian, isSigned: isSigned, bits: bits, storageBits: storageBits, shift: shift,
            count: count)
    }

    /// The format as written by the kernel, for example "be:s12/16>>4".
    package var text: String { text(sign: isSigned ? "s" : "u") }
    /// The format as written by libiio, with an upper-case sign if all storage bits are used.
    package var libiioText: String { bits == storageBits ? text(sign: isSigned ? "S" : "U") : text }

    private func text(sign: String) -> String {
        let times = count > 1 ? "X\(count)" : ""
        return "\(isBigEndian ? "be" : "le"):\(sign)\(bits)/\(storageBits)\(times)>>\(shift)"
    }
}

// MARK: Raw numbers

extension IIODataFormat {
    package var range: ClosedRange<Double> {
        func power(_ exponent: Int) -> Double { Double(sign: .plus, exponent: exponent, significand: 1) }
        return isSigned ? -power(bits - 1)...(power(bits - 1) - 1) : 0...(power(bits) - 1)
    }

    /// Extracts the raw number from its storage, which must be in the processor's byte order. The left shift moves the
    /// sign bit to the top bit. The right shift moves the least significant bit to bit 0.
    @inline(__always)
    func raw<Stored: FixedWidthInteger>(of stored: Stored) -> Stored {
        // The subtractions cannot overflow. Without overflow checks, the compiler moves them out of the caller's loop.
        let right = storageBits &- bits
        return (stored &<< Stored(truncatingIfNeeded: right &- shift)) &>> Stored(truncatingIfNeeded: right)
    }

    /// Returns the bits of the raw number nearest to a value, clamped to the format's range but not yet shifted to
    /// their position in the buffer. Returns 0 for NaN.
    func raw(nearest value: Double) -> UInt64 {
        guard !value.isNaN else { return 0 }
        let rounded = value.rounded()
        if isSigned {
            // 2^63 is the smallest double greater than `Int64.max`.
            if rounded >= 0x1p63 { return clamped(.max) }
            return clamped(rounded <= -0x1p63 ? .min : Int64(rounded))
        }
        if rounded <= 0 { return 0 }
        return rounded >= 0x1p64 ? mask : min(UInt64(rounded), mask)
    }

    /// Returns the bits of a raw number, clamped to the format's range but not yet shifted to their position in the
    /// buffer.
    func clamped(_ raw: Int64) -> UInt64 {
        guard isSigned else { return raw < 0 ? 0 : min(UInt64(raw), mask) }
        let maximum = Int64(bitPattern: mask >> 1)
        return UInt64(bitPattern: max(-maximum - 1, min(raw, maximum))) & mask
    }

    private var mask: UInt64 { bits >= 64 ? .max : (1 << UInt64(bits)) - 1 }
}
