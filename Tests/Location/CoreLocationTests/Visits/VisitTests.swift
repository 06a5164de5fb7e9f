// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import CoreLocation

@Suite("Visits")
struct VisitTests {
    /// Returns a fix that is `x` metres east of 48° N 11° E.
    private static func fix(_ second: Double, _ x: Double, speed: Double = 0.2, accuracy: Double = 8) -> TrackedFix {
        TrackedFix(
            coordinate: .init(latitude: 48, longitude: 11 + x / (111_320 * cos(48 * .pi / 180))), accuracy: accuracy,
            speed: speed, timestamp: second, arrival: .zero.advanced(bySeconds: second))
    }

    private static func visits(_ fixes: [TrackedFix]) -> [VisitTracker.Visit] {
        var tracker = VisitTracker()
        return fixes.flatMap { tracker.accept($0) }
    }

    /// Returns the fixes of a device that drives at 10 m/s for 60 s, stops at 600 m for `seconds` and drives on for 120
    /// s.
    private static func stop(_ seconds: Int, every: Double = 1) -> [TrackedFix] {
        (0..<Int(Double(180 + seconds) / every)).map { number in
            let second = Double(number) * every
            let stood = min(max(0, second - 60), Double(seconds))
            let isStanding = second >= 60 && second < 60 + Double(seconds)
            return fix(second, 10 * (second - stood), speed: isStanding ? 0.1 : 10)
        }
    }

    @Test("A stop of ten minutes is a visit with arrival and departure; one of four is not", arguments: [1.0, 30])
    func stops(every: Double) {
        let visits = Self.visits(Self.stop(600, every: every))
        #expect(visits.count == 2)
        #expect(visits.first?.arrival == 60 && visits.first?.departure == nil)
        #expect(visits.last?.arrival == 60)
        // The border of the place is 75 m away, which takes 7 s at 10 m/s.
        #expect(visits.last?.departure.map { abs($0 - 664) <= max(4, every) } == true)
        #expect(visits.last.map { abs($0.longitude - 11 - 600 / (111_320 * cos(48 * .pi / 180))) < 0.0003 } == true)
        #expect(visits.last?.accuracy == 8)
        #expect(Self.visits(Self.stop(240, every: every)).isEmpty)
    }

    @Test("The arrival is unknown if the device is at rest from the first fix on")
    func startsStanding() {
        let visits = Self.visits((0..<400).map { Self.fix(Double($0), 0) })
        #expect(visits.map(\.arrival) == [nil])
        #expect(CLVisit(visits[0]).arrivalDate == .distantPast)
        #expect(CLVisit(visits[0]).departureDate == .distantFuture)
    }

    @Test("A walk of four minutes around the house does not end a visit")
    func returns() {
        var fixes = Self.stop(600).prefix(660).map { $0 }
        // The device moves 150 m away and back.
        fixes += (0..<240).map { Self.fix(660 + Double($0), 600 + 150 * sin(Double($0) / 240 * .pi), speed: 1.3) }
        fixes += (0..<600).map { Self.fix(900 + Double($0), 600) }
        #expect(Self.visits(fixes).count == 1)
        // An absence of seven minutes is a departure.
        fixes = Self.stop(600).prefix(660).map { $0 }
        fixes += (0..<420).map { Self.fix(660 + Double($0), 750, speed: 1.3) }
        #expect(Self.visits(fixes).compactMap(\.departure).count == 1)
    }

    @Test("A gap without fixes belongs to a visit if the device is still there afterwards")
    func silence() {
        let before = (0..<100).map { Self.fix(Double($0) + 10, 0) }
        let moving = [Self.fix(0, -500, speed: 10)]
        let night = Self.visits(moving + before + [Self.fix(30_000, 5), Self.fix(30_001, 5)])
        #expect(night.map(\.arrival) == [10])
        let departed = Self.visits(
            moving + before + (110..<400).map { Self.fix(Double($0), 0) } + [
                Self.fix(30_000, 5000, speed: 10), Self.fix(30_001, 5010, speed: 10),
            ])
        #expect(departed.map(\.departure) == [nil, 399])
    }

