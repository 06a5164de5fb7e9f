// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import NMEAFormat
import Trace

struct NMEALogImport {
    /// One day in nanoseconds. A forward jump of the receiver's clock by more than a day leaves no gap in the trace.
    private static let day: Int64 = 86_400_000_000_000
    /// The GPS week number rollover period in days (1024 weeks).
    private static let rollover: Int64 = 7168
    /// The tolerance of the rollover detection, in days. A rollover is assumed if the difference between the known date
    /// and the receiver's date is within this tolerance of a multiple of the rollover period.
    private static let tolerance: Int64 = 30
    private(set) var header = TraceHeader()
    private var decoder: NMEADecoder
    private let summary: NMEALogSummary
    private let options: NMEALogOptions
    /// The `weeks` option in nanoseconds, which is added to the receiver's dates.
    private let weekShift: Int64
    /// The source of the date, for the remarks. Empty if the sentences contain the date.
    private var dateOrigin = ""
    private let hasArrivals: Bool
    private var start: Int64
    private var motion = DerivedMotion()
    private let derivesMotion: Bool
    private var derivedMotionCount = 0
    private var diagnostics = InputDiagnostics()
    private var line = 0
    private var grouper = NMEAMeasurementGrouper()
    private var completedEntries: [NMEAMeasurementGrouper.Entry] = []
    /// The last event's trace time, and the receiver's clock time at that event, both in nanoseconds.
    private var time: Int64 = 0
    private var clock: Int64?
    private var positionsWithoutTime = 0
    private var backwardStepCount = 0
    private var jumpCount = 0
    private var pendingReports: [NMEAReport] = []

    init(_ name: String, _ summary: NMEALogSummary, _ options: NMEALogOptions) {
        self.summary = summary
        self.options = options
        weekShift = Int64(max(-10_000, min(options.weeks, 10_000))) * 7 * Self.day
        var known = NMEADecoderOptions()
        known.allowsMissingChecksum = summary.allowsMissingChecksum
        if let date = summary.date {
            known.date = date
        } else if let date = options.date {
            known.date = date
            dateOrigin = "the options"
        } else if let date = summary.commentDate {
            known.date = date
            dateOrigin = "a comment"
        } else if let arrival = summary.firstArrival {
            known.date = Self.date(of: summary.firstTime ?? 0, at: arrival)
            dateOrigin = "the arrival times"
        }
        decoder = NMEADecoder(options: known)
        derivesMotion = options.derivesMotion && !summary.hasMotion
        hasArrivals = summary.firstArrival != nil
        start = 0
        if let arrival = summary.firstArrival {
            start = arrival.nanoseconds
        } else if let date = known.date, let time = summary.firstTime {
            let midnight = date.nanoseconds - Self.modulo(date.nanoseconds, Self.day)
            start = midnight.addingSaturated(Self.modulo(time, Self.day)).addingSaturated(weekShift)
        }
        if hasArrivals || known.date != nil {
            header = TraceHeader(start: .init(wallTime: WallTime(nanoseconds: start), boot: .zero))
        }
        header.clock = ""
        header.source = name
    }

    /// Returns the start of the day on which the time of day of `time` is closest to `instant`.
    private static func date(of time: Int64, at instant: WallTime) -> WallTime {
        let midnight = instant.nanoseconds - modulo(instant.nanoseconds, day)
        let difference = instant.nanoseconds - midnight - modulo(time, day)
        if difference > day / 2 { return WallTime(nanoseconds: midnight.addingSaturated(day)) }
        if difference < -day / 2 { return WallTime(nanoseconds: midnight.subtractingSaturated(day)) }
        return WallTime(nanoseconds: midnight)
    }

    private static func modulo(_ value: Int64, _ divisor: Int64) -> Int64 {
        let rest = value % divisor
        return rest < 0 ? rest + divisor : rest
    }

    mutating func process(_ line: NMEALogLines.Line, number: Int, _ sink: some TraceSink) throws(DeviceError) {
        self.line = number
        switch line {
        // `NMEALogSummary` has already read the date.
        case .date: break
        case .other(let text):
            diagnostics.record("the line contains no sentence and was skipped", line: number, text: Self.text(text))
        case .sentences(let text, let arrival):
            let before = decoder.counts
            decoder.line = number
            decoder.decode(text, arrival: arrival) { pendingReports.append($0) }
            record(text, since: before)
            if !pendingReports.isEmpty { try appendPendingReports(sink) }
        }
    }

