// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Reads a file sequentially in pieces and computes checksums of the consumed bytes. ``fill(_:)`` buffers bytes,
/// ``withBytes(_:_:)`` reads them without consuming them, and ``consume(_:)`` advances past them.
struct MCAPInput {
    private static let capacity = 1 << 16
    /// The maximum number of bytes that can be requested at once (16 MiB).
    static let maximumCount = 1 << 24
    private let source: any ByteSource
    /// The bytes in `position..<filled` are buffered but not consumed. They begin at ``offset`` in the file.
    private var buffer: [UInt8] = []
    private var position = 0
    private var filled = 0
    private var isAtEnd = false
    /// The number of consumed bytes.
    private(set) var offset: UInt64 = 0
    /// The checksum of all consumed bytes, or nil if it is not computed.
    var dataChecksum: CRC32?
    /// The checksum of the bytes consumed since this property was set, or nil if no checksum is computed.
    var chunkChecksum: CRC32?

    init(_ source: any ByteSource) { self.source = source }

    /// Buffers at least `count` bytes. Returns false if fewer bytes remain or `count` exceeds ``maximumCount``.
    mutating func fill(_ count: Int) throws(DeviceError) -> Bool {
        if filled - position >= count { return true }
        guard count <= Self.maximumCount else { return false }
        if position > 0 {
            let (from, to) = (position, filled)
            buffer.withUnsafeMutableBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: bytes[..<(to - from)]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[from..<to]))
            }
            (position, filled) = (0, to - from)
        }
        while filled < count, !isAtEnd {
            // The buffer grows gradually, because the record's stated length may be wrong and far too large to allocate
            // at once.
            if filled == buffer.count {
                let newCapacity = min(max(Self.capacity, 2 * buffer.count), max(count, Self.capacity))
                buffer.append(contentsOf: [UInt8](repeating: 0, count: newCapacity - buffer.count))
            }
            let (source, filled) = (source, filled)
            let read = try buffer.withUnsafeMutableBufferPointer { (bytes) throws(DeviceError) in
                try source.read(
                    into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: bytes[filled...])))
            }
            if read <= 0 { isAtEnd = true } else { self.filled += min(read, buffer.count - filled) }
        }
        return filled >= count
    }

    /// Calls `body` with the next `count` bytes, or with all buffered bytes if fewer are buffered.
    func withBytes<Value>(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        let range = position..<min(position + max(count, 0), filled)
        return buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    mutating func consume(_ count: Int) {
        let count = min(count, filled - position)
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

    /// Advances to an offset in the file. Returns false if the file ends before that offset.
    mutating func skip(to target: UInt64) throws(DeviceError) -> Bool {
        while offset < target {
            if position == filled, try !fill(1) { return false }
            consume(Int(clamping: min(target - offset, UInt64(filled - position))))
        }
        return true
    }

    /// Returns the opcode of the next record and the file offset of its end, without consuming anything. Returns nil if
    /// the file ends before the record, or within its opcode or length.
    mutating func peekRecord() throws(DeviceError) -> (code: UInt8, end: UInt64)? {
        guard try fill(MCAP.prefixLength) else { return nil }
        return withBytes(MCAP.prefixLength) { bytes in
            let length = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
            let end = (offset + UInt64(MCAP.prefixLength)).addingReportingOverflow(length)
            return (bytes[0], end.overflow ? .max : end.partialValue)
        }
    }
}
