// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The bytes of a file one after the other, in pieces, with the checksums of what went by.
struct MCAPInput {
    /// So many bytes are read at a time.
    private static let capacity = 1 << 16
    /// The most bytes that may be asked for together.
    static let maximumCount = 1 << 24

    private let source: any XMLSource
    private var buffer: [UInt8] = []
    private var position = 0
    private var end = 0
    private var isAtEnd = false
    /// How many bytes went by.
    private(set) var offset: UInt64 = 0
    /// Of all bytes that went by; nil when nobody asks for it.
    var dataSum: CRC32?
    /// Of those since it was set.
    var chunkSum: CRC32?

    init(_ source: any XMLSource) {
        self.source = source
    }

    /// Brings so many bytes into memory, at most ``maximumCount``; false when the file ends before.
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
            // What a length promises is not believed before it is there.
            if end == buffer.count {
                let room = min(max(Self.capacity, 2 * buffer.count), max(count, Self.capacity))
                buffer.append(contentsOf: [UInt8](repeating: 0, count: room - buffer.count))
            }
            let (source, end) = (source, end)
            let result = buffer.withUnsafeMutableBytes { bytes -> Result<Int, DeviceError> in
                do throws(DeviceError) {
                    return .success(try source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[end...])))
                } catch {
                    return .failure(error)
                }
            }
            let read = try result.get()
            if read <= 0 { isAtEnd = true } else { self.end += min(read, buffer.count - end) }
        }
        return end >= count
    }

    /// Calls the closure with bytes that were brought into memory.
    func withBytes<Value>(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        let range = position..<min(position + max(count, 0), end)
        return buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// Passes over bytes that are in memory.
    mutating func consume(_ count: Int) {
        let count = min(count, end - position)
        let range = position..<position + count
        if dataSum != nil { buffer.withUnsafeBytes { dataSum?.add(UnsafeRawBufferPointer(rebasing: $0[range])) } }
        if chunkSum != nil { buffer.withUnsafeBytes { chunkSum?.add(UnsafeRawBufferPointer(rebasing: $0[range])) } }
        position += count
        offset += UInt64(count)
    }

    /// Passes over bytes up to an offset; false when the file ends before.
    mutating func skip(to target: UInt64) throws(DeviceError) -> Bool {
        while offset < target {
            if position == end, try !fill(1) { return false }
            consume(Int(clamping: min(target - offset, UInt64(end - position))))
        }
        return true
    }

    /// The record that begins here: what it is, and where its contents end. Nil at the end of the file.
    mutating func record() throws(DeviceError) -> (code: UInt8, end: UInt64)? {
        guard try fill(MCAP.prefixLength) else { return nil }
        return withBytes(MCAP.prefixLength) { bytes in
            let length = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
            let end = (offset + UInt64(MCAP.prefixLength)).addingReportingOverflow(length)
            return (bytes[0], end.overflow ? .max : end.partialValue)
        }
    }
}
