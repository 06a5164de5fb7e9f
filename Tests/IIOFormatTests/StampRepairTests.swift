// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Testing

@Suite("Repair of time stamps")
struct StampRepairTests {
    /// Milliseconds for nanoseconds, to keep the cases readable.
    private func times(_ milliseconds: [Double]) -> [BootTime] {
        milliseconds.map { BootTime(nanoseconds: Int64($0 * 1e6)) }
    }

    private func milliseconds(_ times: [BootTime]) -> [Double] { times.map { Double($0.nanoseconds) / 1e6 } }

    @Test("Stamps that rise stay as they are")
    func good() {
        var repair = IIOStampRepair(rate: 100)
        for batch in [[10.0, 20, 30.5], [41, 50, 60]] {
            var stamps = times(batch)
            let report = repair.repair(&stamps, arrival: BootTime(nanoseconds: Int64(batch[2] * 1e6) + 1_000_000))
            #expect(milliseconds(stamps) == batch)
            #expect(report == IIOStampReport())
        }
        #expect(repair.correction == 0)
    }

    @Test("A FIFO that stamps all its samples alike: the newest is right, the others lie before it")
    func equal() {
        var repair = IIOStampRepair(rate: 100)
        var stamps = times([1000, 1000, 1000, 1000])
        var report = repair.repair(&stamps, arrival: times([1001])[0])
        #expect(milliseconds(stamps) == [970, 980, 990, 1000])
        #expect(report.rebuilt == 4)
        #expect(report.jump == nil)
        // Two readings of the FIFO in one batch, 10 ms apart for each sample.
        stamps = times([1020, 1020, 1050, 1050, 1050])
        report = repair.repair(&stamps, arrival: times([1051])[0])
        #expect(report.rebuilt == 5)
        #expect(milliseconds(stamps) == [1010, 1020, 1030, 1040, 1050])
    }

    @Test("Stamps that fall are put between those that rise")
    func falling() {
        var report = IIOStampReport()
        var repair = IIOStampRepair(rate: 100)
        var stamps = times([10, 20, 15, 40])
        report = repair.repair(&stamps, arrival: times([41])[0])
        #expect(report.rebuilt == 2)
        // 20 is the newest of its group; the one before it lies halfway to the 10 before.
        #expect(milliseconds(stamps) == [10, 15, 20, 40])
        // A batch that overlaps the one before: 40 has been handed out, 50 is the first that rises.
        stamps = times([30, 38, 50, 60])
        report = repair.repair(&stamps, arrival: times([61])[0])
        #expect(report.rebuilt == 3)
        let repaired = milliseconds(stamps)
        #expect(repaired[3] == 60 && repaired[2] == 50)
        #expect(abs(repaired[0] - (40 + 10.0 / 3)) < 1e-5 && abs(repaired[1] - (40 + 20.0 / 3)) < 1e-5)
    }

    @Test("Without room between stamps they rise by nanoseconds")
    func noRoom() {
        var repair = IIOStampRepair(rate: 100)
        var stamps = times([10])
        repair.repair(&stamps, arrival: times([10])[0])
        stamps = times([10, 10, 10])
        repair.repair(&stamps, arrival: times([10])[0])
        #expect(stamps.map(\.nanoseconds) == [10_000_001, 10_000_002, 10_000_003])
    }

    @Test("A clock set ahead by an hour is told once, and the stamps go on")
    func ahead() {
        var repair = IIOStampRepair(rate: 100)
        let hour = 3_600_000.0
        for second in 0..<5 {
            let now = Double(second) * 1000 + 1000
            let set = second >= 3 ? hour : 0
            var stamps = times([now - 20 + set, now - 10 + set, now + set])
            let report = repair.repair(&stamps, arrival: times([now + 2])[0])
            #expect(report.jump.map { Double($0) / 1e6 } == (second == 3 ? hour : nil))
            #expect(milliseconds(stamps) == [now - 20, now - 10, now])
        }
    }

    @Test("A clock set back by a minute within a batch is told once, and the stamps go on rising")
    func back() {
        var repair = IIOStampRepair(rate: 100)
        var stamps = times([100_000, 100_010, 100_020])
        repair.repair(&stamps, arrival: times([100_022])[0])
        stamps = times([100_030, 40_040, 40_050])
        var report = repair.repair(&stamps, arrival: times([100_052])[0])
        #expect(report.jump == -60_000_000_000)
        #expect(report.rebuilt == 3)
        #expect(milliseconds(stamps) == [100_030, 100_040, 100_050])
        stamps = times([40_060, 40_070])
        report = repair.repair(&stamps, arrival: times([100_072])[0])
        #expect(report == IIOStampReport())
        #expect(milliseconds(stamps) == [100_060, 100_070])
    }

    @Test("Stamps of quite another clock are brought to the arrival at once")
    func otherClock() {
        var report = IIOStampReport()
        for offset in [1.7e12, -50_000] {
            var repair = IIOStampRepair(rate: 100)
            var stamps = times([60_000 + offset, 60_010 + offset])
            report = repair.repair(&stamps, arrival: times([60_010])[0])
            #expect(report.jump != nil)
            #expect(milliseconds(stamps) == [60_000, 60_010])
        }
    }

    @Test("A reader that was held up and catches up is no jump of the clock")
    func backlog() {
        var report = IIOStampReport()
        var repair = IIOStampRepair(rate: 100)
        for batch in 0..<100 {
            let newest = Double(batch) * 10 + 1000
            var stamps = times([newest])
            // From batch 20 on nothing is read for 3 s; the rest then comes in 1 ms steps.
            let arrival = batch < 20 ? newest + 2 : max(newest + 2, 4190 + Double(batch - 20))
            report = repair.repair(&stamps, arrival: times([arrival])[0])
            #expect(report == IIOStampReport())
            #expect(milliseconds(stamps) == [newest])
        }
    }

