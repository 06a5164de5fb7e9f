// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@Suite("One report per epoch")
struct EpochTests {
    @Test("A receiver that sends one report per epoch is never delayed")
    func single() throws {
        try HubBench().play(
            """
            0.00 A 1 3 10 | 10
            1.00 A 2 3 11 | 11
            1.20 A 2.2 3 12 | 12
            1.30 A 2.3 3 13 | 13
            """)
    }

    @Test("After two reports with the same time, each epoch is held until the next time")
    func pendingUntilNextTime() throws {
        try HubBench().play(
            """
            0.00 A 1 3 10 | 10
            0.01 A 1 3 11 |
            0.10 A 1.1 3 20 |
            0.11 A 1.1 3 21 |
            0.12 A 1.1 3 22 |
            0.20 A 1.2 3 30 | 22
            0.30 A 1.3 3 40 | 30
            """)
    }

    @Test("An epoch is complete after 150 ms without a report")
    func pendingUntilIdle() throws {
        try HubBench().play(
            """
            0.000 A 1 3 10 | 10
            0.010 A 1 3 11 |
            1.000 A 2 3 20 |
            1.149 A 2 3 21 |
            1.298 quiet    |
            1.300 quiet    | 21
            2.000 A 3 3 30 |
            2.151 quiet    | 30
            """)
    }

    @Test("The first epoch with two reports is delivered once")
    func firstDuplicate() throws {
        try HubBench().play(
            """
            0.00 A 1 3 10 | 10
            0.01 A 1 3 11 |
            0.02 A 1 3 12 |
            1.00 quiet    |
            """)
    }

    @Test("A late report for a delivered epoch is dropped")
    func lateReport() throws {
        try HubBench().play(
            """
            0.00 A 1 3 10 | 10
            0.01 A 1 3 11 |
            1.00 A 2 3 20 |
            1.20 A 2 3 21 | 20
            1.50 quiet    |
            """)
    }

    @Test("A report without a time is delivered at once, after the held report, and does not split an epoch")
    func untimed() throws {
        try HubBench().play(
            """
            0.00 A 1 3 10 | 10
            0.01 A 1 3 11 |
            1.00 A 2 3 20 |
            1.01 A - 3 21 | 20 21
            1.02 A 2 3 22 |
            1.03 A - 1 23 | 23
            2.00 A 3 3 30 |
            2.50 quiet    | 30
            """)
    }

    @Test("A time step backward begins a new epoch, and reports are not reordered")
    func backwards() throws {
        try HubBench().play(
            """
            0.00 A 10 3 10 | 10
            1.00 A 11 3 11 | 11
            2.00 A 9 3 12 | 12
            2.01 A 9 3 13 |
            3.00 A 11 3 14 |
            3.01 A 10 3 15 | 14
            4.00 quiet     | 15
            """)
    }

    @Test("A report without a fix does not replace the fix of its epoch")
    func withoutFix() throws {
        try HubBench().play(
            """
            0.00 A 1 1 10 | 10
            1.00 A 2 1 20 | 20
            1.01 A 2 3 21 |
            1.50 quiet    | 21
            2.00 A 3 3 30 |
            2.01 A 3 1 31 |
            2.50 quiet    | 30
            3.00 A 4 1 40 |
            3.50 quiet    | 40
            3.60 A 4 3 41 |
            4.00 quiet    | 41
            """)
    }

    @Test("A position that is not finite or out of range is not a fix, regardless of the mode")
    func invalidFix() {
        var report = PositionReport()
        report.mode = .threeDimensional
        #expect(!report.hasFix)
        report.latitude = 90
        report.longitude = -180
        #expect(report.hasFix)
        report.longitude = 180.1
        #expect(!report.hasFix)
        report.longitude = 0
        report.latitude = .infinity
        #expect(!report.hasFix)
        report.latitude = 0
        report.mode = .none
        #expect(!report.hasFix)
    }

    @Test("An epoch ends after two seconds even if the receiver's clock is frozen")
    func frozenTime() throws {
        try HubBench().play(
            """
            0.00 A 1 3 10 | 10
            0.10 A 1 3 11 |
            1.90 A 1 3 12 |
            2.00 A 1 3 13 |
            2.10 A 1 3 14 |
            2.20 A 1 3 15 |
            2.30 A 1 3 16 |
            2.40 A 1 3 17 |
            2.50 A 1 3 18 |
            2.60 A 1 3 19 |
            2.70 A 1 3 20 |
            2.80 A 1 3 21 |
            2.90 A 1 3 22 |
            3.00 A 1 3 23 |
            3.10 A 1 3 24 |
            3.20 A 1 3 25 |
            3.30 A 1 3 26 |
            3.40 A 1 3 27 |
            3.50 A 1 3 28 |
            3.60 A 1 3 29 |
            3.70 A 1 3 30 |
            3.80 A 1 3 31 |
            3.90 A 1 3 32 |
            4.00 A 1 3 33 | 32
            4.50 quiet    | 33
            """)
    }

    @Test("A subscriber that requests every report receives each one at once and in order")
    func everyReport() throws {
        try HubBench(PositionRequest(includesAllReports: true)).play(
            """
            0.00 A 1 3 10 | 10
            0.01 A 1 3 11 | 11
            1.00 A 2 3 20 | 20
            1.01 A 2 1 21 | 21
            1.02 A - 3 22 | 22
            1.50 quiet    |
            """)
    }

    @Test("Each subscriber receives reports in the form that it requested")
    func twoForms() throws {
        let bench = HubBench()
        let all = Collector()
        let subscription = bench.hub.subscribe(PositionRequest(includesAllReports: true), receive: all.receive)
        try bench.play(
            """
            0.00 A 1 3 10 | 10
            0.01 A 1 3 11 |
            1.00 A 2 3 20 |
            1.01 A 2 3 21 |
            1.50 quiet    | 21
            """)
        #expect(all.numbers == [10, 11, 20, 21])
        subscription.cancel()
    }

    @Test("Discarding drops the held report")
    func discard() throws {
        try HubBench().play(
            """
            0.00 A 1 3 10 | 10
            0.01 A 1 3 11 |
            1.00 A 2 3 20 |
            1.01 discard  |
            9.00 A 9 3 90 |
            9.50 quiet    | 90
            """)
    }
}
