// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import IIOSource

@Suite("Timestamp correction")
struct TimestampCorrectorTests {
    private static func correct(
        _ corrector: inout TimestampCorrector, _ stamps: [Int64], arrival: Int64, measured: Int64? = nil
    ) -> [Int64] {
        var times = stamps.map { BootTime(nanoseconds: $0 &+ corrector.offset) }
        let isValid = times.withUnsafeMutableBufferPointer {
            corrector.correct($0, arrival: BootTime(nanoseconds: arrival)) { _ in measured }
        }
        return isValid ? times.map(\.nanoseconds) : []
    }

    private static let second: Int64 = 1_000_000_000
    private static let millisecond: Int64 = 1_000_000

    @Test("Timestamps of the device's own clock do not change")
    func same() {
        var corrector = TimestampCorrector(base: .device, interval: 0.01)
        #expect(Self.correct(&corrector, [100, 200, 300], arrival: 400) == [100, 200, 300])
    }

    @Test("Timestamps from a clock other than the reported one are detected with any decimation factor")
    func wrongClock() {
        for decimation in [1, 10] {
            // The limit is five seconds plus twice the duration of a full buffer at 100 Hz.
            for (late, isWrong) in [(86, false), (88, true)] as [(Int64, Bool)] {
                var corrector = TimestampCorrector(
                    base: .device, interval: 0.01 * Double(decimation), decimation: decimation)
                _ = Self.correct(&corrector, [Self.second], arrival: Self.second * (1 + late))
                #expect((corrector.base == .remote) == isWrong)
            }
        }
    }

    @Test("Timestamps of another machine are converted using the minimum delay")
    func remote() {
        let ms = Self.millisecond
        var corrector = TimestampCorrector(base: .remote, interval: 0.01)
        // The remote clock is 1000 s behind, and the delays are 5, 2 and 7 ms.
        let start = 1000 * Self.second
        #expect(Self.correct(&corrector, [10 * ms], arrival: start + 15 * ms) == [start + 15 * ms])
        #expect(Self.correct(&corrector, [20 * ms], arrival: start + 22 * ms) == [start + 22 * ms])
        #expect(Self.correct(&corrector, [30 * ms], arrival: start + 37 * ms) == [start + 32 * ms])
        #expect(corrector.clockSteps == 0)
    }

    @Test("A further capture keeps the known offset, even if its first samples are late")
    func furtherCapture() throws {
        let ms = Self.millisecond
        let start = 1000 * Self.second
        var first = TimestampCorrector(base: .remote, interval: 0.01)
        #expect(first.clockState == nil)
        #expect(Self.correct(&first, [10 * ms], arrival: start + 12 * ms) == [start + 12 * ms])
        let clockState = try #require(first.clockState)
        #expect(clockState.offset == start + 2 * ms)
        // 1.5 s late, and then 1 ms earlier than any before.
        var second = TimestampCorrector(base: .remote, interval: 0.01, previous: clockState)
        #expect(Self.correct(&second, [110 * ms], arrival: start + 1612 * ms) == [start + 112 * ms])
        #expect(Self.correct(&second, [120 * ms], arrival: start + 1613 * ms) == [start + 122 * ms])
        // Late samples do not confirm the offset.
        #expect(second.clockState?.time == clockState.time)
        #expect(Self.correct(&second, [1620 * ms], arrival: start + 1621 * ms) == [start + 1621 * ms])
        #expect(second.clockState?.time == BootTime(nanoseconds: start + 1621 * ms))
        #expect(second.clockSteps == 0)
        // A delay of a few milliseconds confirms the offset.
        #expect(Self.correct(&second, [2620 * ms], arrival: start + 2629 * ms) == [start + 2621 * ms])
        #expect(second.clockState?.time == BootTime(nanoseconds: start + 2629 * ms))
        // Remote machines that were restarted: one 3 s later, one earlier, and one immediately.
        let restarts = [(20, 3022), (9000, 13), (10, 1000)]
        for (stamp, arrival) in restarts.map({ (Int64($0) * ms, start + Int64($1) * ms) }) {
            var third = TimestampCorrector(base: .remote, interval: 0.01, previous: clockState)
            #expect(Self.correct(&third, [stamp], arrival: arrival) == [arrival])
            #expect(third.clockSteps == 0)
        }
        var batched = TimestampCorrector(base: .remote, interval: 0.01, previous: clockState)
        let times = Self.correct(&batched, [10 * ms, 20 * ms], arrival: start + 1000 * ms)
        #expect(times == [start + 990 * ms, start + 1000 * ms])
        // A remote clock that is ahead of the local one does not count as a clock step.
        var ahead = TimestampCorrector(base: .remote, interval: 0.01)
        #expect(Self.correct(&ahead, [2000 * Self.second], arrival: start) == [start])
        #expect(ahead.clockSteps == 0)
    }

