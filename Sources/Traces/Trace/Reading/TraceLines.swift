// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Cuts bytes into lines, one after the other; each byte is looked at once.
struct TraceLines {
    /// The longest line, in bytes. The longest that is written here is a header with the contexts of many sensors.
    static let longest = 16 << 20

    /// Where the next line begins.
    private(set) var offset: Int
    /// The number of the line that was found last, counted from 1.
    private(set) var line: Int
    /// The file whose memory is given back behind the lines; nil for bytes in memory.
    private let file: MappedFile?
    /// Up to here memory was given back.
    private var forgotten: Int
    /// From here on some is given back again.
    private var nextForgetting = Int.max

    init(offset: Int, line: Int, file: MappedFile? = nil) {
        self.offset = offset
        self.line = line
        self.file = file
        forgotten = offset
        if file != nil { nextForgetting = offset + MappedFile.window }
    }

    /// The next line that has something in it, without blanks and carriage returns around it, and whether a line feed
    /// ended it; nil at the end. Of a line longer than ``longest`` the range is empty.
    @inline(__always)
    mutating func next(_ bytes: UnsafeRawBufferPointer) -> (range: Range<Int>, isEnded: Bool)? {
        guard let base = bytes.baseAddress else { return nil }
        while offset < bytes.count {
            var start = offset
            if start >= nextForgetting { forget() }
            var end = bytes.count
            var isEnded = false
            line &+= 1
            if let found = memchr(base + start, Int32(UInt8(ascii: "\n")), min(end &- start, Self.longest)) {
                end = UnsafeRawPointer(found) - base
                offset = end &+ 1
                isEnded = true
            } else if end &- start > Self.longest {
                return (start..<start, skipLine(bytes))
            } else {
                offset = end
            }
            while end > start, Bytes.isBlank(bytes[end &- 1]) { end &-= 1 }
            while start < end, Bytes.isBlank(bytes[start]) { start &+= 1 }
            if start < end { return (start..<end, isEnded) }
        }
        return nil
    }

    /// Moves behind a long line, and returns whether a line feed ended it.
    @inline(never)
    private mutating func skipLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        while offset < bytes.count {
            let count = min(bytes.count &- offset, MappedFile.window)
            if let found = memchr(base + offset, Int32(UInt8(ascii: "\n")), count) {
                offset = UnsafeRawPointer(found) - base &+ 1
                return true
            }
            offset &+= count
            if offset >= nextForgetting { forget() }
        }
        return false
    }

    @inline(never)
    private mutating func forget() {
        file?.forget(forgotten..<offset)
        forgotten = offset
        nextForgetting = offset &+ MappedFile.window
    }
}
