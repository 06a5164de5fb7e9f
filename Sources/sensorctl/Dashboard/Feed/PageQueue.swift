// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// What waits for one page. A page that does not read has its oldest readings dropped and counted; the queue stays small.
struct PageQueue {
    /// The most bytes that wait; a minute of nine axes at 100 Hz and what is made of them is below half of it.
    static let limit = 2 << 20
    /// Whoever has so many answers waiting is not listened to: he could have any number made, and take none.
    static let answerLimit = 64

    private struct Item {
        var bytes: [UInt8]
        /// 0 for what is not dropped before anything else.
        var readings: Int
        var isAnswer = false
    }

    private var items: [Item] = []
    /// Items before that are sent.
    private var head = 0
    /// Bytes of the first item that are sent: it can no more be dropped.
    private var sent = 0
    private(set) var size = 0
    /// Answers that wait.
    private(set) var answers = 0
    /// Readings that were dropped and of which the page has not been told.
    private var dropped = 0

    init() {}

    var isEmpty: Bool { head == items.count }

    mutating func add(_ bytes: [UInt8], readings: Int) { add(Item(bytes: bytes, readings: readings)) }

    /// Adds what the page has asked for.
    mutating func answer(_ bytes: [UInt8]) {
        answers += 1
        add(Item(bytes: bytes, readings: 0, isAnswer: true))
    }

    private mutating func add(_ item: Item) {
        items.append(item)
        size += item.bytes.count
        if size > Self.limit { shrink() }
    }

    /// Counts readings that never came here.
    mutating func note(missed: Int) { dropped += missed }

    /// Drops the readings that have not been sent: the page is about to get others in their place.
    mutating func dropReadings() {
        let first = head + (sent > 0 ? 1 : 0)
        guard first < items.count else { return }
        let kept = items[first...].filter { $0.readings == 0 }
        items = Array(items[head..<first]) + kept
        head = 0
        size = items.reduce(0) { $0 + $1.bytes.count } - sent
    }

    /// Hands the closure what to send next, of which it says how much was sent; false when nothing was.
    mutating func send(atMost count: Int, _ body: (UnsafeRawBufferPointer) -> Int) -> Bool {
        tellOfDropped()
        guard !isEmpty else { return false }
        let first = items[head].bytes
        var taken = 0
        if first.count - sent >= count || head + 1 == items.count {
            taken = first[sent...].prefix(count).withUnsafeBytes(body)
        } else {
            // Small ones go together.
            var bytes = Array(first[sent...])
            for item in items[(head + 1)...] {
                if bytes.count + item.bytes.count > count { break }
                bytes += item.bytes
            }
            taken = bytes.withUnsafeBytes(body)
        }
        advance(taken)
        return taken > 0
    }

    private mutating func advance(_ count: Int) {
        size -= count
        var rest = sent + count
        while head < items.count, rest >= items[head].bytes.count {
            rest -= items[head].bytes.count
            if items[head].isAnswer { answers -= 1 }
            items[head].bytes = []
            head += 1
        }
        sent = rest
        if head == items.count {
            items.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 256 {
            items.removeFirst(head)
            head = 0
        }
    }

    /// Drops the oldest readings until three quarters are left, and if there are none the oldest of all.
    private mutating func shrink() {
        let goal = Self.limit / 4 * 3
        let first = head + (sent > 0 ? 1 : 0)
        var kept = Array(items[head..<min(first, items.count)])
        for item in items.dropFirst(first) {
            if size > goal, item.readings > 0 {
                size -= item.bytes.count
                dropped += item.readings
            } else {
                kept.append(item)
            }
        }
        items = kept
        head = 0
        let start = sent > 0 ? 1 : 0
        var end = start
        while size > goal, end + 1 < items.count {
            size -= items[end].bytes.count
            if items[end].isAnswer { answers -= 1 }
            end += 1
        }
        items.removeSubrange(start..<end)
        dropped += end - start
    }

    /// Tells the page what it has missed, once there is room.
    private mutating func tellOfDropped() {
        guard dropped > 0, size < Self.limit / 2 else { return }
        let count = dropped
        dropped = 0
        let frame = DashboardMessage("dropped", .news) { $0.member("count", count) }.frame
        items.append(Item(bytes: frame, readings: 0))
        size += frame.count
    }
}
