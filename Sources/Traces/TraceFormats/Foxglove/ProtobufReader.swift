// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Reads the fields of a message in the wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding).
///
/// It knows nothing of schemas: what a field's bits mean says who asks. Groups, which are no longer in use, end it as
/// anything does that cannot be a field.
struct ProtobufReader {
    /// A field's bits, by its wire type.
    enum Value {
        case varint(UInt64)
        /// A double, among others.
        case fixed64(UInt64)
        /// Text, a message in the message, or numbers one behind the other.
        case bytes(UnsafeRawBufferPointer)
        case fixed32(UInt32)
    }

    private var rest: UnsafeRawBufferPointer
    /// What came last can be no field; nothing is read after it.
    private(set) var isBroken = false

    /// - Parameter bytes: a message; they have to stay where they are as long as the reader and its values are used.
    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
    }

    /// The next field; nil at the end.
    mutating func next() -> (number: UInt64, value: Value)? {
        guard !rest.isEmpty, !isBroken else { return nil }
        guard let key = varint(), key >> 3 > 0, let value = value(key & 7) else {
            isBroken = true
            return nil
        }
        return (key >> 3, value)
    }

    private mutating func value(_ wireType: UInt64) -> Value? {
        switch wireType {
        case 0: return varint().map { .varint($0) }
        case 1: return fixed(UInt64.self).map { .fixed64($0) }
        case 2:
            guard let length = varint(), let count = Int(exactly: length), let bytes = take(count) else { return nil }
            return .bytes(bytes)
        case 5: return fixed(UInt32.self).map { .fixed32($0) }
        default: return nil
        }
    }

    /// Seven bits a byte, the lowest first; ten bytes at the most.
    private mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for (index, byte) in rest.prefix(10).enumerated() {
            // The tenth byte has room for one bit.
            guard index < 9 || byte <= 1 else { return nil }
            value |= UInt64(byte & 0x7f) << UInt64(7 * index)
            if byte < 0x80 {
                rest = UnsafeRawBufferPointer(rebasing: rest[(index + 1)...])
                return value
            }
        }
        return nil
    }

    private mutating func fixed<Bits: FixedWidthInteger>(_: Bits.Type) -> Bits? {
        take(Bits.bitWidth / 8).map { Bits(littleEndian: $0.loadUnaligned(as: Bits.self)) }
    }

    private mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }
}
