// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Small questions about bytes; every one checks its bounds.
enum Bytes {
    /// True for what may stand around a line without belonging to it. A file that lost its end in a power cut is often
    /// padded with zero bytes.
    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0d || byte == 0x09 || byte == 0
    }

    /// True when the literal stands there.
    @inline(__always)
    static func start(_ bytes: UnsafeRawBufferPointer, at start: Int, end: Int, with literal: StaticString) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard start >= 0, end <= bytes.count, end &- start >= count else { return false }
        var index = 0
        while index < count {
            guard bytes[start &+ index] == literal.utf8Start[index] else { return false }
            index &+= 1
        }
        return true
    }
}
