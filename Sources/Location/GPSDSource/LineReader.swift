// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol

/// Decodes the lines of one connection and publishes the reports.
struct LineReader {
    private let hub: PositionHub
    /// The clock used to correct dates, or nil to leave dates uncorrected.
    private let rolloverClock: (any DeviceClock)?
    var watchdog: Watchdog
    private var staleReportFilter = StaleReportFilter()
    private var now = BootTime.zero
    private var counts = GPSDStatistics()
    private let unreadableLines: UnreadableLines
    private var overlongLineCount = 0
    /// Reused for every position report.
    private var report = PositionReport()

    init(
        hub: PositionHub, watchdog: Watchdog, rolloverClock: (any DeviceClock)?, unreadableLines: UnreadableLines
    ) {
        (self.hub, self.watchdog, self.rolloverClock) = (hub, watchdog, rolloverClock)
        self.unreadableLines = unreadableLines
        counts.connections = 1
    }

    /// True while the reader processes reports that accumulated while the process was suspended.
    var isCatchingUp: Bool { staleReportFilter.isCatchingUp }

    /// Begins a read. `pause` is the time since the last activity, in seconds. If this time is at least `limit`, the
    /// process is assumed to have been suspended.
    mutating func begin(pause: Double, limit: Double, now: BootTime) {
        self.now = now
        staleReportFilter.begin(pause: pause, limit: limit)
        if staleReportFilter.isCatchingUp { hub.discardPending() }
    }

    mutating func finish() {
        guard staleReportFilter.isCatchingUp else { return }
        hub.withBatch {
            for report in staleReportFilter.finish() { hub.post(report) }
        }
    }

    mutating func process(_ line: UnsafeRawBufferPointer, decoder: inout any ReportDecoder) {
        counts.lines += 1
        if hub.wantsLines { hub.post(line: line, arrival: now) }
        switch decoder.decode(line, position: &report) {
        case nil:
            counts.positions += 1
            recordValidLine()
            report.arrival = now
            if hub.wantsRawReports { report.raw = [UInt8](line) }
            if let rolloverClock, let time = report.time {
                report.time = WeekRollover.corrected(time, near: rolloverClock.wallTime)
            }
            if watchdog.recordReport(now: now) { hub.setStatus(.available) }
            if staleReportFilter.isCatchingUp {
                staleReportFilter.append(report)
            } else {
                hub.post(report)
            }
        case .sky(var sky):
            recordValidLine()
            sky.arrival = now
            hub.post(sky)
        case .attitude(var attitude):
            recordValidLine()
            attitude.arrival = now
            hub.post(attitude)
        case .devices(let receivers):
            recordValidLine()
            hub.post(receivers: receivers)
        case .device(let receiver):
            recordValidLine()
            hub.post(receiver: receiver)
        case .position, .version, .watch, .error, .other:
            recordValidLine()
        case .malformed(let problem):
            counts.malformedLines += 1
            unreadableLines.record(line, problem)
        }
    }

    /// Records lines that the framer has discarded because they were too long. `count` is the total so far.
    mutating func recordOverlongLines(_ count: Int) {
        unreadableLines.record(overlongLines: count - overlongLineCount)
        overlongLineCount = count
    }

    mutating func drainCounts() -> GPSDStatistics {
        defer { counts = GPSDStatistics() }
        counts.staleReports = staleReportFilter.drainDroppedCount()
        return counts
    }

    private mutating func recordValidLine() {
        let isFirst = !watchdog.hasReceivedValidLine
        watchdog.recordValidLine(now: now)
        // The first valid line shows that gpsd is available again.
        if isFirst { hub.setStatus(.available) }
    }
}

/// A decoder of gpsd's lines: `GPSDDecoder` or libgps.
protocol ReportDecoder {
    /// Decodes a line. If the line contains a position report, stores it in `position` and returns nil. Otherwise,
    /// returns the report.
    mutating func decode(_ line: UnsafeRawBufferPointer, position: inout PositionReport) -> GPSDReport?
}

extension GPSDDecoder: ReportDecoder {}

/// Corrects dates after a GPS week rollover. The signal contains only ten bits of the week number, so the date from an
/// old receiver can be off by a multiple of 1024 weeks.
enum WeekRollover {
    /// 1024 weeks in nanoseconds.
    static let period: Int64 = 1024 * 7 * 86_400 * 1_000_000_000

    /// Shifts a time by the multiple of 1024 weeks that brings it closest to the system time.
    static func corrected(_ time: WallTime, near system: WallTime) -> WallTime {
        // Subtracts the remainders, because the difference between the full times may overflow.
        var distance = system.nanoseconds % period - time.nanoseconds % period
        let half = period / 2
        while distance > half { distance -= period }
        while distance < -half { distance += period }
        return WallTime(nanoseconds: system.nanoseconds.subtractingSaturated(distance))
    }
}

/// Drops the position reports that accumulated while the process was suspended, except for the newest epoch of each
/// receiver. If a receiver reports so rarely that every pause reaches the limit, each read is treated as if the process
/// had been suspended. Even then, no reports are lost, because only one epoch is pending.
struct StaleReportFilter: Sendable {
    /// The maximum number of receivers. It is also the maximum number of reports per epoch.
    private static let capacity = 64

    private struct Epoch {
        let receiver: String
        var reports: [PositionReport]
    }

    private var newestEpochs: [Epoch] = []
    private(set) var isCatchingUp = false
    private var dropped = 0

    /// Begins a read. `pause` and `limit` are in seconds.
    mutating func begin(pause: Double, limit: Double) { isCatchingUp = pause >= limit }

    mutating func append(_ report: PositionReport) {
        guard let index = newestEpochs.firstIndex(where: { $0.receiver == report.receiver }) else {
            if newestEpochs.count < StaleReportFilter.capacity {
                newestEpochs.append(Epoch(receiver: report.receiver, reports: [report]))
            } else {
                dropped += 1
            }
            return
        }
        if report.time == nil || report.time != newestEpochs[index].reports.last?.time {
            dropped += newestEpochs[index].reports.count
            newestEpochs[index].reports = []
        } else if newestEpochs[index].reports.count == StaleReportFilter.capacity {
            dropped += 1
            newestEpochs[index].reports.removeFirst()
        }
        newestEpochs[index].reports.append(report)
    }

    mutating func finish() -> [PositionReport] {
        defer {
            newestEpochs.removeAll()
            isCatchingUp = false
        }
        return newestEpochs.flatMap(\.reports)
    }

    mutating func drainDroppedCount() -> Int {
        defer { dropped = 0 }
        return dropped
    }
}
