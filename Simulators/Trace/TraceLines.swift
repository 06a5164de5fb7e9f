// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Cuts bytes into lines, one after the other; each byte is looked at once.
struct TraceLines {
    /// Where the next line begins.
    private(set) var offset: Int
    /// The number of the line that was found last, counted from 1.
    private(set) var line: Int

    init(offset: Int, line: Int) {
        self.offset = offset
        self.line = line
    }

    /// The next line that has something in it, without blanks and carriage returns around it, and whether a line feed
    /// ended it; nil at the end.
    @inline(__always)
    mutating func next(_ bytes: UnsafeRawBufferPointer) -> (range: Range<Int>, isEnded: Bool)? {
        guard let base = bytes.baseAddress else { return nil }
        while offset < bytes.count {
            var start = offset
            var end = bytes.count
            var isEnded = false
            if let found = memchr(base + start, Int32(UInt8(ascii: "\n")), end &- start) {
                end = UnsafeRawPointer(found) - base
                offset = end &+ 1
                isEnded = true
            } else {
                offset = end
            }
            line &+= 1
            while end > start, Bytes.isBlank(bytes[end &- 1]) { end &-= 1 }
            while start < end, Bytes.isBlank(bytes[start]) { start &+= 1 }
            if start < end { return (start..<end, isEnded) }
        }
        return nil
    }
}
