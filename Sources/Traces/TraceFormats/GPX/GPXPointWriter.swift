// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// Writes the points of a path as trace events.
struct GPXPointWriter {
    /// The time between the last point of a segment and the report without a fix that ends the segment, in nanoseconds
    /// (1 s). The actual time is shorter if the next segment starts less than two seconds after that point.
    static let gap: Int64 = 1_000_000_000
    /// The maximum total size of the reports that are sorted in memory, in bytes (256 MiB).
    private static let maximumSortedSize = 256 << 20
    private(set) var derivedMotionCount = 0
    private var positionCount = 0
    /// The number of positions with neither an accuracy nor a dilution of precision.
    private var unknownAccuracyCount = 0
    /// The last point's time, in nanoseconds since the start of the trace.
    private(set) var last: Int64?
    /// The civil time at time zero, in nanoseconds since 1970, or nil if unknown.
    private let start: Int64?
    private let name: String
    private let derivesMotion: Bool
    private let accuracy: Double?
    private let needsSorting: Bool
    private var motion = DerivedMotion()
    private var spreader = EqualTimeSpreader<Item>()
    private var beginning = PathBoundary.segment
    /// For each occupied time, the later time at which to continue searching for a free one. Used if `needsSorting` is
    /// true.
    private var nextFreeTime: [Int64: Int64] = [:]
    private var recording = Recording()
    private var size = 0

    private enum PathBoundary {
        case nothing, segment, part
    }

    private struct Item {
        var point: GPXPoint
        var beginning: PathBoundary
    }

    init(start: Int64?, needsSorting: Bool, _ options: GPXOptions, name: String) {
        (self.start, self.needsSorting, self.name) = (start, needsSorting, name)
        derivesMotion = options.derivesMotion
        accuracy = options.accuracy
        recording.start = start.map { WallTime(nanoseconds: $0) }
    }

    /// Writes the header. Must be called before any other method.
    func begin(_ sink: some TraceSink) throws(DeviceError) {
        if !needsSorting { try sink.write(recording.traceHeader(source: name)) }
    }

    var startsNewSegment: Bool { beginning != .nothing }

    mutating func beginPart() { beginning = .part }

    mutating func beginSegment() {
        if beginning == .nothing { beginning = .segment }
    }

    /// Appends a point, and writes the earlier points whose final times are now known. `time` is in nanoseconds since
    /// the start of the trace, or nil if the point has no time.
    mutating func append(_ point: GPXPoint, at time: Int64?, to sink: some TraceSink) throws(DeviceError) {
        let item = Item(point: point, beginning: beginning)
        beginning = .nothing
        // The spreader is moved out of `self`, because the closure modifies `self`.
        var spreader = spreader
        self.spreader = EqualTimeSpreader()
        defer { self.spreader = spreader }
        try spreader.append(item, at: time, isContinuous: item.beginning == .nothing) {
            (item, time) throws(DeviceError) in
            try write(item, at: time, to: sink)
        }
    }

    private mutating func write(_ item: Item, at time: Int64, to sink: some TraceSink) throws(DeviceError) {
        let time = needsSorting ? nextFreeTime(from: time) : time
        // Parts that need sorting may overlap, so they are not separated by reports without a fix.
        if item.beginning == .part, needsSorting { last = nil }
        if item.beginning != .nothing {
            motion.reset()
            if let last, time > last {
                var lost = PositionReport()
                lost.mode = .none
                try write(lost, at: last.addingSaturated(min(Self.gap, time.subtractingSaturated(last) / 2)), to: sink)
            }
        }
        last = time
        if item.point.hasSky {
            var sky = item.point.sky
            sky.time = wallTime(time)
            try write(GPSDEncoder.encode(sky), at: time, to: sink)
        }
        var report = item.point.report
        if derivesMotion, motion.complete(&report, at: time) { derivedMotionCount += 1 }
        setAccuracy(of: &report, hdop: item.point.sky.hdop)
        try write(report, at: time, to: sink)
    }

    private mutating func setAccuracy(of report: inout PositionReport, hdop: Double) {
        guard report.mode != .none else { return }
        positionCount += 1
        guard report.horizontalError.isNaN else { return }
        if let accuracy { report.horizontalError = accuracy } else if hdop.isNaN { unknownAccuracyCount += 1 }
    }

    /// Returns the first free time, searching from the given time in steps of one millisecond. Times used by points of
    /// overlapping tracks are not free.
    private mutating func nextFreeTime(from time: Int64) -> Int64 {
        var free = time
        var occupied: [Int64] = []
        while let next = nextFreeTime[free], next > free {
            occupied.append(free)
            free = next
        }
        let next = free.addingSaturated(1_000_000)
        nextFreeTime[free] = next
        for time in occupied { nextFreeTime[time] = next }
        return free
    }

    mutating func finish(_ sink: some TraceSink) throws(DeviceError) {
        var spreader = spreader
        self.spreader = EqualTimeSpreader()
        try spreader.finish { (item, time) throws(DeviceError) in try write(item, at: time, to: sink) }
        guard needsSorting else { return }
        recording.reports.sort()
        try recording.write(to: sink, source: name)
    }

    var remarks: [String] {
        var remarks: [String] = []
        if derivedMotionCount > 0 {
            remarks.append(
                "Course, speed or climb of \(derivedMotionCount) positions were derived from the previous positions.")
        }
        if unknownAccuracyCount > 0 {
            remarks.append(
                "\(unknownAccuracyCount) of \(positionCount) positions state no accuracy, so 100 m is assumed: regions with a smaller radius are never entered, and entries into larger ones may be late or missing. Specify the accuracy with --accuracy METRES (GPXOptions.accuracy)."
            )
        }
        return remarks
    }

    private mutating func write(_ report: PositionReport, at time: Int64, to sink: some TraceSink) throws(DeviceError) {
        var report = report
        report.time = wallTime(time)
        // Nine decimals keep the times distinct if a second contains more than a thousand points.
        let decimals = time % 1_000_000 == 0 ? 3 : 9
        try write(GPSDEncoder.encode(report, timeDecimals: decimals), at: time, to: sink)
    }

    private mutating func write(_ line: [UInt8], at time: Int64, to sink: some TraceSink) throws(DeviceError) {
        guard needsSorting else {
            try sink.write(TraceEvent(time: time, .gpsd(line)))
            return
        }
        // The time and the range of the report take about 32 more bytes.
        size += line.count + 32
        guard size <= Self.maximumSortedSize else {
            throw DeviceError(
                .notSupported,
                "The points of \(name) are not in chronological order, and there are too many to sort in memory. Select one track by its number with --track."
            )
        }
        recording.reports.append(line: line, at: time)
    }

    private func wallTime(_ time: Int64) -> WallTime? { start.map { WallTime(nanoseconds: $0.addingSaturated(time)) } }
}
