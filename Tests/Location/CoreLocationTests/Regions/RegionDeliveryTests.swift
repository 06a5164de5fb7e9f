// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SimulatedDevice
import Testing

@testable import CoreLocation

/// A delegate that records callbacks of regions and visits.
final class RegionRecorder: NSObject, CLLocationManagerDelegate {
    var events: [String] = []
    var errors: [CLError] = []
    var visits: [CLVisit] = []
    var onEvent: ((CLLocationManager, CLRegion) -> Void)?

    private func record(_ event: String, _ region: CLRegion, _ manager: CLLocationManager) {
        let second = region.stateDate.map { " \(Int(Drives.second($0).rounded()))" } ?? ""
        events.append("\(event) \(region.identifier)\(second)")
        onEvent?(manager, region)
    }

    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
        record("started", region, manager)
    }

    func locationManager(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {
        record(["unknown", "inside", "outside"][state.rawValue], region, manager)
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        record("entered", region, manager)
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        record("left", region, manager)
    }

    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {
        events.append("failed \(region?.identifier ?? "?") \((error as? CLError)?.code.rawValue ?? -1)")
        if let error = error as? CLError { errors.append(error) }
    }

    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) { visits.append(visit) }

    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { events.append("paused") }

    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) { events.append("resumed") }

    /// Returns a recorder with the callbacks that a manager receives while the body plays the lines.
    @discardableResult static func of(
        _ lines: [String] = RegionDeliveryTests.drive,
        _ body: (CLLocationManager, SimulatedDevice, RegionRecorder) throws -> Void
    ) throws -> RegionRecorder {
        let device = try Drives.device(lines)
        let recorder = RegionRecorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            try body(manager, device, recorder)
        }
        return recorder
    }
}

@Suite("Region monitoring by managers")
struct RegionDeliveryTests {
    /// A drive from 500 m south of 48° N to 500 m north of it and back, at 10 m/s. 0.0001 degrees of latitude are 11.12
    /// m.
    static let latitudes: [Double] = (0...100).map { 48 + (Double($0) * 10 - 500) / 111_200 }
    static let drive = (latitudes + latitudes.reversed()).enumerated().map { second, latitude in
        Drives.report(Double(second), latitude: latitude, eph: 3, more: ",\"speed\":10")
    }

    static func circle(
        _ radius: Double = 200, latitude: Double = 48, _ name: String = "home"
    ) -> CLCircularRegion {
        CLCircularRegion(center: .init(latitude: latitude, longitude: 11), radius: radius, identifier: name)
    }