    @Test("The state of a clock that may have been set or has drifted is not reused")
    func clockEstimate() {
        let time = BootTime(nanoseconds: 1000 * Self.second)
        let clockState = TimestampCorrector.ClockState(offset: 1, stamp: 2, time: time)
        #expect(ClockEstimate("realtime", clockState) == nil)
        #expect(ClockEstimate("", clockState) == nil)
        let clock = ClockEstimate("monotonic", clockState)
        #expect(clock?.state(of: "monotonic", now: time.advanced(bySeconds: 60)) == clockState)
        #expect(clock?.state(of: "boottime", now: time) == nil)
        #expect(clock?.state(of: "monotonic", now: time.advanced(bySeconds: 61)) == nil)
    }

    @Test("A step of a remote clock is detected, and times still ascend")
    func remoteJump() {
        let ms = Self.millisecond
        var corrector = TimestampCorrector(base: .remote, interval: 0.01)
        var last: Int64 = 0
        for (index, stamp) in [10, 20, 30, 3_600_040, 3_600_050, 60, 70].enumerated() {
            let arrival = 5 * Self.second + Int64(index) * 10 * ms
            let times = Self.correct(&corrector, [Int64(stamp) * ms], arrival: arrival)
            #expect(times.count == 1)
            #expect((times.first ?? 0) > last && abs((times.first ?? 0) - arrival) < 2 * ms)
            last = times.first ?? last
        }
        #expect(corrector.clockSteps == 2)
    }

    @Test("A refill that reveals a delay of the previous one is distributed evenly over the time since then")
    func lateRefill() {
        let microsecond: Int64 = 1000
        let start = 1000 * Self.second
        // A driver that reports 2000 Hz and delivers timestamps at 500 Hz.
        var corrector = TimestampCorrector(base: .remote, interval: 0.0005)
        func times(_ stamps: [Int64], arrival: Int64) -> [Int64] {
            Self.correct(&corrector, stamps.map { $0 * Self.millisecond }, arrival: start + arrival * microsecond)
                .map { ($0 - start) / microsecond }
        }
        #expect(times([2, 4, 6, 8], arrival: 12_000) == [6000, 8000, 10_000, 12_000])
        // With 2.5 ms less delay, the times 11.5 to 17.5 ms would begin before 12 ms. A quarter of the remaining 5.5 ms
        // is 1.375 ms.
        #expect(times([10, 12, 14, 16], arrival: 17_500) == [13_375, 14_750, 16_125, 17_500])
        #expect(times([18, 20, 22, 24], arrival: 26_000) == [19_500, 21_500, 23_500, 25_500])
    }

    @Test("A pause within a refill after a late one is not filled")
    func pauseAfterLateRefill() {
        let start = 1000 * Self.second
        var corrector = TimestampCorrector(base: .remote, interval: 0.01)
        func times(_ stamps: [Int64], arrival: Int64) -> [Int64] {
            Self.correct(&corrector, stamps.map { $0 * Self.millisecond }, arrival: start + arrival * Self.millisecond)
                .map { ($0 - start) / Self.millisecond }
        }
        let before = (1...16).map { Int64($0) * 10 }
        #expect(times(before, arrival: 460) == before.map { $0 + 300 })
        // The refill arrives without a delay, so its times begin 290 ms before the last time, and it contains a pause
        // of ten seconds. The interval is limited to 1.5 times that of the sensor.
        let paused: [Int64] = (17...24).map { Int64($0) * 10 } + (1025...1032).map { Int64($0) * 10 }
        let spread: [Int64] = (0..<16).map { 10_095 + 15 * Int64($0) }
        #expect(times(paused, arrival: 10_320) == spread)
    }

