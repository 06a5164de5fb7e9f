// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Determines when a ring's next segment begins and which segments are removed, without accessing files.
struct RingSegmentList: Sendable {
    struct Segment: Sendable, Equatable {
        var number: Int
        /// The times of the first and last event in nanoseconds since the start of the recording, or nil if the segment
        /// has no events.
        var first: Int64?
        var last: Int64?
        var size: Int64
    }

    /// The number of segments in a full ring. A segment lasts at most one eighth of the ring's duration, or 1 s if that
    /// is longer. Only whole segments are removed, so the ring may exceed its duration by one segment.
    static let segmentsPerRing: Int64 = 8
    /// The minimum size of a segment in bytes. Smaller segments would consist mostly of headers.
    static let minimumSegmentSize: Int64 = 65_536
    let duration: Int64
    let size: Int64
    private(set) var segments: [Segment] = []
    /// The start of the period to be saved, in nanoseconds since the start of the recording, or nil if there is no
    /// trigger. Later events are kept regardless of their age, unless the ring exceeds its maximum size.
    var retainedSince: Int64?
    /// The number of the last segment that is being read. This segment and all earlier segments are kept, even if the
    /// ring exceeds its maximum size.
    var lastPinnedSegment: Int?
    private var lastNumber = 0
    /// True while the last segment is being written.
    private(set) var isOpen = false

    /// Creates a list. `duration` is in nanoseconds. `size` is the maximum total size of the segments, in bytes.
    init(duration: Int64, size: Int64) {
        self.duration = max(duration, 1)
        self.size = max(size, Self.minimumSegmentSize * Self.segmentsPerRing)
    }

    private var segmentDuration: Int64 { max(duration / Self.segmentsPerRing, 1_000_000_000) }
    private var segmentSize: Int64 { size / Self.segmentsPerRing }
    var total: Int64 { segments.reduce(0) { $0 + $1.size } }

    /// Returns true if `count` bytes of events at the given time must be written to a new segment.
    func needsSegment(for count: Int64, at time: Int64) -> Bool {
        guard isOpen, let current = segments.last else { return true }
        // A segment that contains only a header accepts an event of any size.
        guard let first = current.first else { return false }
        return time.subtractingSaturated(first) >= segmentDuration || current.size + count > segmentSize
    }

    mutating func begin() -> Int {
        lastNumber += 1
        let number = lastNumber
        segments.append(Segment(number: number, size: 0))
        isOpen = true
        return number
    }

    /// Adds the size of the header and the initial state to the last segment.
    mutating func recordHeader(size: Int64) {
        if let lastIndex = segments.indices.last { segments[lastIndex].size += size }
    }

    /// Ends the current segment. The next event begins a new segment.
    mutating func close() { isOpen = false }

    mutating func recordWrite(_ count: Int64, from first: Int64, to last: Int64) {
        guard let lastIndex = segments.indices.last else { return }
        segments[lastIndex].size += count
        segments[lastIndex].first = segments[lastIndex].first ?? first
        segments[lastIndex].last = last
    }

    /// Removes the segments that are older than the ring's duration. Then removes the oldest remaining segments until
    /// the given number of bytes fits. Returns the numbers of all removed segments.
    mutating func expire(toWrite count: Int64, at time: Int64) -> [Int] {
        let from = min(retainedSince ?? .max, time.subtractingSaturated(duration))
        var expired: [Int] = []
        // The segment being written is always kept.
        while let oldest = segments.first, segments.count > (isOpen ? 1 : 0) {
            if let lastPinnedSegment, oldest.number <= lastPinnedSegment { break }
            let isOld = segments.count > 1 && (segments[1].first ?? .max) <= from
            guard isOld || total + count > size else { break }
            expired.append(oldest.number)
            segments.removeFirst()
        }
        return expired
    }
}

/// The file name of a segment: `segment-00000012.trace`, or `former-1-segment-00000012.trace` for an earlier recorder.
/// A recorder finds leftovers by these names, so they must not change.
struct RingSegmentName: Equatable {
    private static let prefix = "segment-"
    private static let formerPrefix = "former-"
    private static let suffix = ".trace"
    /// The range of valid numbers. It is larger than any recording needs, but small enough to prevent overflow.
    private static let validNumbers = 1..<1_000_000_000
    /// The number of the earlier recorder, or nil for a segment of the current ring.
    var recorderNumber: Int?
    var number: Int

    init(recorder: Int? = nil, number: Int) {
        self.recorderNumber = recorder
        self.number = number
    }

    init?(_ name: String) {
        var rest = name[...]
        if rest.hasPrefix(Self.formerPrefix) {
            rest.removeFirst(Self.formerPrefix.count)
            guard let end = rest.firstIndex(of: "-"), let recorder = Int(rest[..<end]),
                Self.validNumbers.contains(recorder)
            else { return nil }
            self.recorderNumber = recorder
            rest = rest[rest.index(after: end)...]
        }
        guard rest.hasPrefix(Self.prefix), rest.hasSuffix(Self.suffix),
            let number = Int(rest.dropFirst(Self.prefix.count).dropLast(Self.suffix.count)),
            Self.validNumbers.contains(number)
        else { return nil }
        self.number = number
        // Rejects names in which a number has a sign or the wrong number of leading zeros.
        guard text == name else { return nil }
    }

    var text: String {
        let digits = String(number)
        let zeros = String(repeating: "0", count: max(0, 8 - digits.utf8.count))
        return (recorderNumber.map { "\(Self.formerPrefix)\($0)-" } ?? "") + Self.prefix + zeros + digits + Self.suffix
    }
}
