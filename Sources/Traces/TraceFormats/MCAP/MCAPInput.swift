// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Reads a file sequentially in pieces and computes checksums of the consumed bytes.
struct MCAPInput {
    private static let capacity = 1 << 16
    /// The maximum number of bytes that can be requested at once (16 MiB).
    static let maximumCount = 1 << 24
    private let source: any ByteSource
    private var buffer: [UInt8] = []
    private var position = 0
    private var end = 0
    private var isAtEnd = false
    private(set) var offset: UInt64 = 0
    /// The checksum of all consumed bytes, or nil if it is not computed.
    var dataChecksum: CRC32?
    /// The checksum of the bytes that have been consumed since this property was set, or nil if no checksum is
    /// computed.
    var chunkChecksum: CRC32?

    init(_ source: any ByteSource) { self.source = source }

    /// Buffers at least `count` bytes. Returns false if fewer bytes remain.
    mutating func fill(_ count: Int) throws(DeviceError) -> Bool {
        if end - position >= count { return true }
        guard count <= Self.maximumCount else { return false }
        if position > 0 {
            let (from, to) = (position, end)
            buffer.withUnsafeMutableBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: bytes[..<(to - from)]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[from..<to]))
            }
            (position, end) = (0, to - from)
        }
        while end < count, !isAtEnd {
            // The buffer grows step by step, because the record's stated length may be wrong and far too large to
            // allocate at once.
            if end == buffer.count {
                let newCapacity = min(max(Self.capacity, 2 * buffer.count), max(count, Self.capacity))
                buffer.append(contentsOf: [UInt8](repeating: 0, count: newCapacity - buffer.count))
            }
            let (source, end) = (source, end)
            let read = try buffer.withUnsafeMutableBufferPointer { (bytes) throws(DeviceError) in
                try source.read(
                    into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: bytes[end...])))
            }
            if read <= 0 { isAtEnd = true } else { self.end += min(read, buffer.count - end) }
        }
        return end >= count
    }

    func withBytes<Value>(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        let range = position..<min(position + max(count, 0), end)
        return buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    mutating func consume(_ count: Int) {
        let count = min(count, end - position)
        let range = position..<position + count
        if dataChecksum != nil {
            buffer.withUnsafeBytes { dataChecksum?.add(UnsafeRawBufferPointer(rebasing: $0[range])) }
        }
        if chunkChecksum != nil {
            buffer.withUnsafeBytes { chunkChecksum?.add(UnsafeRawBufferPointer(rebasing: $0[range])) }
        }
        position += count
        offset += UInt64(count)
    }

    /// Advances to an offset. Returns false if the file ends before it.
    mutating func skip(to target: UInt64) throws(DeviceError) -> Bool {
        while offset < target {
            if position == end, try !fill(1) { return false }
            consume(Int(clamping: min(target - offset, UInt64(end - position))))
        }
        return true
    }

    mutating func record() throws(DeviceError) -> (code: UInt8, end: UInt64)? {
        guard try fill(MCAP.prefixLength) else { return nil }
        return withBytes(MCAP.prefixLength) { bytes in
            let length = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
            let end = (offset + UInt64(MCAP.prefixLength)).addingReportingOverflow(length)
            return (bytes[0], end.overflow ? .max : end.partialValue)
        }
    }
}

/// The CRC-32 of ISO 3309, as in zlib and MCAP: reflected polynomial 0xEDB88320. Processes eight bytes at a time
/// (slicing-by-8). Table k contains the checksum of each byte value followed by k zero bytes.
struct CRC32 {
    private static let tables: [UInt32] = {
        var tables = (0..<256).map { byte in
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? 0xedb8_8320 ^ (value >> 1) : value >> 1 }
            return value
        }
        for index in 256..<8 * 256 {
            let former = tables[index - 256]
            tables.append((former >> 8) ^ tables[Int(former & 0xff)])
        }
        return tables
    }()

    private var register: UInt32 = 0xffff_ffff
    var value: UInt32 { ~register }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var register = register
        Self.tables.withUnsafeBufferPointer { tables in
            func part(_ word: UInt32, _ shift: UInt32, _ table: Int) -> UInt32 {
                tables[256 * table + Int((word >> shift) & 0xff)]
            }
            var index = 0
            while bytes.count - index >= 8 {
                let low = register ^ UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
                let high = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self))
                register = part(low, 0, 7) ^ part(low, 8, 6) ^ part(low, 16, 5) ^ part(low, 24, 4)
                register ^= part(high, 0, 3) ^ part(high, 8, 2) ^ part(high, 16, 1) ^ part(high, 24, 0)
                index += 8
            }
            while index < bytes.count {
                register = tables[Int((register ^ UInt32(bytes[index])) & 0xff)] ^ (register >> 8)
                index += 1
            }
        }
        self.register = register
    }

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var sum = CRC32()
        sum.add(bytes)
        return sum.value
    }
}