    @Test("A step of a local clock is measured and removed")
    func localJump() {
        let hour = 3600 * Self.second
        var corrector = TimestampCorrector(base: .local("realtime"), interval: 0.01)
        corrector.start(offset: -hour)
        let ms = Self.millisecond
        #expect(Self.correct(&corrector, [hour + 10 * ms], arrival: 11 * ms, measured: -hour) == [10 * ms])
        // The system clock is set ahead by an hour.
        #expect(Self.correct(&corrector, [2 * hour + 20 * ms], arrival: 21 * ms, measured: -2 * hour) == [20 * ms])
        #expect(corrector.clockSteps == 1)
    }

    @Test("Equal timestamps of a batch are distributed evenly")
    func equalStamps() {
        let ms = Self.millisecond
        var corrector = TimestampCorrector(base: .device, interval: 0.01)
        _ = Self.correct(&corrector, [100 * ms], arrival: 100 * ms)
        #expect(
            Self.correct(&corrector, [130 * ms, 130 * ms, 130 * ms], arrival: 131 * ms) == [
                110 * ms, 120 * ms, 130 * ms,
            ])
    }

    @Test("Samples without timestamps are distributed evenly before their arrival")
    func none() {
        let ms = Self.millisecond
        var corrector = TimestampCorrector(base: .none, interval: 0.01)
        #expect(Self.correct(&corrector, [0, 0], arrival: 100 * ms) == [90 * ms, 100 * ms])
        // The samples arrive early: 10 ms for two.
        #expect(Self.correct(&corrector, [0, 0], arrival: 110 * ms) == [105 * ms, 110 * ms])
        // After a pause, the interval is limited to 1.5 times that of the sensor.
        #expect(Self.correct(&corrector, [0, 0], arrival: 1000 * ms) == [985 * ms, 1000 * ms])
    }

    @Test("Timestamps that never ascend are no longer used, and no sample is lost")
    func stuckStamps() {
        let ms = Self.millisecond
        var corrector = TimestampCorrector(base: .device, interval: 0.01)
        var last: Int64 = 0
        for index in 1...30 {
            let times = Self.correct(&corrector, [5 * ms], arrival: 5 * ms + Int64(index) * 10 * ms)
            #expect(times.count == 1 && times[0] > last)
            last = times.first ?? last
        }
        #expect(corrector.areTimestampsRejected)
    }

    @Test("Random timestamps yield ascending times", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func anything(seed: UInt64) {
        var state = seed
        func random() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 11
        }
        for base in [TimestampCorrector.TimestampClock.device, .remote, .local("x"), .none] {
            var corrector = TimestampCorrector(base: base, interval: 0.01)
            var arrival: Int64 = 1_000_000_000
            var last = Int64.min
            for _ in 0..<500 {
                arrival += Int64(random() % 20_000_000) + 1000
                let stamps = (0..<Int(random() % 5 + 1)).map { _ in
                    random() % 7 == 0 ? Int64(bitPattern: random() &* 2048) : arrival + Int64(random() % 1_000_000)
                }
                let times = Self.correct(&corrector, stamps, arrival: arrival, measured: Int64(random() % 1000))
                var inBatch = Int64.min
                for time in times {
                    #expect(time > inBatch)
                    inBatch = time
                }
                if let first = times.first, first <= last {
                    // Times go back only if the clock was set back by about a second or more.
                    #expect(last - first > 1_000_000_000 - 100_000_000)
                }
                last = times.last ?? last
            }
        }
    }
}
