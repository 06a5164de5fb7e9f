// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Cuts a stream of bytes into lines, wherever the pieces that arrive happen to be split.
///
/// Fill it with ``read(_:)``, then call ``nextLine(_:)`` until it returns false. Each byte is looked at once and moved
/// a bounded number of times on average; memory stays below about four times the limit as long as lines are taken
/// after each read. One owner at a time: it has no lock.
package struct LineFramer: Sendable {
    /// The smallest space that ``read(_:)`` hands out, in bytes.
    package static let minimumSpace = 16 * 1024
    private static let initialCapacity = 4 * minimumSpace

    /// Lines that were longer than the limit and therefore dropped whole.
    package private(set) var discardedLines = 0

    private let limit: Int
    /// What has arrived and was not taken yet is `storage[head..<tail]`; up to `scanned` it holds no line feed.
    private var storage: [UInt8] = []
    private var head = 0
    private var tail = 0
    private var scanned = 0
    /// True inside a line that is being dropped.
    private var isDiscarding = false

    /// A framer for lines of at most `limit` bytes, their line end not counted.
    package init(limit: Int = 1 << 20) {
        // Held where sums of it cannot overflow on a 32-bit machine.
        self.limit = min(max(limit, 0), 1 << 29)
    }

    /// Hands out free space, at least 16 KB, for the next bytes of the stream.
    ///
    /// - Parameter fill: writes bytes from the start of the space and returns how many; 0 or less adds nothing.
    /// - Returns: what `fill` returned.
    package mutating func read(_ fill: (UnsafeMutableRawBufferPointer) throws -> Int) rethrows -> Int {
        makeSpace()
        let tail = self.tail
        let count = try storage.withUnsafeMutableBytes { storage in
            try fill(UnsafeMutableRawBufferPointer(rebasing: storage[tail...]))
        }
        self.tail += min(max(count, 0), storage.count - tail)
        return count
    }

    /// Hands over the next complete line, without its LF or CR LF. Empty lines are passed over.
    ///
    /// - Parameter body: gets the line; the bytes are valid during the call only. If it throws, the line is gone.
    /// - Returns: false when no complete line is there.
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
        // The carriage return that may follow the last byte allowed is not part of the line.
        if tail - head > limit + 1 || isDiscarding {
            if !isDiscarding { discardedLines += 1 }
            isDiscarding = true
            head = tail
        }
        return false
    }

    /// Forgets everything that has arrived, for a new connection. The count of discarded lines stays.
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

    private mutating func makeSpace() {
        if head == tail {
            head = 0
            tail = 0
            scanned = 0
            // What one long line needed is given back.
            if storage.count != Self.initialCapacity { storage = [UInt8](repeating: 0, count: Self.initialCapacity) }
        }
        guard storage.count - tail < Self.minimumSpace else { return }
        let count = tail - head
        if count <= storage.count / 2, head > 0 {
            // At least as much space is won as bytes are moved.
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
