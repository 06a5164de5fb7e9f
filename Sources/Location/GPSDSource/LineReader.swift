// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol

/// Decodes lines and passes on what they say. It lives as long as one connection.
struct LineReader {
    private let hub: PositionHub
    /// Gives the civil time by which dates are mended; nil when they are not.
    private let rolloverClock: (any DeviceClock)?
    var watchdog: Watchdog
    private var standstill = Standstill()
    private var now = BootTime.zero
    private var counts = GPSDStatistics()
    /// Where positions are decoded, again and again.
    private var report = PositionReport()

    init(hub: PositionHub, watchdog: Watchdog, rolloverClock: (any DeviceClock)?) {
        self.hub = hub
        self.watchdog = watchdog
        self.rolloverClock = rolloverClock
        counts.connections = 1
    }

    /// True while the reports of a standstill are being read.
    var isCatchingUp: Bool { standstill.isCatchingUp }

    /// Reading begins after a pause of that many seconds.
    mutating func begin(pause: Double, limit: Double, now: BootTime) {
        self.now = now
        standstill.begin(pause: pause, limit: limit)
        if standstill.isCatchingUp { hub.discardHeld() }
    }

    /// All that was there has been read.
    mutating func finish() {
        guard standstill.isCatchingUp else { return }
        hub.together {
            for report in standstill.finish() { hub.post(report) }
        }
    }

    /// Reads one line.
    mutating func take(_ line: UnsafeRawBufferPointer, decoder: inout any ReportDecoder) {
        counts.lines += 1
        if hub.wantsLines { hub.post(line: line, arrival: now) }
        switch decoder.decode(line, position: &report) {
        case nil:
            counts.positions += 1
            heardService()
            report.arrival = now
            if hub.wantsRawReports { report.raw = [UInt8](line) }
            if let rolloverClock, let time = report.time {
                report.time = WeekRollover.repaired(time, near: rolloverClock.wallTime)
            }
            if watchdog.heardReport(now: now) { hub.setStatus(.available) }
            if standstill.isCatchingUp {
                standstill.keep(report)
            } else {
                hub.post(report)
            }
        case .sky(var sky):
            heardService()
            sky.arrival = now
            hub.post(sky)
        case .attitude(var attitude):
            heardService()
            attitude.arrival = now
            hub.post(attitude)
        case .devices(let receivers):
            heardService()
            hub.post(receivers: receivers)
        case .device(let receiver):
            heardService()
            hub.post(receiver: receiver)
        case .position, .version, .watch, .error, .other:
            heardService()
        case .malformed:
            counts.malformedLines += 1
        }
    }

    /// What was counted since the last call.
    mutating func takeCounts() -> GPSDStatistics {
        defer { counts = GPSDStatistics() }
        counts.staleReports = standstill.takeDropped()
        return counts
    }

    private mutating func heardService() {
        let isFirst = !watchdog.hasHeardService
        watchdog.heardLine(now: now)
        // The first intelligible line shows that gpsd is back.
        if isFirst { hub.setStatus(.available) }
    }
}

/// Reads one line of gpsd's: this package's decoder or libgps.
protocol ReportDecoder {
    /// What the line says. A position report is read into the argument, and the answer is nil. Never fails: a line that
    /// makes no sense is `.malformed`.
    mutating func decode(_ line: UnsafeRawBufferPointer, position: inout PositionReport) -> GPSDReport?
}

extension GPSDDecoder: ReportDecoder {}

/// Mends the date of a receiver that has lost count of GPS weeks: the signal carries ten bits of the week number, so an
/// old receiver is off by a multiple of 1024 weeks.
enum WeekRollover {
    /// 1024 weeks in nanoseconds.
    static let period: Int64 = 1024 * 7 * 86_400 * 1_000_000_000

    /// The time moved by whole rollovers to where it is nearest to the system clock.
    static func repaired(_ time: WallTime, near system: WallTime) -> WallTime {
        // What is left of the distance once whole rollovers are taken off. Each time is taken by itself: their
        // difference may be more than the range holds.
        var distance = system.nanoseconds % period - time.nanoseconds % period
        let half = period / 2
        while distance > half { distance -= period }
        while distance < -half { distance += period }
        return WallTime(nanoseconds: system.nanoseconds.subtractingSaturated(distance))
    }
}
