// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Reads the contents of a record from the front. What is not there is nil.
struct MCAPContents {
    private(set) var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
    }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        let size = MemoryLayout<Number>.size
        guard rest.count >= size else { return nil }
        let value = rest.loadUnaligned(as: type)
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(size))
        return Number(littleEndian: value)
    }

    /// A text behind its length; what is not UTF-8 in it is replaced.
    mutating func text() -> String? {
        guard let length = number(UInt32.self), Int(clamping: length) <= rest.count else { return nil }
        let text = String(decoding: rest.prefix(Int(length)), as: UTF8.self)
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(length)))
        return text
    }

    /// Pairs of texts behind the length of them all, at most 256.
    mutating func map() -> [String: String]? {
        guard let length = number(UInt32.self), Int(clamping: length) <= rest.count else { return nil }
        var inner = MCAPContents(UnsafeRawBufferPointer(rebasing: rest.prefix(Int(length))))
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(length)))
        var pairs: [String: String] = [:]
        while pairs.count < 256, let key = inner.text(), let value = inner.text() { pairs[key] = value }
        return pairs
    }
}