    @Test("A clock that stood still during suspend is found out, and the stamps come near their arrival again")
    func suspend() {
        var repair = IIOStampRepair(rate: 100)
        var jumps: [Int64] = []
        var behind = 0.0
        for batch in 0..<200 {
            let clock = Double(batch) * 10 + 1000
            let now = clock + (batch >= 100 ? 60_000 : 0)
            var stamps = times([clock])
            let report = repair.repair(&stamps, arrival: times([now + 2])[0])
            if let jump = report.jump { jumps.append(jump) }
            behind = now - milliseconds(stamps)[0]
        }
        #expect(jumps.map { Double($0) / 1e6 } == [-60_000])
        #expect(behind == 0)
    }

    @Test("A clock that runs ahead slowly is followed without a word")
    func drift() {
        var report = IIOStampReport()
        var repair = IIOStampRepair(rate: 10)
        var former = -1.0
        for batch in 0..<1000 {
            let now = Double(batch) * 100 + 1000
            var stamps = times([now * 1.001])
            report = repair.repair(&stamps, arrival: times([now])[0])
            #expect(report.jump == nil)
            let stamp = milliseconds(stamps)[0]
            #expect(stamp <= now && stamp > former && now - stamp < 3)
            former = stamp
        }
    }

    @Test("Without stamps the last sample is of the arrival, the others an interval apart before it")
    func missing() {
        var repair = IIOStampRepair(rate: 50)
        var stamps = times([0, 0, 0])
        repair.stamp(&stamps, arrival: times([1000])[0])
        #expect(milliseconds(stamps) == [960, 980, 1000])
        // Half the time only has gone by: no sample lies before those that were handed out.
        repair.stamp(&stamps, arrival: times([1030])[0])
        #expect(milliseconds(stamps) == [1010, 1020, 1030])
        // Not even the time itself has.
        repair.stamp(&stamps, arrival: times([1030])[0])
        #expect(stamps.map(\.nanoseconds) == [1_030_000_001, 1_030_000_002, 1_030_000_003])
    }

    @Test("Without stamps the rate is measured where nobody says it, and corrected where it is wrong")
    func measured() throws {
        for nominal in [nil, 104.0, 1000] {
            var repair = IIOStampRepair(rate: nominal)
            var stamps = times(Array(repeating: 0, count: 8))
            // 80 ms for 8 samples, with 3 ms of trouble in the arrival.
            for batch in 0..<200 {
                repair.stamp(&stamps, arrival: times([Double(batch) * 80 + (batch % 2 == 0 ? 3 : 0)])[0])
            }
            let interval = try #require(repair.interval)
            #expect(abs(interval - 10e6) < 0.3e6)
        }
    }

    @Test("The interval is measured from good stamps, and a pause does not count")
    func interval() throws {
        var repair = IIOStampRepair(rate: 100)
        for batch in 0..<300 {
            // 104 Hz, with a pause of a minute in the middle.
            let start = Double(batch) * 40 / 4 / 1.04 * 4 + (batch >= 150 ? 60_000 : 0)
            var stamps = times((1...4).map { start + Double($0) * 10 / 1.04 })
            repair.repair(&stamps, arrival: times([start + 41])[0])
        }
        let interval = try #require(repair.interval)
        #expect(abs(interval - 1e9 / 104) < 1e3)
    }

    @Test("A new rate starts anew, and stamps still rise")
    func reset() {
        var repair = IIOStampRepair(rate: 100)
        var stamps = times([100])
        repair.repair(&stamps, arrival: times([100])[0])
        repair.reset(rate: 10)
        stamps = times([90, 90])
        repair.repair(&stamps, arrival: times([300])[0])
        #expect(stamps[0] > times([100])[0] && stamps[1] > stamps[0])
        #expect(repair.interval == 1e8)
    }

    @Test("Whatever the stamps are, they come out strictly rising, not after their arrival but for nanoseconds")
    func random() {
        var report = IIOStampReport()
        var random = SplitMix(state: 3)
        let odd: [Int64] = [.min, .max, 0, -1, 1 << 62, -(1 << 62)]
        for round in 0..<300 {
            var repair = IIOStampRepair(rate: [nil, 0, -1, .nan, .infinity, 1e-300, 100][round % 7])
            var former = Int64.min
            var arrival: Int64 = 1_000_000_000
            for _ in 0..<50 {
                arrival += Int64.random(in: 0...30_000_000, using: &random)
                var stamps = (0..<Int.random(in: 1...9, using: &random)).map { _ in
                    BootTime(
                        nanoseconds: Int.random(in: 0..<20, using: &random) == 0
                            ? odd.randomElement(using: &random) ?? 0
                            : arrival - Int64.random(in: -1_000_000...40_000_000, using: &random))
                }
                if round % 5 == 4 {
                    repair.stamp(&stamps, arrival: BootTime(nanoseconds: arrival))
                } else {
                    repair.repair(&stamps, arrival: BootTime(nanoseconds: arrival))
                }
                for stamp in stamps {
                    #expect(stamp.nanoseconds > former)
                    former = stamp.nanoseconds
                }
                #expect(former <= arrival + 500)
            }
        }
        var repair = IIOStampRepair(rate: nil)
        var none: [BootTime] = []
        report = repair.repair(&none, arrival: .zero)
        #expect(report == IIOStampReport())
        repair.stamp(&none, arrival: .never)
        for arrival in odd {
            var stamps = odd.map(BootTime.init(nanoseconds:))
            repair.repair(&stamps, arrival: BootTime(nanoseconds: arrival))
            repair.stamp(&stamps, arrival: BootTime(nanoseconds: arrival))
        }
    }
}
