// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DeviceCore

@Suite("Choice of receiver")
struct ReceiverChoiceTests {
    @Test("Reports of the selected receiver are delivered, and those of others are ignored")
    func one() throws {
        try HubBench().play(
            """
            0.0 A 1 3 10 eph=5 | 10
            0.1 B 1 3 20 eph=5 |
            1.0 A 2 3 11 eph=5 | 11
            1.1 B 2 3 21 eph=5 |
            """)
    }

    @Test("A receiver with a fix immediately replaces one without")
    func fixWins() throws {
        try HubBench().play(
            """
            0.0 A 1 1 10 | 10
            0.1 B 1 2 20 | 20
            1.0 A 2 1 11 |
            1.1 B 2 2 21 | 21
            """)
    }

    @Test("A receiver with better accuracy is selected after it has been better for 10 s")
    func timeout() throws {
        try HubBench().play(
            """
            0.0 A 1 3 10 eph=20  | 10
            0.1 B 1 3 20 eph=9   |
            4.0 A 5 3 11 eph=20  | 11
            4.1 B 5 3 21 eph=9   |
            8.0 A 9 3 12 eph=20  | 12
            8.1 B 9 3 22 eph=9   |
            10.0 A 11 3 13 eph=20 | 13
            10.1 B 11 3 23 eph=9  | 23
            11.0 A 12 3 14 eph=20 |
            """)
    }

    @Test("A momentary loss of the better accuracy restarts the 10 s period")
    func flicker() throws {
        try HubBench().play(
            """
            0.0 A 1 3 10 eph=20  | 10
            0.1 B 1 3 20 eph=9   |
            4.0 A 5 3 11 eph=20  | 11
            4.1 B 5 3 21 eph=11  |
            8.0 A 9 3 12 eph=20  | 12
            8.1 B 9 3 22 eph=9   |
            12.0 A 13 3 13 eph=20 | 13
            12.1 B 13 3 23 eph=9  |
            16.0 A 17 3 14 eph=20 | 14
            16.1 B 17 3 24 eph=9  |
            18.2 B 19 3 25 eph=9  | 25
            """)
    }

    @Test("A silence of the better receiver restarts the 10 s period")
    func silenceResetsDelay() throws {
        try HubBench().play(
            """
            0.0 A 1 3 10 eph=20  | 10
            0.1 B 1 3 20 eph=5   |
            4.0 A 5 3 11 eph=20  | 11
            8.0 A 9 3 12 eph=20  | 12
            12.0 A 13 3 13 eph=20 | 13
            12.1 B 13 3 21 eph=5  |
            16.0 A 17 3 14 eph=20 | 14
            """)
    }

    @Test("A 3D fix is better than a 2D fix, regardless of the error")
    func modeWins() throws {
        try HubBench().play(
            """
            0.0 A 1 2 10 eph=3  | 10
            0.1 B 1 3 20 eph=50 |
            5.0 A 6 2 11 eph=3  | 11
            5.1 B 6 3 21 eph=50 |
            9.9 A 11 2 12 eph=3 | 12
            10.0 B 11 3 22 eph=50 |
            10.1 B 11.1 3 23 eph=50 | 23
            """)
    }

    @Test("If the chosen receiver is silent for 5 s, the next one with a fix is chosen")
    func silence() throws {
        try HubBench().play(
            """
            0.0 A 1 3 10 eph=5  | 10
            0.1 B 1 3 20 eph=50 |
            5.0 B 6 3 21 eph=50 |
            5.1 B 6.1 3 22 eph=50 | 22
            6.0 A 7 3 11 eph=5  |
            """)
    }

    @Test("Without any fix, a receiver that sends reports replaces a silent one")
    func noReceiverHasFix() throws {
        try HubBench().play(
            """
            0.0 A 1 1 10 | 10
            4.0 B 5 1 20 |
            5.1 B 6 1 21 | 21
            5.2 A 6 1 11 |
            """)
    }

