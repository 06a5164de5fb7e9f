// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// A page's output queue. If the page reads too slowly, the queue drops the oldest readings and counts them.
struct PageOutputQueue {
    /// The maximum size of the queue, in bytes. One minute of data from nine axes at 100 Hz, with all derived values,
    /// takes up less than half of it.
    static let limit = 2 << 20
    /// The maximum number of queued responses. At the limit, the server accepts no more commands from the page until
    /// the page has read some responses.
    static let responseLimit = 64

    private struct Item {
        var bytes: [UInt8]
        /// The number of readings in the item. A message that may be dropped as readily as a reading counts as one
        /// reading, and any other message as 0. Items with 0 readings are dropped only if dropping all others is not
        /// enough.
        var readings: Int
        var isResponse = false
    }

    private var items: [Item] = []
    /// The number of sent items at the front of `items`.
    private var head = 0
    /// The number of bytes already sent from the first pending item. A partially sent item cannot be dropped.
    private var sentByteCount = 0
    private(set) var size = 0
    private(set) var responseCount = 0
    /// The number of readings and other items that have been dropped since the last report to the page.
    private var droppedCount = 0

    var isEmpty: Bool { head == items.count }

    mutating func add(_ bytes: [UInt8], readings: Int) { add(Item(bytes: bytes, readings: readings)) }

    mutating func addResponse(_ bytes: [UInt8]) {
        responseCount += 1
        add(Item(bytes: bytes, readings: 0, isResponse: true))
    }

    private mutating func add(_ item: Item) {
        items.append(item)
        size += item.bytes.count
        if size > Self.limit { dropOldest() }
    }

    mutating func addDropped(_ count: Int) { droppedCount += count }

    /// Removes all unsent readings, because the page is about to receive a new history.
    mutating func dropReadings() {
        let first = head + (sentByteCount > 0 ? 1 : 0)
        guard first < items.count else { return }
        let remaining = items[first...].filter { $0.readings == 0 }
        items = Array(items[head..<first]) + remaining
        head = 0
        size = items.reduce(0) { $0 + $1.bytes.count } - sentByteCount
    }

    /// Passes the next bytes to the closure, which sends them and returns the number of bytes sent. Returns false if
    /// nothing was sent.
    mutating func send(atMost count: Int, _ body: (UnsafeRawBufferPointer) -> Int) -> Bool {
        reportDropped()
        guard !isEmpty else { return false }
        let first = items[head].bytes
        var sentCount = 0
        if first.count - sentByteCount >= count || head + 1 == items.count {
            sentCount = first[sentByteCount...].prefix(count).withUnsafeBytes(body)
        } else {
            // Sends several small items with a single system call.
            var bytes = Array(first[sentByteCount...])
            for item in items[(head + 1)...] {
                if bytes.count + item.bytes.count > count { break }
                bytes += item.bytes
            }
            sentCount = bytes.withUnsafeBytes(body)
        }
        advance(sentCount)
        return sentCount > 0
    }

    private mutating func advance(_ count: Int) {
        size -= count
        var remaining = sentByteCount + count
        while head < items.count, remaining >= items[head].bytes.count {
            remaining -= items[head].bytes.count
            if items[head].isResponse { responseCount -= 1 }
            items[head].bytes = []
            head += 1
        }
        sentByteCount = remaining
        if head == items.count {
            items.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 256 {
            items.removeFirst(head)
            head = 0
        }
    }

    /// Drops the oldest readings, then the oldest other items, until the queue shrinks to three quarters of its limit.
    private mutating func dropOldest() {
        let targetSize = Self.limit / 4 * 3
        let first = head + (sentByteCount > 0 ? 1 : 0)
        var remaining = Array(items[head..<min(first, items.count)])
        for item in items.dropFirst(first) {
            if size > targetSize, item.readings > 0 {
                size -= item.bytes.count
                droppedCount += item.readings
            } else {
                remaining.append(item)
            }
        }
        items = remaining
        head = 0
        let start = sentByteCount > 0 ? 1 : 0
        var end = start
        while size > targetSize, end + 1 < items.count {
            size -= items[end].bytes.count
            if items[end].isResponse { responseCount -= 1 }
            end += 1
        }
        items.removeSubrange(start..<end)
        droppedCount += end - start
    }

    /// Reports dropped readings to the page once the queue is less than half full.
    private mutating func reportDropped() {
        guard droppedCount > 0, size < Self.limit / 2 else { return }
        let count = droppedCount
        droppedCount = 0
        let frame = DashboardMessage("dropped", .transient) { $0.member("count", count) }.frame
        items.append(Item(bytes: frame, readings: 0))
        size += frame.count
    }
}
