// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import SimulatedDevice
import Testing

@Suite("Authorization")
struct AuthorizationTests {
    private func drive(_ rule: LocationRule, reduced: Bool = false) throws -> SimulatedDevice {
        var configuration = Configuration()
        configuration.locationRule = Setting(rule, origin: .program)
        configuration.reducesAccuracy = Setting(reduced, origin: .program)
        return try Drives.device(
            (0..<10).map { Drives.report(Double($0), latitude: 48 + Double($0)) }, configuration: configuration)
    }

    @Test("By default, starting updates grants authorization and notifies the delegate first")
    func grantsOnStart() throws {
        let device = try drive(.grant)
        let recorder = Recorder()
        device.use {
            let manager = CLLocationManager()
            #expect(manager.authorizationStatus == .notDetermined)
            manager.delegate = recorder
            manager.startUpdatingLocation()
            #expect(manager.authorizationStatus == .authorizedWhenInUse)
            device.step()
        }
        #expect(recorder.events == ["authorization 4", "location 48.0"])
    }

    @Test("A delegate receives the status once even if nothing changes")
    func introducesItself() throws {
        let device = try drive(.grant)
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            try device.play()
            manager.requestAlwaysAuthorization()
            device.advance(by: 0)
        }
        #expect(recorder.events == ["authorization 0", "authorization 3"])
    }

    @Test("With the rule `ask`, updates begin when the request is granted")
    func waitsForRequest() throws {
        let device = try drive(.ask)
        let recorder = Recorder()
        device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            device.step()
            #expect(recorder.events == ["authorization 0"], "starting while undetermined is silent")
            manager.requestWhenInUseAuthorization()
            device.step()
        }
        #expect(recorder.events == ["authorization 0", "authorization 4", "location 49.0"])
    }

    @Test("Revoked access ends updates with an error, and granted access resumes them")
    func revokesAndGrants() throws {
        let device = try drive(.grant)
        let recorder = Recorder()
        device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            device.step()
            LocationAuthorization.current.status = .denied
            #expect(manager.location == nil, "what may not be known any more is not kept")
            device.step()
            device.step()
            LocationAuthorization.current.status = .authorizedAlways
            device.step()
        }
        #expect(
            recorder.events == [
                "authorization 4", "location 48.0", "authorization 2", "error 1", "authorization 3", "location 51.0",
            ])
    }

    @Test("Disabled location services deny access to all managers")
    func switchesServicesOff() throws {
        let device = try drive(.always)
        let recorder = Recorder()
        device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            #expect(CLLocationManager.locationServicesEnabled())
            LocationAuthorization.current.servicesEnabled = false
            #expect(!CLLocationManager.locationServicesEnabled())
            manager.startUpdatingLocation()
            manager.requestLocation()
            device.step()
            LocationAuthorization.current.servicesEnabled = true
            device.step()
        }
        #expect(recorder.events == ["authorization 2", "error 1", "authorization 3", "location 49.0"])
    }

    @Test("A policy receives the purpose, and only its first answer counts")
    func asksPolicy() throws {
        final class Policy: LocationPolicy, @unchecked Sendable {
            var requests: [LocationAccessRequest] = []
            func decide(_ request: LocationAccessRequest, answer: @escaping @Sendable (LocationAnswer) -> Void) {
                requests.append(request)
                answer(.deny)
                answer(.grant)
            }
        }
        var configuration = Configuration()
        configuration.locationPurpose = Setting("finds the bus stop", origin: .program)
        let device = try Drives.device([Drives.report(0, latitude: 48)], configuration: configuration)
        let policy = Policy()
        device.use {
            LocationAuthorization.current.policy = policy
            let manager = CLLocationManager()
            manager.requestWhenInUseAuthorization()
            #expect(manager.authorizationStatus == .denied)
            manager.requestWhenInUseAuthorization()
        }
        #expect(policy.requests.map(\.kind) == [.whenInUse], "what is decided is not asked again")
        #expect(policy.requests.first?.purpose == "finds the bus stop")
    }

    @Test("Always authorization can be requested after when-in-use authorization")
    func upgrades() throws {
        let device = try drive(.ask)
        device.use {
            let manager = CLLocationManager()
            manager.requestWhenInUseAuthorization()
            #expect(manager.authorizationStatus == .authorizedWhenInUse)
            manager.requestAlwaysAuthorization()
            #expect(manager.authorizationStatus == .authorizedAlways)
        }
    }

    @Test("Reduced accuracy delivers a coarse location every fifteen minutes")
    func reducesAccuracy() throws {
        var configuration = Configuration()
        configuration.reducesAccuracy = Setting(true, origin: .program)
        let device = try Drives.device(
            (0...30).map { Drives.report(Double($0) * 60, latitude: 48.123456 + Double($0) * 1e-6) },
            configuration: configuration)
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            #expect(manager.accuracyAuthorization == .reducedAccuracy)
            manager.delegate = recorder
            manager.startUpdatingLocation()
            try device.play()
        }
        #expect(recorder.locations.map { Drives.second($0.timestamp) } == [0, 900, 1800])
        for location in recorder.locations {
            #expect(location.horizontalAccuracy >= 1000)
            #expect(
                location.distance(from: CLLocation(latitude: 48.1235, longitude: 11)) <= location.horizontalAccuracy)
            #expect(location.speed == -1)
            #expect(location.report == nil)
            #expect(abs(location.coordinate.latitude - 48.123456) > 1e-4, "the place itself is not given away")
        }
        #expect(Set(recorder.locations.map(\.coordinate.latitude)).count == 1, "a device at rest stays in its cell")
    }

    @Test("Full accuracy can be requested while only reduced accuracy is authorized")
    func asksForFullAccuracy() async throws {
        let device = try drive(.grant, reduced: true)
        try await device.use {
            let manager = CLLocationManager()
            try await manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "map")
            #expect(manager.accuracyAuthorization == .fullAccuracy)
        }
    }

    @Test("LocationAuthorization lists the services in use")
    func reportsUse() throws {
        let device = try drive(.grant)
        device.use {
            #expect(LocationAuthorization.current.uses.isEmpty)
            let manager = CLLocationManager()
            manager.startUpdatingLocation()
            manager.startMonitoringSignificantLocationChanges()
            let uses = LocationAuthorization.current.uses
            #expect(uses.map(\.services) == [[.standard, .significantChanges]])
            #expect(uses.first.map { Drives.second($0.since) } == 0)
            manager.stopUpdatingLocation()
            manager.stopMonitoringSignificantLocationChanges()
            #expect(LocationAuthorization.current.uses.isEmpty)
        }
    }
}