    @Test("A drive through a circle is reported with the times at its border")
    func driveThrough() throws {
        let recorder = try RegionRecorder.of { manager, device, recorder in
            manager.startMonitoring(for: Self.circle())
            try device.play()
        }
        // 200 m before the centre is second 30, and 200 m behind it second 70. On the way back, these are seconds 101 +
        // 30 and 101 + 70.
        #expect(
            recorder.events == [
                "started home", "outside home 0", "inside home 30", "entered home 30", "outside home 71",
                "left home 71",
                "inside home 131", "entered home 131", "outside home 172", "left home 172",
            ])
    }

    @Test("Disabled notifications are not delivered, but states are")
    func notifies() throws {
        try RegionRecorder.of { manager, device, recorder in
            let region = Self.circle()
            region.notifyOnEntry = false
            manager.startMonitoring(for: region)
            region.notifyOnExit = false
            device.advance(by: 100)
            #expect(recorder.events.filter { $0.hasPrefix("inside") }.count == 1)
            #expect(!recorder.events.contains { $0.hasPrefix("entered") })
            #expect(recorder.events.contains("left home 71"))
        }
    }

    @Test("All managers share one set of regions, and a device inside from the start causes no entry")
    func sharesRegions() throws {
        let device = try Drives.device(Self.drive)
        let (first, second) = (RegionRecorder(), RegionRecorder())
        try device.use {
            let (manager, other) = (CLLocationManager(), CLLocationManager())
            manager.delegate = first
            other.delegate = second
            device.advance(by: 50)
            manager.startMonitoring(for: Self.circle())
            #expect(other.monitoredRegions == [Self.circle()])
            device.advance(by: 40)
            #expect(first.events == ["started home", "inside home 50", "outside home 71", "left home 71"])
            #expect(second.events == ["inside home 50", "outside home 71", "left home 71"])
            other.stopMonitoring(for: Self.circle(1, "home"))
            #expect(manager.monitoredRegions.isEmpty)
            try device.play()
            #expect(first.events.count == 4)
            #expect(LocationAuthorization.current.uses.isEmpty)
        }
    }

    @Test("A state request is answered with the known state")
    func answersRequests() throws {
        let recorder = try RegionRecorder.of { manager, device, recorder in
            manager.requestState(for: Self.circle())
            manager.startMonitoring(for: Self.circle())
            device.advance(by: 45)
            recorder.events = []
            manager.requestState(for: Self.circle())
            manager.requestState(for: Self.circle(1, "other"))
            device.advance(by: 0)
        }
        #expect(recorder.events == ["inside home 30", "unknown other"])
    }

    @Test("A region that cannot be monitored fails with a reason and does not affect others")
    func rejects() throws {
        let recorder = try RegionRecorder.of { manager, device, recorder in
            for number in 1...20 { manager.startMonitoring(for: Self.circle(200, "\(number)")) }
            let bad = [
                Self.circle(.nan, "nan"), Self.circle(-1, "negative"), Self.circle(2_128_001, "large"),
                Self.circle(100, latitude: 91, "place"), Self.circle(200, "21"),
                Self.circle(200, String(repeating: "x", count: 1_000_000)), CLRegion(),
            ]
            for region in bad { manager.startMonitoring(for: region) }
            device.advance(by: 0)
            #expect(manager.monitoredRegions.count == 20)
            // A region with the same identifier replaces the old one, even if there are twenty.
            manager.startMonitoring(for: Self.circle(2_128_000, "20"))
            device.advance(by: 0)
            #expect(manager.monitoredRegions.count == 20)
            #expect(CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self))
            #expect(!CLLocationManager.isMonitoringAvailable(for: CLLocation.self))
            #expect(manager.maximumRegionMonitoringDistance == 2_128_000)
        }
        #expect(recorder.errors.count == 7)
        #expect(recorder.errors.allSatisfy { $0.code == .regionMonitoringFailure })
        let reasons = recorder.errors.map { "\($0.userInfo[NSUnderlyingErrorKey] ?? "")" }
        #expect(reasons[0].contains("radius of nan") && reasons[4].contains("limit") && reasons[5].contains("1000000"))
    }

    @Test("Missing authorization is reported once, and monitoring resumes with authorization")
    func authorization() throws {
        try RegionRecorder.of { manager, device, recorder in
            let authorization = LocationAuthorization.current
            authorization.accuracy = .reducedAccuracy
            manager.startMonitoring(for: Self.circle())
            device.advance(by: 5)
            #expect(recorder.events == ["failed home 4"])
            authorization.accuracy = .fullAccuracy
            manager.startMonitoring(for: Self.circle())
            device.advance(by: 5)
            authorization.status = .denied
            device.advance(by: 60)
            #expect(recorder.events.dropFirst() == ["started home", "outside home 5", "failed home 4"])
            authorization.status = .authorizedAlways
            try device.play()
            #expect(recorder.events.suffix(2) == ["outside home 172", "left home 172"])
        }
    }

    @Test("With the rules at zero, each fix on the other side is a crossing")
    func plainRules() throws {
        let recorder = try RegionRecorder.of(
            [0.0, 1, 0, 1, 1].enumerated().map { second, side in
                Drives.report(Double(second), latitude: 48 + side * 0.01, eph: 50)
            }
        ) { manager, device, recorder in
            CLLocationManager.regionDwell = .zero
            CLLocationManager.regionCushion = 0
            manager.startMonitoring(for: Self.circle())
            try device.play()
        }
        #expect(
            recorder.events == [
                "started home", "inside home 0", "outside home 1", "left home 1", "inside home 2", "entered home 2",
                "outside home 3", "left home 3",
            ])
    }

    @Test("A reflection of ten seconds is not a crossing")
    func reflection() throws {
        // The device is at rest 150 m outside the circle. From second 60 to 70, the receiver reports the circle's
        // centre.
        let recorder = try RegionRecorder.of(
            (0..<120).map { second in
                let latitude = 60..<70 ~= second ? 48.0 : 48 + 350 / 111_200
                return Drives.report(Double(second), latitude: latitude, eph: 5, more: ",\"speed\":2")
            }
        ) { manager, device, recorder in
            manager.startMonitoring(for: Self.circle())
            try device.play()
        }
        #expect(recorder.events == ["started home", "outside home 0"])
    }

    @Test("A released device leaves no region engine, and positions are requested only while needed")
    func releasesEngine() throws {
        weak var engine: RegionEngine?
        weak var hub: PositionHub?
        try {
            let device = try Drives.device(Self.drive)
            let recorder = RegionRecorder()
            let positions = try #require(device.device.positionSource as? PositionHub)
            device.use {
                let manager = CLLocationManager()
                manager.delegate = recorder
                #expect(!positions.hasSubscribers)
                manager.startMonitoring(for: Self.circle())
                manager.startMonitoringVisits()
                #expect(positions.hasSubscribers)
                device.advance(by: 10)
                manager.stopMonitoringVisits()
                manager.stopMonitoring(for: Self.circle())
                #expect(!positions.hasSubscribers)
                manager.startMonitoring(for: Self.circle())
                manager.startMonitoringVisits()
                device.advance(by: 10)
            }
            engine = RegionEngine.of(device.device)
            hub = positions
        }()
        #expect(engine == nil && hub == nil)
    }
}