    mutating func finish(_ sink: some TraceSink) throws(DeviceError) {
        let before = decoder.counts
        decoder.finish { pendingReports.append($0) }
        record(UnsafeRawBufferPointer(start: nil, count: 0), since: before)
        try appendPendingReports(sink)
        grouper.finish(&completedEntries)
        try writeComplete(sink)
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix(320), as: UTF8.self)
    }

    /// Records the problems that the decoder found in a line.
    private mutating func record(_ bytes: UnsafeRawBufferPointer, since before: NMEACounts) {
        let counts = decoder.counts
        record(
            counts.invalid - before.invalid,
            "the sentence has a wrong or missing checksum, or is truncated, and was skipped", bytes)
        record(
            counts.withoutChecksum - before.withoutChecksum, "the sentence has no checksum and was used unchecked",
            bytes)
        record(counts.unsupported - before.unsupported, "the sentence is of an unsupported kind and was skipped", bytes)
        record(
            counts.otherDatums - before.otherDatums,
            "the sentence names a datum other than WGS 84; positions were not converted", bytes)
        for issue in decoder.drainIssues() { diagnostics.record(issue.message, line: issue.line, text: issue.text) }
    }

    private mutating func record(_ count: Int, _ message: String, _ bytes: UnsafeRawBufferPointer) {
        guard count > 0 else { return }
        diagnostics.record(message, at: "line \(line)", text: Self.text(bytes), count: count)
    }

    private mutating func appendPendingReports(_ sink: some TraceSink) throws(DeviceError) {
        for report in pendingReports { grouper.append(report, line: line, to: &completedEntries) }
        pendingReports.removeAll(keepingCapacity: true)
        try writeComplete(sink)
    }

    private mutating func writeComplete(_ sink: some TraceSink) throws(DeviceError) {
        defer { completedEntries.removeAll(keepingCapacity: true) }
        for entry in completedEntries {
            let impossible: Int
            advanceTime(to: entry.report, shift: entry.shift)
            let line: [UInt8]
            switch entry.report.contents {
            case .position(var position):
                impossible = position.discardOutOfRangeValues()
                position.time = shifted(position.time, entry.shift)
                if entry.shift > 0 { recordSpread(position, line: entry.line) }
                if derivesMotion, motion.complete(&position, at: time) { derivedMotionCount += 1 }
                line = GPSDEncoder.encode(position, timeDecimals: entry.shift % 1_000_000 == 0 ? 3 : 9)
            case .sky(var sky):
                impossible = sky.discardOutOfRangeValues()
                sky.time = shifted(sky.time, entry.shift)
                line = GPSDEncoder.encode(sky)
            case .attitude(var attitude):
                impossible = attitude.discardOutOfRangeValues()
                line = GPSDEncoder.encode(attitude)
            }
            diagnostics.record(
                "a number is impossible and was ignored", at: "the epoch that ends in line \(entry.line)", text: "",
                count: impossible)
            try sink.write(TraceEvent(time: time, .gpsd(line)))
        }
    }

    private mutating func recordSpread(_ position: PositionReport, line: Int) {
        diagnostics.record(
            "the position has the same time as the previous one; positions with equal times were spread over the interval to the next time, at most one second",
            at: "the epoch that ends in line \(line)", text: position.coordinates)
    }

    private func shifted(_ time: WallTime?, _ more: Int64) -> WallTime? {
        time.map { WallTime(nanoseconds: $0.nanoseconds.addingSaturated(weekShift).addingSaturated(more)) }
    }

    /// Sets `time` to the trace time of a report. `shift`, in nanoseconds, is added to the receiver's time.
    private mutating func advanceTime(to report: NMEAReport, shift: Int64) {
        if hasArrivals {
            guard let arrival = report.arrival else { return }
            let requestedTime = arrival.nanoseconds.subtractingSaturated(start)
            if requestedTime < time { backwardStepCount += 1 }
            time = max(time, requestedTime)
            return
        }
        guard let now = report.epochTime?.addingSaturated(shift) else {
            if case .position(let position) = report.contents, position.hasFix {
                if positionsWithoutTime > 0 { time = time.addingSaturated(1_000_000_000) }
                positionsWithoutTime += 1
            }
            return
        }
        defer { clock = now }
        guard let clock else {
            if positionsWithoutTime > 0 { time = time.addingSaturated(1_000_000_000) }
            return
        }
        let step = now.subtractingSaturated(clock)
        if step < 0 {
            backwardStepCount += 1
            if step < -Self.day { jumpCount += 1 }
        } else if step > Self.day {
            jumpCount += 1
        } else {
            time = time.addingSaturated(step)
        }
    }

    var remarks: [String] {
        let counts = decoder.counts
        var remarks = diagnostics.remarks
        remarks.appendRemark(count: counts.incompleteSkies, "satellite lists were incomplete and were skipped.")
        remarks.appendRemark(
            count: counts.undated,
            "positions have no time, because no sentence contains the date. Set the date with --date.")
        remarks.appendRemark(
            count: positionsWithoutTime, "positions precede the first time and were placed one second apart.")
        remarks.appendRemark(
            count: counts.ignoredReceiverSentences,
            "sentences of further receivers were skipped, because there are too many receivers.")
        if !dateOrigin.isEmpty, counts.undated == 0 {
            remarks.append("No sentence at the beginning contains the date; it was taken from \(dateOrigin).")
        }
        remarks.appendRemark(
            count: backwardStepCount,
            "times were earlier than the previous ones; the time of the trace does not advance there.")
        remarks.appendRemark(
            count: jumpCount,
            "times differed from the previous ones by more than a day; the trace continues there without a gap.")
        remarks.appendRemark(
            count: derivedMotionCount,
            "positions have a speed or course derived from the previous position, because no sentence contains it.")
        if options.weeks == 0, let date = summary.date,
            let known = options.date ?? summary.commentDate ?? summary.firstArrival
        {
            let days = known.nanoseconds.subtractingSaturated(date.nanoseconds) / Self.day
            let rollovers = (days + (days < 0 ? -Self.rollover / 2 : Self.rollover / 2)) / Self.rollover
            if rollovers != 0, abs(days - rollovers * Self.rollover) <= Self.tolerance {
                remarks.append(
                    "The receiver's dates are \(days) days early, which suggests an overflow of its 1024-week counter. They were not changed; correct them with the option weeks = \(rollovers * 1024) (--weeks)."
                )
            }
        }
        return remarks
    }
}
