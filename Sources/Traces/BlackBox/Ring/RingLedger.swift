// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Which segments a ring has, when the next one begins, and which may go. A value without files.
struct RingLedger: Sendable {
    struct Segment: Sendable, Equatable {
        var number: Int
        /// The times of its first and last event, in nanoseconds since the start of the recording; nil without one.
        var first: Int64?
        var last: Int64?
        var size: Int64
    }

    /// A ring is about so many segments, so that an eighth more than asked for is kept at most.
    static let parts: Int64 = 8
    /// Smaller ones would be mostly headers.
    static let smallestSegment: Int64 = 65_536

    let duration: Int64
    let size: Int64
    private(set) var segments: [Segment] = []
    /// Nothing that happened after that may go for its age: a trigger waits for what comes behind it.
    var keptFrom: Int64?
    /// Segments up to that number are being read, and stay.
    var pinned: Int?
    /// The number of the segment that was begun last.
    private var lastNumber = 0
    /// True while the last segment is written to.
    private(set) var isOpen = false

    /// - Parameters:
    ///   - duration: how long back the ring goes, in nanoseconds.
    ///   - size: the most bytes of all segments together.
    init(duration: Int64, size: Int64) {
        self.duration = max(duration, 1)
        self.size = max(size, Self.smallestSegment * Self.parts)
    }

    private var segmentDuration: Int64 { max(duration / Self.parts, 1_000_000_000) }
    private var segmentSize: Int64 { size / Self.parts }

    /// All bytes.
    var total: Int64 { segments.reduce(0) { $0 + $1.size } }

    /// True when so many bytes of an event of that time belong into a new segment.
    func needsSegment(for count: Int64, at time: Int64) -> Bool {
        guard isOpen, let current = segments.last else { return true }
        // One that has nothing but its header takes anything.
        guard let first = current.first else { return false }
        return time.subtractingSaturated(first) >= segmentDuration || current.size + count > segmentSize
    }

    /// Begins a segment and answers its number.
    mutating func begin() -> Int {
        lastNumber += 1
        let number = lastNumber
        segments.append(Segment(number: number, size: 0))
        isOpen = true
        return number
    }

    /// The head of the last segment has so many bytes.
    mutating func grewHead(_ size: Int64) {
        if let place = segments.indices.last { segments[place].size += size }
    }

    /// Ends the last segment: what comes next begins another one.
    mutating func close() { isOpen = false }

    /// So many bytes were written to the last segment, with events of those times.
    mutating func wrote(_ count: Int64, from first: Int64, to last: Int64) {
        guard let place = segments.indices.last else { return }
        segments[place].size += count
        segments[place].first = segments[place].first ?? first
        segments[place].last = last
    }

    /// Forgets the segments that are not needed any more, and answers their numbers: those that are older than the ring goes
    /// back, and as many more as it takes to have room for so many bytes.
    mutating func expire(toWrite count: Int64, at time: Int64) -> [Int] {
        let from = min(keptFrom ?? .max, time.subtractingSaturated(duration))
        var expired: [Int] = []
        // The one that is written to stays.
        while let oldest = segments.first, segments.count > (isOpen ? 1 : 0) {
            if let pinned, oldest.number <= pinned { break }
            let isOld = segments.count > 1 && (segments[1].first ?? .max) <= from
            guard isOld || total + count > size else { break }
            expired.append(oldest.number)
            segments.removeFirst()
        }
        return expired
    }
}
