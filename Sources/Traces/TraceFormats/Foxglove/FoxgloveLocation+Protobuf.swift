// SPDX-License-Identifier: Apache-2.0

extension FoxgloveLocation {
    /// Decodes a Foxglove LocationFix message in Protocol Buffers format, with the field numbers of LocationFix.proto.
    /// Encoders omit fields whose value is 0, so a missing altitude is read as 0. A missing latitude or longitude is
    /// also read as 0, unless both are missing.
    init?(protobuf message: UnsafeRawBufferPointer) {
        altitude = 0
        var reader = ProtobufReader(message)
        while let (number, value) = reader.next() {
            switch (number, value) {
            case (1, .fixed64(let bits)): latitude = Double(bitPattern: bits)
            case (2, .fixed64(let bits)): longitude = Double(bitPattern: bits)
            case (3, .fixed64(let bits)): altitude = Double(bitPattern: bits)
            case (4, .fixed64(let bits)): addCovariance(Double(bitPattern: bits))
            case (4, .bytes(let numbers)): addCovariance(packed: numbers)
            case (5, .varint(let type)): isCovarianceKnown = type > 0
            case (6, .bytes(let stamp)): readTime(stamp)
            case (7, .bytes(let text)): frame = String(decoding: text, as: UTF8.self)
            case (10, .fixed64(let bits)): heading = Double(bitPattern: bits)
            case (11, .bytes(let vector)): readVelocity(vector)
            default: break
            }
        }
        guard !reader.isBroken else { return nil }
        if latitude.isNaN != longitude.isNaN {
            if latitude.isNaN { latitude = 0 } else { longitude = 0 }
        }
    }

    private mutating func addCovariance(packed numbers: UnsafeRawBufferPointer) {
        guard numbers.count.isMultiple(of: 8) else { return }
        for offset in stride(from: 0, to: min(numbers.count, 80), by: 8) {
            let bits = numbers.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            addCovariance(Double(bitPattern: UInt64(littleEndian: bits)))
        }
    }

    /// Decodes a `google.protobuf.Timestamp`.
    private mutating func readTime(_ stamp: UnsafeRawBufferPointer) {
        var reader = ProtobufReader(stamp)
        var (seconds, nanoseconds): (Int64, Int64) = (0, 0)
        while let (number, value) = reader.next() {
            switch (number, value) {
            case (1, .varint(let bits)): seconds = Int64(bitPattern: bits)
            case (2, .varint(let bits)): nanoseconds = Int64(bitPattern: bits)
            default: break
            }
        }
        if !reader.isBroken { time = Self.time(seconds: seconds, nanoseconds: nanoseconds) }
    }

    /// Decodes a `foxglove.Vector3`.
    private mutating func readVelocity(_ vector: UnsafeRawBufferPointer) {
        var reader = ProtobufReader(vector)
        var read = SIMD3<Double>.zero
        while let (number, value) = reader.next() {
            switch (number, value) {
            case (1, .fixed64(let bits)): read.x = Double(bitPattern: bits)
            case (2, .fixed64(let bits)): read.y = Double(bitPattern: bits)
            case (3, .fixed64(let bits)): read.z = Double(bitPattern: bits)
            default: break
            }
        }
        if !reader.isBroken { velocity = read }
    }
}

/// Reads the fields of a message in the Protocol Buffers wire format (protobuf.dev/programming-guides/encoding).
/// Reading stops at an invalid field or at a group, which is a deprecated field type.
struct ProtobufReader {
    enum Value {
        case varint(UInt64)
        /// An eight-byte value, such as a double.
        case fixed64(UInt64)
        /// A string, an embedded message, or packed repeated numbers.
        case bytes(UnsafeRawBufferPointer)
        case fixed32(UInt32)
    }

    private var rest: UnsafeRawBufferPointer
    private(set) var isBroken = false

    /// Creates a reader. The bytes must remain valid while the reader and its values are in use.
    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

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
            guard let length = varint(), let count = Int(exactly: length), let bytes = readBytes(count) else {
                return nil
            }
            return .bytes(bytes)
        case 5: return fixed(UInt32.self).map { .fixed32($0) }
        default: return nil
        }
    }

    /// Reads a base-128 varint: seven bits per byte, least significant first, at most ten bytes.
    private mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for (index, byte) in rest.prefix(10).enumerated() {
            // The tenth byte contributes only one bit.
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
        readBytes(Bits.bitWidth / 8).map { Bits(littleEndian: $0.loadUnaligned(as: Bits.self)) }
    }

    private mutating func readBytes(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }
}
