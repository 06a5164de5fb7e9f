// SPDX-License-Identifier: Apache-2.0

/// A queue of bytes in a fixed amount of memory.
package struct ByteRing: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    private var start = 0
    /// Somebody puts bytes into the unused memory, which must stay where it is.
    private var isReserved = false
    /// How many bytes wait.
    package private(set) var count = 0

    /// A queue for that many bytes, at least one.
    package init(capacity: Int) { memory = .allocate(byteCount: max(capacity, 1), alignment: 16) }

    deinit { memory.deallocate() }

    /// How many bytes it holds at most.
    package var capacity: Int { memory.count }
    /// How many more bytes it takes.
    package var space: Int { memory.count - count }

    /// Adds as many of the bytes as there is space for; returns how many.
    package mutating func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        let taken = min(bytes.count, space)
        var done = 0
        while done < taken {
            let part = unused(atMost: taken - done)
            part.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[done..<done + part.count]))
            count += part.count
            done += part.count
        }
        return taken
    }

    /// Takes as many bytes as there are and fit; returns how many.
    package mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let taken = min(buffer.count, count)
        var done = 0
        while done < taken {
            let part = waiting(atMost: taken - done)
            UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + part.count]).copyMemory(from: part)
            drop(part.count)
            done += part.count
        }
        return taken
    }

    /// The unused memory that lies in one piece, to be filled without holding on to the ring until ``commit(_:)``.
    package mutating func reserve() -> UnsafeMutableRawBufferPointer {
        isReserved = true
        return unused(atMost: space)
    }

    /// Adds as many bytes from the front of what was reserved; returns how many.
    @discardableResult
    package mutating func commit(_ length: Int) -> Int {
        isReserved = false
        let added = max(0, min(length, unused(atMost: space).count))
        count += added
        return added
    }

    /// The bytes at the front, as far as they lie in one piece. They stay where they are until ``consume(_:)``.
    package var front: UnsafeRawBufferPointer { waiting(atMost: count) }

    /// Takes that many bytes from the front away.
    package mutating func consume(_ length: Int) { drop(max(0, min(length, count))) }

    /// Lets the closure put bytes into the unused memory that lies in one piece; it returns how many it put there.
    package mutating func fill(_ body: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        let part = unused(atMost: space)
        let added = max(0, min(body(part), part.count))
        count += added
        return added
    }

    /// Lets the closure take bytes from the front, as far as they lie in one piece; it returns how many it took.
    package mutating func take(_ body: (UnsafeRawBufferPointer) -> Int) -> Int {
        let part = waiting(atMost: count)
        let taken = max(0, min(body(part), part.count))
        drop(taken)
        return taken
    }

    /// Forgets what waits.
    package mutating func clear() { drop(count) }

    private func unused(atMost limit: Int) -> UnsafeMutableRawBufferPointer {
        var end = start + count
        if end >= memory.count { end -= memory.count }
        let length = min(limit, space, memory.count - end)
        return UnsafeMutableRawBufferPointer(rebasing: memory[end..<end + length])
    }

    private func waiting(atMost limit: Int) -> UnsafeRawBufferPointer {
        let length = min(limit, count, memory.count - start)
        return UnsafeRawBufferPointer(rebasing: memory[start..<start + length])
    }

    private mutating func drop(_ length: Int) {
        start += length
        if start >= memory.count { start -= memory.count }
        count -= length
        // From the front again, so that what comes next lies in one piece.
        if count == 0 && !isReserved { start = 0 }
    }
}
