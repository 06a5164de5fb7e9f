// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The clock, the rate and the availability of one sensor in `SampleAligner`.
struct SensorTiming: Sendable {
    /// The largest backward step that counts as a timestamp error, in nanoseconds. A larger step means that the clock
    /// was set back.
    private static let maximumTimestampError: Int64 = 100_000_000

    var isExpected = false
    var isLost = false
    /// True if the sensor's clock disagrees with the others. If so, its samples are treated as if measured on arrival.
    var hasForeignClock = false
    /// The number of consecutive late samples.
    var lateSampleCount = 0
    /// The timestamp assigned to the newest sample.
    var newest: SampleStamp?
    var newestArrival: BootTime?
    /// The time at which the wait for the sensor's first sample began: the first call to `recordArrival(_:)` after the
    /// sensor was requested.
    var awaitedSince: BootTime?
    var epoch: Int32 = 0
    /// The time of the newest sample on the sensor's own clock.
    private(set) var newestTime: BootTime?
    /// A ring buffer of recent intervals in nanoseconds, stored inline to avoid reference counting. Unused elements are
    /// `.max`.
    private var recentIntervals = InlineArray<16, Int64>(repeating: .max)
    private var nextStep = 0
    /// The shortest recent interval, in nanoseconds. It is not affected by lost samples.
    private(set) var interval: Int64?

    /// Returns false if the sample must be ignored. A sample much older than the previous one begins a new epoch.
    mutating func record(_ time: BootTime) -> Bool {
        defer { if newestTime.map({ time > $0 }) ?? true { newestTime = time } }
        guard let newestTime else { return true }
        let step = time.nanoseconds.subtractingSaturated(newestTime.nanoseconds)
        if step > 0 {
            add(step)
            return true
        }
        guard step < -Self.maximumTimestampError else { return false }
        epoch &+= 1
        self.newestTime = nil
        recentIntervals = InlineArray(repeating: .max)
        (nextStep, interval) = (0, nil)
        return true
    }

    private mutating func add(_ step: Int64) {
        let former = recentIntervals[nextStep]
        recentIntervals[nextStep] = step
        nextStep = nextStep + 1 == recentIntervals.count ? 0 : nextStep + 1
        if former == interval, step > former {
            var least = Int64.max
            for index in recentIntervals.indices { least = min(least, recentIntervals[index]) }
            interval = least
        }
        interval = interval.map { min($0, step) } ?? step
    }

    /// Returns the timeout in nanoseconds: three intervals, but at least 0.5 s and at most 30 s, plus the latency.
    @inline(__always) func timeout(latency: Int64) -> Int64 {
        let tripled = (interval ?? 0).multipliedReportingOverflow(by: 3)
        let slow = tripled.overflow ? Int64.max : tripled.partialValue
        return max(500_000_000, min(slow, 30_000_000_000)).addingSaturated(latency)
    }

    @inline(__always) func isSilent(at arrival: BootTime, latency: Int64) -> Bool {
        guard let reference = newestArrival ?? awaitedSince else { return false }
        return arrival.nanoseconds.subtractingSaturated(reference.nanoseconds) > timeout(latency: latency)
    }

    /// Returns true if the sensor may still deliver a sample whose timestamp is not later than `stamp`.
    @inline(__always) func isDue(by stamp: SampleStamp, _ arrival: BootTime, latency: Int64) -> Bool {
        guard isExpected, !isLost, !hasForeignClock else { return false }
        if let newest, newest >= stamp { return false }
        if isSilent(at: arrival, latency: latency) { return false }
        guard let newest, newest.epoch == stamp.epoch, let interval else { return true }
        // The next sample may arrive early, by up to a tenth of the interval.
        let due = newest.time.nanoseconds.addingSaturated(interval - interval / 10)
        return stamp.time.nanoseconds >= due
    }

    mutating func restartWaiting() {
        isLost = false
        (awaitedSince, newestArrival) = (nil, nil)
    }

    mutating func restart() {
        let (isExpected, isLost) = (isExpected, isLost)
        self = SensorTiming()
        (self.isExpected, self.isLost) = (isExpected, isLost)
    }
}

/// One sensor's samples, oldest first. The memory of removed samples is reused.
struct SampleQueue: Sendable {
    struct Item: Sendable {
        var value: SIMD3<Double>
        var stamp: SampleStamp
        var arrival: BootTime
    }

    private var items: [Item] = []
    private var head = 0

    var count: Int { items.count - head }
    var isEmpty: Bool { items.count == head }
    var firstStamp: SampleStamp? { isEmpty ? nil : items[head].stamp }
    var firstArrival: BootTime? { isEmpty ? nil : items[head].arrival }

    mutating func append(_ item: Item) { items.append(item) }

    /// Returns true if the newest sample arrived after `arrival` or belongs to another epoch.
    func hasSample(after arrival: BootTime, _ epoch: Int32) -> Bool {
        guard !isEmpty else { return false }
        let last = items.count - 1
        return items[last].arrival > arrival || items[last].stamp.epoch != epoch
    }

    mutating func popFirst() -> Item? {
        guard !isEmpty else { return nil }
        let item = items[head]
        removeFirst()
        return item
    }

    mutating func removeFirst() {
        guard !isEmpty else { return }
        head += 1
        // Compaction is the most expensive operation, so it is performed rarely.
        guard head >= 64 else { return }
        if head == items.count {
            removeAll()
        } else if head >= 512 {
            items.removeSubrange(..<head)
            head = 0
        }
    }

    mutating func removeAll() {
        items.removeAll(keepingCapacity: true)
        head = 0
    }

    mutating func restamp(_ stamp: SampleStamp) { for index in head..<items.count { items[index].stamp = stamp } }
}

/// The time of a measurement on a clock that may have been set back.
struct SampleStamp: Sendable, Hashable, Comparable {
    /// The number of times the clock has been set back.
    var epoch: Int32
    var time: BootTime

    static func < (left: SampleStamp, right: SampleStamp) -> Bool {
        left.epoch == right.epoch ? left.time < right.time : left.epoch < right.epoch
    }
}
