// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import GPSDProtocol
import TestSupport
import Testing

@testable import GPSDSource

@Suite("Value types of the gpsd client")
struct ValueTests {
    private static func at(_ seconds: Double) -> BootTime { BootTime.zero.advanced(bySeconds: seconds) }

    // MARK: Backoff

    @Test("The backoff doubles up to its limit and restarts after a reset")
    func backoff() {
        var backoff = Backoff(first: 0.25, limit: 3)
        for seconds in [0.25, 0.5, 1, 2, 3, 3] { #expect(backoff.nextDelay() == seconds) }
        backoff.reset()
        #expect(backoff.nextDelay() == 0.25)
    }

    @Test("Thousands of failures do not overflow the backoff")
    func longBackoff() {
        var backoff = Backoff(first: 0.25, limit: 10)
        for _ in 0..<5_000 { _ = backoff.nextDelay() }
        #expect(backoff.nextDelay() == 10)
    }

    // MARK: Link

    @Test("Lines that are waiting are read before a timeout is reported")
    func readsBeforeTimeout() throws {
        let clock = JumpClock()
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let peer = FakePeer(descriptor: ends[1], number: 1) { false }
        let settings = GPSDSettings(
            address: PositionSourceAddress(client: .native, host: "none", port: 1), clock: clock,
            repairsWeekRollover: false, timing: GPSDTiming())
        let (hub, log) = (PositionHub {}, EventLog())
        let subscription = hub.subscribe(
            PositionRequest(includesAllReports: true), receive: log.receive, onBatchComplete: {})
        let connection = GPSDConnection(
            settings, socket: Socket(descriptor: ends[0]), decoder: GPSDDecoder(), hub: hub, count: { _ in })
        peer.send(FakePeer.greeting)
        peer.send(Lines.fix(1, tenths: 1))
        #expect(try connection.readAvailable(.executor(dueTime: clock.now)) == .drained)
        peer.send(Lines.fix(2, tenths: 2))
        // Longer than the silence timeout.
        clock.jump(seconds: 11)
        _ = try connection.readAvailable(.thread(isReadable: false))
        #expect(log.events.numbers == [1, 2])
        #expect(log.events.losses.isEmpty)
        clock.jump(seconds: 11)
        _ = try connection.readAvailable(.thread(isReadable: false))
        #expect(log.events.losses.count == 1)
        subscription.cancel()
    }

    // MARK: Watchdog

    /// Silence after 10 s, a question each five minutes of silence, an answer within 5 s.
    private static func watchdog() -> Watchdog { Watchdog(timing: GPSDTiming(), now: .zero) }

    @Test("The watchdog gives up on a service that sends no greeting")
    func noGreeting() {
        var watchdog = Self.watchdog()
        #expect(watchdog.deadline == Self.at(5))
        #expect(watchdog.check(now: Self.at(4.9)) == .none)
        #expect(watchdog.check(now: Self.at(5)) == .closeConnection)
        #expect(!watchdog.hasReceivedValidLine)
    }

    @Test("Ten seconds without a report are reported as silence once")
    func silence() {
        var watchdog = Self.watchdog()
        watchdog.recordValidLine(now: Self.at(1))
        #expect(watchdog.deadline == Self.at(10))
        #expect(watchdog.check(now: Self.at(10)) == .reportSilence)
        #expect(watchdog.check(now: Self.at(10)) == .none)
        #expect(watchdog.deadline == Self.at(301))
        // Satellite reports show that gpsd is alive, even without a position.
        watchdog.recordValidLine(now: Self.at(20))
        #expect(watchdog.deadline == Self.at(320))
        let endsSilence = [21.0, 22].map { watchdog.recordReport(now: Self.at($0)) }
        #expect(endsSilence == [true, false])
        #expect(watchdog.deadline <= Self.at(32))
    }

    @Test("The watchdog probes a silent connection and gives up on it if there is no answer")
    func probe() {
        var watchdog = Self.watchdog()
        watchdog.recordValidLine(now: .zero)
        #expect(watchdog.check(now: Self.at(10)) == .reportSilence)
        #expect(watchdog.check(now: Self.at(300)) == .probe)
        #expect(watchdog.deadline == Self.at(305))
        #expect(watchdog.check(now: Self.at(304)) == .none)
        watchdog.recordValidLine(now: Self.at(304.5))
        #expect(watchdog.check(now: Self.at(305)) == .none)
        #expect(watchdog.check(now: Self.at(604.5)) == .probe)
        #expect(watchdog.check(now: Self.at(609.5)) == .closeConnection)
    }

    @Test("The deadline is in the future after each check")
    func deadlines() {
        var watchdog = Self.watchdog()
        watchdog.recordValidLine(now: .zero)
        var now = BootTime.zero
        for _ in 0..<100 {
            now = max(now, watchdog.deadline)
            while watchdog.deadline <= now {
                let action = watchdog.check(now: now)
                if action == .none || action == .closeConnection { break }
            }
            watchdog.recordValidLine(now: now)
            #expect(watchdog.deadline > now)
        }
    }

    @Test("New subscribers get the full time until a silence, unless one was reported")
    func restart() {
        var watchdog = Self.watchdog()
        watchdog.recordValidLine(now: .zero)
        watchdog.restart(now: Self.at(8))
        watchdog.recordValidLine(now: Self.at(17))
        #expect(watchdog.check(now: Self.at(17.9)) == .none)
        #expect(watchdog.check(now: Self.at(18)) == .reportSilence)
        watchdog.restart(now: Self.at(19))
        watchdog.recordValidLine(now: Self.at(39))
        #expect(watchdog.check(now: Self.at(40)) == .none)
        let endsSilence = watchdog.recordReport(now: Self.at(41))
        #expect(endsSilence)
    }

    // MARK: Suspension

    private static func report(_ number: Double, receiver: String = "A", time: Double? = nil) -> PositionReport {
        var report = PositionReport()
        report.receiver = receiver
        report.latitude = number
        report.time = time.flatMap { WallTime(seconds: $0) }
        return report
    }

    @Test("A short pause is not a suspension")
    func shortSuspension() {
        var filter = StaleReportFilter()
        filter.begin(pause: 1.9, limit: 2)
        #expect(!filter.isCatchingUp)
        filter.begin(pause: 2, limit: 2)
        #expect(filter.isCatchingUp)
    }

    @Test("After a suspension, the newest epoch of each receiver is kept")
    func newestEpoch() {
        var filter = StaleReportFilter()
        filter.begin(pause: 60, limit: 2)
        filter.append(Self.report(1, time: 1))
        filter.append(Self.report(2, receiver: "B", time: 1))
        filter.append(Self.report(3, time: 2))
        filter.append(Self.report(4, time: 3))
        filter.append(Self.report(5, time: 3))
        filter.append(Self.report(6, receiver: "C"))
        filter.append(Self.report(7, receiver: "C"))
        #expect(filter.finish().map(\.latitude) == [4, 5, 2, 7])
        #expect(filter.drainDroppedCount() == 3)
        #expect(filter.drainDroppedCount() == 0)
        #expect(!filter.isCatchingUp)
        #expect(filter.finish().isEmpty)
    }

    @Test("The number of kept reports is bounded, and every dropped report is counted")
    func boundedFilter() {
        var filter = StaleReportFilter()
        filter.begin(pause: 60, limit: 2)
        for number in 0..<10_000 {
            filter.append(Self.report(Double(number), receiver: "\(number % 1_000)", time: 1))
            filter.append(Self.report(Double(number), receiver: "same", time: 1))
        }
        let retained = filter.finish()
        #expect(retained.count <= 64 * 64)
        #expect(retained.count + filter.drainDroppedCount() == 20_000)
    }

    // MARK: Week rollover

    /// 1024 weeks of seven days.
    private static let period = 1_024.0 * 7 * 86_400

    @Test("A time is shifted by whole rollovers to the one nearest to now", arguments: [-3.0, -1, 0, 1, 2])
    func rollover(periods: Double) throws {
        let now = try #require(WallTime(seconds: 1_555_070_400))
        for offset in [-3_600.0, 0, 86_400, Self.period / 2 - 10, -Self.period / 2 + 10] {
            let time = try #require(WallTime(seconds: now.seconds + offset + periods * Self.period))
            #expect(WeekRollover.corrected(time, near: now).seconds == now.seconds + offset)
        }
    }

    @Test(
        "Extreme times are repaired without a crash",
        arguments: [
            Int64.min, Int64.min + 1, -9_000_000_000_000_000_000, -7_400_000_000_000_000_000,
            -7_258_118_400_000_000_000, -1,
            0, 1,
            9_000_000_000_000_000_000, Int64.max - 1, Int64.max,
        ] as [Int64])
    func extremeRollover(nanoseconds: Int64) {
        for now: Int64 in [.min, -1, 0, 1_790_000_000_000_000_000, .max - 1, .max] {
            let repaired = WeekRollover.corrected(WallTime(nanoseconds: nanoseconds), near: WallTime(nanoseconds: now))
            // The result is at most half a rollover from now, as far as the range permits.
            #expect(abs(repaired.seconds(since: WallTime(nanoseconds: now))) <= Self.period / 2 + 1)
        }
    }
}