    @Test("After an interruption of the stream, the first receiver that sends a report is chosen")
    func afterLoss() throws {
        try HubBench().play(
            """
            0.0 A 1 3 10 | 10
            1.0 lost     | lost
            1.1 regained | regained
            1.2 B 2 1 20 | 20
            1.3 A 2 1 11 |
            """)
    }

    @Test("Only the named receiver's reports are delivered, with or without a fix")
    func named() throws {
        try HubBench(PositionRequest(receiver: "B")).play(
            """
            0.0 A 1 3 10 eph=1 |
            0.1 B 1 1 20       | 20
            1.0 A 2 3 11 eph=1 |
            1.1 B 2 3 21       | 21
            1.2 - 2 3 30       |
            """)
    }

    @Test("Each receiver has its own epochs")
    func ownEpochs() throws {
        let bench = HubBench(PositionRequest(receiver: "B"))
        try bench.play(
            """
            0.00 A 1 3 10 |
            0.01 A 1 3 11 |
            0.02 B 1 3 20 | 20
            1.00 A 2 3 12 |
            1.01 B 2 3 21 | 21
            1.02 A 2 3 13 |
            """)
    }

    @Test("The number of receivers is bounded, and the chosen one is kept")
    func many() throws {
        var selector = ReportSelector()
        var finished: PositionReport?
        for number in 0..<10_000 {
            var report = PositionReport()
            report.receiver = number % 3 == 0 ? "chosen" : "/dev/\(number)"
            report.mode = number % 3 == 0 ? .threeDimensional : .none
            report.latitude = 1
            report.longitude = 1
            let now = BootTime.zero.advanced(bySeconds: Double(number) * 0.01)
            report.arrival = now
            _ = selector.accept(report, now: now, finished: &finished)
            var sky = SkyReport()
            sky.receiver = "/sky/\(number)"
            _ = selector.accept(sky, now: now)
        }
        #expect(selector.receivers.count == ReportSelector.maximumReceivers)
        #expect(selector.receivers[selector.chosen].path == "chosen")
    }

    @Test("A new receiver replaces the one that has been silent longest, but not the chosen one")
    func eviction() {
        var selector = ReportSelector()
        var finished: PositionReport?
        func report(_ path: String, at seconds: Double) {
            var report = PositionReport()
            report.receiver = path
            _ = selector.accept(report, now: BootTime.zero.advanced(bySeconds: seconds), finished: &finished)
        }
        for number in 0..<64 { report("/dev/\(number)", at: Double(number) * 0.001) }
        report("/dev/1", at: 1)
        report("/dev/new", at: 1.1)
        let paths = Set(selector.receivers.map(\.path))
        #expect(paths.count == 64)
        #expect(paths.isSuperset(of: ["/dev/0", "/dev/1", "/dev/new"]))
        // /dev/0 is the chosen receiver. Of the others, /dev/2 has been silent longest.
        #expect(!paths.contains("/dev/2"))
    }

    @Test("Attitudes of a separate compass are delivered in addition to the chosen receiver's reports")
    func compass() throws {
        let bench = HubBench()
        func post(_ receiver: String, at seconds: Double) -> [String] {
            var attitude = AttitudeReport()
            attitude.receiver = receiver
            attitude.arrival = BootTime.zero.advanced(bySeconds: seconds)
            bench.hub.post(attitude)
            return bench.removeReceived()
        }
        try bench.play("0.0 A 1 3 10 | 10")
        #expect(post("C", at: 0.1) == ["attitude(C)"])
        // Attitudes of only one compass at a time are delivered, and the chosen receiver's own compass has priority.
        #expect(post("D", at: 0.2) == [])
        #expect(post("A", at: 0.3) == ["attitude(A)"])
        #expect(post("C", at: 0.4) == [])
        #expect(post("C", at: 5.2) == [])
        #expect(post("C", at: 5.4) == ["attitude(C)"])
        #expect(post("D", at: 5.5) == [])
        // An attitude report does not make its receiver the chosen one.
        try bench.play("6.0 A 7 3 11 | 11")
    }
}
