// SPDX-License-Identifier: Apache-2.0

/// The data of places cannot be read.
package struct PlaceDataError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, for people.
    package let description: String

    init(_ description: String) { self.description = description }

    static let damaged = PlaceDataError(
        "The data of places is damaged. It is linked into the program: install the program again.")
}

/// Bytes that are never written, with every read checked against their end.
///
/// They are the program's own constants, which the kernel brings into memory page by page when they are read, or a copy.
struct PlaceBytes: @unchecked Sendable {  // nobody writes to them
    private let bytes: UnsafeRawBufferPointer
    /// Keeps a copy alive; nil for constants of the program.
    private let owner: Copy?

    /// Bytes that stay where they are for as long as the program runs.
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

    /// A number of so many bytes, at most four, the least significant first. One of four has 31 bits: no number in the data
    /// has more, and an Int of 32 bits holds it.
    @inline(__always)
    func number(at offset: Int, bytes width: Int) throws(PlaceDataError) -> Int {
        guard offset >= 0, offset <= bytes.count - width, width < 4 || bytes[offset + 3] < 0x80 else { throw .damaged }
        var value = 0
        for place in 0..<width { value |= Int(bytes[offset + place]) << (8 * place) }
        return value
    }

    /// A part of them.
    func part(_ offset: Int, _ count: Int) throws(PlaceDataError) -> PlaceBytes {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { throw .damaged }
        return PlaceBytes(part: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]), owner: owner)
    }

    /// The text there, whose length stands before it in a byte.
    func text(at offset: Int) throws(PlaceDataError) -> String {
        let length = try number(at: offset, bytes: 1)
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

/// Reads numbers of varying length one after the other.
struct PlaceCursor {
    let bytes: PlaceBytes
    var offset: Int

    /// Seven bits a byte, the least significant first, the top bit set in all bytes but the last. There are at most four
    /// bytes, so that it is never negative.
    @inline(__always)
    mutating func next() throws(PlaceDataError) -> Int {
        var value = 0
        var shift = 0
        while shift < 28 {
            let byte = try bytes.number(at: offset, bytes: 1)
            offset += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .damaged
    }

    /// The same with a sign in the lowest bit.
    @inline(__always)
    mutating func nextSigned() throws(PlaceDataError) -> Int {
        let value = try next()
        return value & 1 == 0 ? value >> 1 : -(value >> 1) - 1
    }
}