    @Test("Noise neither ends nor begins a visit", arguments: SyntheticDrive.Noise.allCases)
    func noise(kind: SyntheticDrive.Noise) {
        var random = SeededGenerator(seed: 3)
        let errors = SyntheticDrive.errors(7200, 15, kind, &random)
        let still = (0..<7200).map { Self.fix(Double($0), errors[$0].x, accuracy: 20) }
        #expect(Self.visits([Self.fix(-1, -900, speed: 10)] + still).count == 1)
        // A slow walk is not a visit.
        let walk = (0..<3600).map { Self.fix(Double($0), Double($0) * 1.2 + errors[$0].x, speed: 1.2) }
        #expect(Self.visits(walk).isEmpty)
    }

    @Test("Bad fixes are ignored, and a clock that is set back adds no visits")
    func badFixes() {
        let stop = Self.stop(600)
        var fixes = stop
        for index in stride(from: 0, to: fixes.count, by: 7) { fixes[index].accuracy = index % 2 == 0 ? 500 : .nan }
        #expect(Self.visits(fixes).count == 2)
        var reset = stop
        for index in 300..<reset.count { reset[index].timestamp -= 1e9 }
        #expect(Self.visits(reset).count <= 2)
    }

    @Test("Receivers without accuracy estimates yield visits, too, with a larger radius")
    func unknownAccuracy() {
        let stop = Self.stop(900).map { fix in
            var fix = fix
            fix.accuracy = LocationConversion.unknownHorizontalAccuracy
            return fix
        }
        let visits = Self.visits(stop)
        #expect(visits.count == 2)
        // The arrival is 200 m before the centre.
        #expect(visits.first?.arrival.map { abs($0 - 40) <= 20 } == true)
    }

    @Test("A visit continues when authorization changes from when-in-use to always")
    func authorization() throws {
        let lines = (0..<1000).map { Drives.report(Double($0), latitude: 48 + max(0, Double($0) - 700) / 1112, eph: 6) }
        let device = try Drives.device(lines)
        let recorder = RegionRecorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            LocationAuthorization.current.status = .authorizedWhenInUse
            manager.startMonitoringVisits()
            device.advance(by: 400)
            #expect(recorder.visits.count == 1)
            LocationAuthorization.current.status = .authorizedAlways
            try device.play()
        }
        #expect(recorder.visits.count == 2)
        #expect(recorder.visits.last.map { abs(Drives.second($0.departureDate) - 700) <= 10 } == true)
    }

    @Test("After a stop, no visit is delivered, not even a queued one")
    func cancelledBeforeDelivery() throws {
        let device = try Drives.device([Drives.report(0, latitude: 48)])
        let recorder = RegionRecorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startMonitoringVisits()
            let visit = CLVisit(.init(latitude: 48, longitude: 11, accuracy: 5))
            manager.client.enqueue(visit)
            manager.stopMonitoringVisits()
            manager.client.enqueue(visit)
            try device.play()
        }
        #expect(recorder.visits.isEmpty)
    }

    @Test("A manager reports visits in the device's time until it is stopped")
    func manager() throws {
        let lines = (0..<1500).map { second -> String in
            let moved = min(second, 60) + max(0, min(second - 660, 60)) + max(0, second - 1400)
            return Drives.report(
                Double(second), latitude: 48 + Double(moved) * 10 / 111_200, eph: 6,
                more: ",\"speed\":\(60..<660 ~= second || 720..<1400 ~= second ? 0 : 10)")
        }
        let device = try Drives.device(lines)
        let recorder = RegionRecorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startMonitoringVisits()
            #expect(LocationAuthorization.current.uses.map(\.services) == [.visits])
            device.advance(by: 370)
            #expect(recorder.visits.map { Drives.second($0.arrivalDate) } == [60])
            #expect(recorder.visits[0].departureDate == .distantFuture)
            device.advance(by: 330)
            #expect(recorder.visits.count == 2 && recorder.visits[1].arrivalDate == recorder.visits[0].arrivalDate)
            #expect(abs(Drives.second(recorder.visits[1].departureDate) - 664) <= 4)
            manager.stopMonitoringVisits()
            try device.play()
        }
        #expect(recorder.visits.count == 2)
    }
}

