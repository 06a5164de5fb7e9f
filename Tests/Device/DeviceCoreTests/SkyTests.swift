// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DeviceCore

@Suite("Sky reports")
struct SkyTests {
    private let hub = PositionHub {}
    private let collector = Collector()
    private let subscription: Subscription

    init() {
        subscription = hub.subscribe(PositionRequest(), receive: collector.receive)
    }

    /// Posts a sky report with this number of satellites, or without satellites if it is nil.
    private func post(_ satellites: Int?, at seconds: Double, hdop: Double, receiver: String = "A") {
        var sky = SkyReport()
        sky.receiver = receiver
        sky.arrival = BootTime.zero.advanced(bySeconds: seconds)
        sky.hdop = hdop
        if let satellites {
            sky.satellites = (0..<satellites).map { number in
                var satellite = Satellite()
                satellite.number = Int32(number + 1)
                return satellite
            }
            sky.visibleCount = Int32(satellites)
            sky.usedCount = Int32(satellites / 2)
        }
        hub.post(sky)
    }

    @Test("A report without satellites keeps those of the last report for 10 s")
    func keepsSatellites() {
        post(8, at: 0, hdop: 1)
        post(nil, at: 5, hdop: 2)
        post(nil, at: 10, hdop: 3)
        post(nil, at: 10.1, hdop: 4)
        let skies = collector.skies
        #expect(skies.map(\.hdop) == [1, 2, 3, 4])
        #expect(skies.map { $0.satellites?.count } == [8, 8, 8, nil])
        #expect(skies.map(\.visibleCount) == [8, 8, 8, -1])
        #expect(skies.map(\.usedCount) == [4, 4, 4, -1])
        // Each report has its own arrival time.
        #expect(skies.map(\.arrival.seconds) == [0, 5, 10, 10.1])
    }

    @Test("An empty satellite list replaces the previous one")
    func emptyList() {
        post(8, at: 0, hdop: 1)
        post(0, at: 1, hdop: 2)
        post(nil, at: 2, hdop: 3)
        #expect(collector.skies.map { $0.satellites?.count } == [8, 0, 0])
    }

    @Test("One receiver's satellites are not added to another receiver's reports")
    func perReceiver() {
        let named = Collector()
        let subscription = hub.subscribe(PositionRequest(receiver: "B"), receive: named.receive)
        post(8, at: 0, hdop: 1)
        post(nil, at: 1, hdop: 2, receiver: "B")
        post(5, at: 2, hdop: 3, receiver: "B")
        post(nil, at: 3, hdop: 4)
        #expect(named.skies.map { $0.satellites?.count } == [nil, 5])
        #expect(collector.skies.map { $0.satellites?.count } == [8, 8])
        subscription.cancel()
    }

    @Test("The last fix includes its receiver's sky and survives a cancellation and a loss")
    func lastFix() throws {
        #expect(hub.lastFix == nil)
        post(8, at: 0, hdop: 1.5)
        var report = PositionReport()
        report.receiver = "A"
        report.mode = .threeDimensional
        report.latitude = 48
        report.longitude = 2
        hub.post(report)
        report.mode = .none
        report.latitude = .nan
        hub.post(report)
        hub.setStatus(.unavailable(DeviceError(.silent, "")))
        subscription.cancel()
        let fix = try #require(hub.lastFix)
        #expect(fix.report.latitude == 48)
        #expect(fix.sky?.hdop == 1.5)
        #expect(fix.sky?.satellites?.count == 8)
    }

    @Test("The last fix is that of the chosen receiver")
    func lastFixOfChosen() {
        for (receiver, latitude) in [("A", 1.0), ("B", 2.0)] {
            var report = PositionReport()
            report.receiver = receiver
            report.mode = .threeDimensional
            report.latitude = latitude
            report.longitude = 0
            report.arrival = BootTime.zero.advanced(bySeconds: latitude)
            hub.post(report)
        }
        #expect(hub.lastFix?.report.latitude == 1)
    }
}
