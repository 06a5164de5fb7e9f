// SPDX-License-Identifier: Apache-2.0

package struct PlaceDataError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }

    static let damaged = PlaceDataError("The place data in this program is damaged. Reinstall the program.")
}

extension Range<Int> {
    /// Returns the first index that does not satisfy the condition. All earlier indices must satisfy it.
    @inline(__always)
    func partitionPoint(where isBefore: (Int) throws(PlaceDataError) -> Bool) throws(PlaceDataError) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if try isBefore(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Immutable bytes with bounds-checked access. They are either a copy or constant data, which the kernel loads page by
/// page.
struct PlaceBytes: @unchecked Sendable {  // The bytes are never modified.
    private let bytes: UnsafeRawBufferPointer
    private let owner: Copy?

    /// Creates a view of bytes that are valid for the lifetime of the process.
    init(constant bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        owner = nil
    }

    init(copying array: [UInt8]) {
        let copy = Copy(array)
        bytes = UnsafeRawBufferPointer(copy.bytes)
        owner = copy
    }

    private init(part: UnsafeRawBufferPointer, owner: Copy?) {
        bytes = part
        self.owner = owner
    }

    var count: Int { bytes.count }

    /// Returns a little-endian integer of up to four bytes. Throws an error if it does not fit in a 32-bit `Int`.
    @inline(__always) func integer(at offset: Int, byteCount width: Int) throws(PlaceDataError) -> Int {
        guard offset >= 0, offset <= bytes.count - width, width < 4 || bytes[offset + 3] < 0x80 else { throw .damaged }
        var value = 0
        for index in 0..<width { value |= Int(bytes[offset + index]) << (8 * index) }
        return value
    }

    func slice(_ offset: Int, _ count: Int) throws(PlaceDataError) -> PlaceBytes {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { throw .damaged }
        return PlaceBytes(part: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]), owner: owner)
    }

    /// Returns the text at the given offset, which points to a length byte followed by the text.
    func text(at offset: Int) throws(PlaceDataError) -> String {
        let length = try integer(at: offset, byteCount: 1)
        guard length <= bytes.count - offset - 1 else { throw .damaged }
        return String(decoding: bytes[offset + 1..<offset + 1 + length], as: UTF8.self)
    }

    private final class Copy {
        let bytes: UnsafeMutableRawBufferPointer

        init(_ array: [UInt8]) {
            bytes = .allocate(byteCount: array.count, alignment: 1)
            bytes.copyBytes(from: array)
        }

        deinit { bytes.deallocate() }
    }
}

/// Reads integers of variable length from consecutive bytes.
struct PlaceCursor {
    let bytes: PlaceBytes
    var offset: Int

    /// Reads an integer of up to four bytes. Each byte contains seven bits of the value, least significant first. The
    /// top bit is set in every byte except the last.
    @inline(__always) mutating func nextUnsigned() throws(PlaceDataError) -> Int {
        var value = 0
        var shift = 0
        while shift < 28 {
            let byte = try bytes.integer(at: offset, byteCount: 1)
            offset += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .damaged
    }

    /// Reads an integer whose lowest bit contains the sign.
    @inline(__always) mutating func nextSigned() throws(PlaceDataError) -> Int {
        let value = try nextUnsigned()
        return value & 1 == 0 ? value >> 1 : -(value >> 1) - 1
    }
}