@Suite("Automatic pauses of location updates")
struct PauseTests {
    /// The lines of a device that moves for 10 seconds, rests for twenty minutes and moves again.
    private static let lines = (0..<1300).map { second in
        let moved = min(second, 10) + max(0, second - 1210)
        return Drives.report(
            Double(second), latitude: 48 + Double(moved) * 10 / 111_200, eph: 5,
            more: ",\"speed\":\(10..<1210 ~= second ? 0 : 10)")
    }

    private final class Listener: NSObject, CLLocationManagerDelegate {
        var events: [(String, Double)] = []
        private var last = 0.0
        var stopsAt = Double.infinity

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            for location in locations {
                last = Drives.second(location.timestamp)
                events.append(("location", last))
            }
            if last >= stopsAt { manager.stopUpdatingLocation() }
        }

        func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { events.append(("pause", last)) }

        func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) { events.append(("resume", last)) }
    }

    private func play(
        stopsAt: Double = .infinity, _ prepare: (CLLocationManager) -> Void
    ) throws -> [(String, Double)] {
        let device = try Drives.device(Self.lines)
        let listener = Listener()
        listener.stopsAt = stopsAt
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = listener
            prepare(manager)
            manager.startUpdatingLocation()
            try device.play()
        }
        return listener.events
    }

    @Test(
        "Updates pause after a rest whose length depends on the activity type, and resume automatically",
        arguments: [(CLActivityType.fitness, 180.0), (.other, 300), (.automotiveNavigation, 600)])
    func pauses(activity: CLActivityType, pauseDelay: Double) throws {
        let events = try play { manager in
            manager.pausesLocationUpdatesAutomatically = true
            manager.activityType = activity
        }
        let pause = try #require(events.first { $0.0 == "pause" })
        // The rest begins at 10 s, or a little earlier within the accuracy.
        #expect(abs(pause.1 - (10 + pauseDelay)) <= 2)
        let index = try #require(events.firstIndex { $0.0 == "resume" })
        #expect(events[index - 1].0 == "pause")
        #expect(events[index + 1].0 == "location" && events[index + 1].1 <= 1213)
        #expect(events.filter { $0.0 != "location" }.count == 2)
    }

    @Test("Updates that are stopped just before a pause report no pause")
    func stoppedBefore() throws {
        func prepare(_ manager: CLLocationManager) { manager.pausesLocationUpdatesAutomatically = true }
        let pause = try #require(try play(prepare).first { $0.0 == "pause" })
        #expect(try play(stopsAt: pause.1, prepare).last.map { $0 == ("location", pause.1) } == true)
    }

    @Test("Updates never pause without the app's request, in the air or during navigation")
    func neverPauses() throws {
        let cases: [(CLLocationManager) -> Void] = [
            { #expect($0.pausesLocationUpdatesAutomatically) },
            { $0.pausesLocationUpdatesAutomatically = false },
            { manager in
                manager.pausesLocationUpdatesAutomatically = true
                manager.activityType = .airborne
            },
            { manager in
                manager.pausesLocationUpdatesAutomatically = true
                manager.desiredAccuracy = kCLLocationAccuracyBestForNavigation
            },
        ]
        for prepare in cases { #expect(try play(prepare).allSatisfy { $0.0 == "location" }) }
    }
}
