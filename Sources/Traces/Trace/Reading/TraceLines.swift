// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// An iterator over the lines of a byte buffer. Each byte is examined once.
struct TraceLines {
    /// The maximum length of a line in bytes (16 MiB). The longest lines are headers that contain the contexts of many
    /// sensors.
    static let maximumLength = 16 << 20
    private(set) var offset: Int
    /// The number of the last line returned, starting at 1.
    private(set) var line: Int
    /// The mapped file, or nil for bytes in memory. The iterator releases the memory behind its position.
    private let file: MappedFile?
    private var releasedEnd: Int
    /// The offset at which memory may be released and the progress is updated.
    private var nextCheckpoint: Int

    init(offset: Int, line: Int, file: MappedFile? = nil) {
        (self.offset, self.line, self.file) = (offset, line, file)
        releasedEnd = offset
        nextCheckpoint = offset &+ ReadProgress.step
    }

    /// Returns the next nonempty line without surrounding whitespace, and whether a line feed terminates it. Returns
    /// nil at the end of the buffer. For a line longer than ``maximumLength``, returns an empty range.
    @inline(__always) mutating func next(_ bytes: UnsafeRawBufferPointer) -> (range: Range<Int>, isEnded: Bool)? {
        guard let base = bytes.baseAddress else { return nil }
        while offset < bytes.count {
            var start = offset
            if start >= nextCheckpoint { passCheckpoint(bytes.count) }
            var end = bytes.count
            var isEnded = false
            line &+= 1
            if let found = memchr(base + start, Int32(UInt8(ascii: "\n")), min(end &- start, Self.maximumLength)) {
                end = UnsafeRawPointer(found) - base
                offset = end &+ 1
                isEnded = true
            } else if end &- start > Self.maximumLength {
                return (start..<start, skipLine(bytes))
            } else {
                offset = end
            }
            while end > start, ByteMatching.isBlank(bytes[end &- 1]) { end &-= 1 }
            while start < end, ByteMatching.isBlank(bytes[start]) { start &+= 1 }
            if start < end { return (start..<end, isEnded) }
        }
        return nil
    }

    /// Skips a long line and returns whether a line feed terminates it.
    @inline(never) private mutating func skipLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        while offset < bytes.count {
            let count = min(bytes.count &- offset, MappedFile.residentWindow)
            if let found = memchr(base + offset, Int32(UInt8(ascii: "\n")), count) {
                offset = UnsafeRawPointer(found) - base &+ 1
                return true
            }
            offset &+= count
            if offset >= nextCheckpoint { passCheckpoint(bytes.count) }
        }
        return false
    }

    @inline(never) private mutating func passCheckpoint(_ size: Int) {
        ReadProgress.update(offset, of: size)
        nextCheckpoint = offset &+ ReadProgress.step
        guard let file, offset &- releasedEnd >= MappedFile.residentWindow else { return }
        file.releaseMemory(of: releasedEnd..<offset)
        releasedEnd = offset
    }
}
