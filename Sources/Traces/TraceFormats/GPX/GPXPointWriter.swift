// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// Writes points of a way as events of a trace.
struct GPXPointWriter {
    /// How long after the last point of a segment positions are lost, in nanoseconds.
    static let gap: Int64 = 1_000_000_000
    /// The most bytes that are sorted in memory.
    private static let largestSorted = 256 << 20

    /// Course, speed or climb of so many points were derived.
    private(set) var derived = 0
    private var impossibleValues = 0
    /// The time of the last point, in nanoseconds since the start.
    private(set) var last: Int64?
    /// True when the next point begins a segment.
    var isBroken = true
    /// Civil time at time zero, in nanoseconds since 1970; nil when it is not known.
    private let start: Int64?
    private let name: String
    private let derivesMotion: Bool
    private let needsSorting: Bool
    private var motion = DerivedMotion()
    /// What is sorted before it is written, where that has to be.
    private var recording = Recording()
    private var size = 0

    init(start: Int64?, needsSorting: Bool, _ options: GPXOptions, name: String) {
        self.start = start
        self.needsSorting = needsSorting
        self.name = name
        derivesMotion = options.derivesMotion
        recording.start = start.map { WallTime(nanoseconds: $0) }
    }

    /// Writes the header, which comes first.
    func begin(_ sink: some TraceSink) throws(DeviceError) {
        if !needsSorting { try sink.write(recording.traceHeader(source: name)) }
    }

    /// Another track or route begins.
    mutating func beginPart() {
        motion.restart()
        isBroken = true
        if needsSorting { last = nil }
    }

    /// Writes a point that was there so many nanoseconds after the start.
    mutating func write(_ point: GPXPoint, at time: Int64, to sink: some TraceSink) throws(DeviceError) {
        if isBroken {
            motion.restart()
            if let last, time > last {
                var lost = PositionReport()
                lost.mode = .none
                try write(lost, at: last.addingSaturated(min(Self.gap, time.subtractingSaturated(last) / 2)), to: sink)
            }
            isBroken = false
        }
        last = time
        if point.hasSky {
            var sky = point.sky
            impossibleValues += sky.refuseImpossibleValues()
            sky.time = wallTime(time)
            try write(GPSDEncoder.line(sky), at: time, to: sink)
        }
        var report = point.report
        impossibleValues += report.refuseImpossibleValues()
        if derivesMotion, motion.complete(&report, at: time) { derived += 1 }
        try write(report, at: time, to: sink)
    }

    /// Writes what waits for being sorted.
    mutating func finish(_ sink: some TraceSink) throws(DeviceError) {
        guard needsSorting else { return }
        recording.reports.settle()
        try recording.write(to: sink, source: name)
    }

    /// What somebody should know.
    var remarks: [String] {
        var remarks: [String] = []
        remarks.tell(impossibleValues, Recording.impossibleValues)
        if derived > 0 {
            remarks.append(
                "Course, speed or climb of \(derived) positions were derived from the positions before them.")
        }
        return remarks
    }

    private mutating func write(_ report: PositionReport, at time: Int64, to sink: some TraceSink) throws(DeviceError) {
        var report = report
        report.time = wallTime(time)
        try write(GPSDEncoder.line(report), at: time, to: sink)
    }

    private mutating func write(_ line: [UInt8], at time: Int64, to sink: some TraceSink) throws(DeviceError) {
        guard needsSorting else {
            try sink.write(TraceEvent(time: time, .gpsd(line)))
            return
        }
        size += line.count + 32
        guard size <= Self.largestSorted else {
            throw DeviceError(
                .notSupported,
                "The points of \(name) are not in the order of time, and are too many to be sorted in memory. --track chooses one by its number."
            )
        }
        recording.reports.append(line: line, at: time)
    }

    private func wallTime(_ time: Int64) -> WallTime? {
        start.map { WallTime(nanoseconds: $0.addingSaturated(time)) }
    }
}
