// SPDX-License-Identifier: Apache-2.0

/// A ring buffer of bytes. Not thread-safe, except that reserved memory may be filled while another thread reads.
package struct ByteRingBuffer: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    private var start = 0
    /// True from `reserve()` until `commit(_:)`. During that time, the write position must not change.
    private var isReserved = false
    package private(set) var count = 0

    package init(capacity: Int) { memory = .allocate(byteCount: max(capacity, 1), alignment: 16) }

    deinit { memory.deallocate() }

    package var capacity: Int { memory.count }
    package var space: Int { memory.count - count }

    package mutating func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        let total = min(bytes.count, space)
        var done = 0
        while done < total {
            let part = writableBytes(atMost: total - done)
            part.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[done..<done + part.count]))
            count += part.count
            done += part.count
        }
        return total
    }

    package mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let total = min(buffer.count, count)
        var done = 0
        while done < total {
            let part = readableBytes(atMost: total - done)
            UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + part.count]).copyMemory(from: part)
            drop(part.count)
            done += part.count
        }
        return total
    }

    /// Returns a contiguous region of unused memory, which the caller may fill until it calls ``commit(_:)``.
    package mutating func reserve() -> UnsafeMutableRawBufferPointer {
        isReserved = true
        return writableBytes(atMost: space)
    }

    /// Appends up to `length` bytes from the start of the reserved memory. Returns the number of bytes appended.
    @discardableResult package mutating func commit(_ length: Int) -> Int {
        isReserved = false
        let added = max(0, min(length, writableBytes(atMost: space).count))
        count += added
        return added
    }

    /// The contiguous unread bytes, beginning with the oldest. They do not move in memory until they are consumed.
    package var front: UnsafeRawBufferPointer { readableBytes(atMost: count) }

    package mutating func consume(_ length: Int) { drop(max(0, min(length, count))) }
    package mutating func clear() { drop(count) }

    private func writableBytes(atMost limit: Int) -> UnsafeMutableRawBufferPointer {
        var end = start + count
        if end >= memory.count { end -= memory.count }
        let length = min(limit, space, memory.count - end)
        return UnsafeMutableRawBufferPointer(rebasing: memory[end..<end + length])
    }

    private func readableBytes(atMost limit: Int) -> UnsafeRawBufferPointer {
        let length = min(limit, count, memory.count - start)
        return UnsafeRawBufferPointer(rebasing: memory[start..<start + length])
    }

    private mutating func drop(_ length: Int) {
        start += length
        if start >= memory.count { start -= memory.count }
        count -= length
        // An empty buffer restarts at the beginning of its memory, so that the next bytes are stored contiguously.
        if count == 0 && !isReserved { start = 0 }
    }
}
