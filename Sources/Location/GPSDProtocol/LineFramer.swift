// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Splits a byte stream into lines. A line may span several received segments. Append bytes with ``read(_:)``, then
/// call ``nextLine(_:)`` until it returns false. This keeps memory use below about four times the line limit. Not
/// thread-safe.
package struct LineFramer: Sendable {
    /// The minimum size of the buffer that ``read(_:)`` provides, in bytes.
    package static let minimumSpace = 16 * 1024
    private static let initialCapacity = 4 * minimumSpace

    /// The number of lines that were discarded because they exceeded the limit.
    package private(set) var discardedLines = 0
    private let limit: Int
    /// `storage[head..<tail]` contains the unconsumed bytes. The bytes before `scanned` contain no line feed.
    private var storage: [UInt8] = []
    private var head = 0
    private var tail = 0
    private var scanned = 0
    private var isDiscarding = false

    /// Creates a framer for lines of at most `limit` bytes, excluding line terminators.
    package init(limit: Int = 1 << 20) {
        // The upper bound prevents arithmetic overflow on 32-bit systems.
        self.limit = min(max(limit, 0), 1 << 29)
    }

    /// Calls `fill` with a buffer of at least 16 KiB. The closure writes bytes to the start of the buffer and returns
    /// how many it wrote. If this number is positive, the bytes are appended to the stream. Returns the closure's
    /// result.
    package mutating func read(_ fill: (UnsafeMutableRawBufferPointer) throws -> Int) rethrows -> Int {
        reserveSpace()
        let tail = self.tail
        let count = try storage.withUnsafeMutableBytes { storage in
            try fill(UnsafeMutableRawBufferPointer(rebasing: storage[tail...]))
        }
        self.tail += min(max(count, 0), storage.count - tail)
        return count
    }

    /// Passes the next complete line, without its LF or CR LF, to the closure. Skips empty lines. Returns false if
    /// there is no complete line. The bytes are valid only inside the closure. If the closure throws, the line is lost.
    package mutating func nextLine(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows -> Bool {
        while let end = findLineFeed() {
            let start = head
            head = end + 1
            scanned = head
            if isDiscarding {
                isDiscarding = false
                continue
            }
            let length = end > start && storage[end - 1] == UInt8(ascii: "\r") ? end - 1 - start : end - start
            if length > limit {
                discardedLines += 1
            } else if length > 0 {
                try storage.withUnsafeBytes { storage in
                    try body(UnsafeRawBufferPointer(rebasing: storage[start..<start + length]))
                }
                return true
            }
        }
        scanned = tail
        // The line may end with a carriage return, which does not count towards the limit.
        if tail - head > limit + 1 || isDiscarding {
            if !isDiscarding { discardedLines += 1 }
            isDiscarding = true
            head = tail
        }
        return false
    }

    /// Discards all received bytes, but keeps ``discardedLines``.
    package mutating func reset() {
        head = 0
        tail = 0
        scanned = 0
        isDiscarding = false
    }

    private func findLineFeed() -> Int? {
        guard scanned < tail else { return nil }
        return storage.withUnsafeBytes { storage in
            guard let base = storage.baseAddress,
                let found = memchr(base + scanned, Int32(UInt8(ascii: "\n")), tail - scanned)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    private mutating func reserveSpace() {
        if head == tail {
            head = 0
            tail = 0
            scanned = 0
            // Allocates the initial buffer, or shrinks a buffer that was enlarged for a long line.
            if storage.count != Self.initialCapacity { storage = [UInt8](repeating: 0, count: Self.initialCapacity) }
        }
        guard storage.count - tail < Self.minimumSpace else { return }
        let count = tail - head
        if count <= storage.count / 2, head > 0 {
            // After the move, at least half of the buffer is free.
            storage.withUnsafeMutableBytes { storage in
                storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[head..<tail]))
            }
        } else {
            var larger = [UInt8](repeating: 0, count: max(storage.count * 2, count + Self.minimumSpace))
            larger.withUnsafeMutableBytes { larger in
                storage.withUnsafeBytes { larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[head..<tail])) }
            }
            storage = larger
        }
        scanned -= head
        tail = count
        head = 0
    }
}
