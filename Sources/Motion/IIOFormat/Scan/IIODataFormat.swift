// This source file is part of the swift-device-services project.
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
