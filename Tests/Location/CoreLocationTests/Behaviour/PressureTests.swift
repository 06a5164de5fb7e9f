// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing
import Trace

@testable import CoreLocation

@Suite("Managers under load")
struct PressureTests {
    @Test("Undelivered callbacks use bounded memory")
    func bounded() throws {
        let rounds = Thoroughness.rounds(5000, quick: 2500)
        var callbacks = PendingLocationCallbacks()
        for _ in 0..<rounds {
            callbacks.add(CLLocation(latitude: 1, longitude: 2))
            callbacks.add(.failure(CLError(.locationUnknown)))
        }
        #expect(callbacks.queue.count <= 2048)
        for _ in 0..<rounds {
            callbacks.add(.authorization)
            callbacks.add(.failure(CLError(.denied)))
        }
        #expect(callbacks.queue.count <= 2048)
        var count = 0
        while callbacks.removeFirst() != nil { count += 1 }
        #expect(count > 0)
        // The number of queued items is still correct.
        for _ in 0..<2000 { callbacks.add(CLLocation(latitude: 1, longitude: 2)) }
        guard case .locations(let locations)? = callbacks.removeFirst() else { Issue.record("no locations"); return }
        #expect(locations.count == 1024)
    }

    @Test("A manager with a selected receiver does not begin with the cached fix of another")
    func cachedFixOfOther() throws {
        let device = try Drives.device(
            (0..<4).map { (second: Int) -> String in
                Drives.report(
                    Double(second), latitude: Double(second % 2 * 40), device: second % 2 == 0 ? "/dev/a" : "/dev/b")
            })
        let (recorder, single) = (Recorder(), Recorder())
        try device.use {
            let other = CLLocationManager()
            other.startUpdatingLocation()
            device.step()
            let manager = CLLocationManager()
            manager.receiver = "/dev/b"
            manager.delegate = recorder
            manager.startUpdatingLocation()
            let third = CLLocationManager()
            third.receiver = "/dev/b"
            third.delegate = single
            third.requestLocation()
            try device.play()
            withExtendedLifetime(other) {}
        }
        #expect(recorder.locations.allSatisfy { $0.receiver == "/dev/b" })
        #expect(recorder.locations.count == 2)
        #expect(single.locations.map(\.receiver) == ["/dev/b"])
    }

    @Test("Stopping an inactive service does not discard the result of a request")
    func keepsResult() throws {
        let device = try Drives.device([Drives.report(0, latitude: 1), Drives.report(1, latitude: 2)])
        let recorder = Recorder()
        try device.use {
            let other = CLLocationManager()
            other.startUpdatingLocation()
            device.step()
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.requestLocation()
            manager.stopMonitoringSignificantLocationChanges()
            try device.play()
            withExtendedLifetime(other) {}
        }
        #expect(recorder.events == ["authorization 4", "location 1.0"])
    }

    @Test("Concurrent changes of two properties are both kept")
    func settings() throws {
        let device = try Drives.device([Drives.report(0, latitude: 1)])
        let manager = device.use { CLLocationManager() }
        nonisolated(unsafe) let shared = manager
        let lost = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 2) { index in
            for round in 1...Thoroughness.rounds(20_000, quick: 2_000) {
                if index == 0 {
                    shared.distanceFilter = Double(round)
                    if shared.distanceFilter != Double(round) { lost.add(1, ordering: .relaxed) }
                } else {
                    shared.desiredAccuracy = Double(round)
                    if shared.desiredAccuracy != Double(round) { lost.add(1, ordering: .relaxed) }
                }
            }
        }
        #expect(lost.load(ordering: .relaxed) == 0)
    }

    @Test("A request with a NaN accuracy accepts a good fix")
    func nanAccuracy() throws {
        let device = try Drives.device([Drives.report(0, latitude: 1, eph: 5)])
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.desiredAccuracy = .nan
            manager.distanceFilter = .nan
            manager.requestLocation()
            try device.play()
        }
        #expect(recorder.locations.count == 1)
    }

    @Test("With reduced accuracy, a request does not wait for an accuracy that cannot be reached")
    func reducedRequest() throws {
        var configuration = Configuration()
        configuration.reducesAccuracy = Setting(true, origin: .program)
        let device = try Drives.device([Drives.report(0, latitude: 48)], configuration: configuration)
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.requestLocation()
            try device.play()
        }
        #expect(recorder.locations.count == 1)
    }

    @Test("The radius of a reduced location includes the true position, even near poles and date line")
    func reducedRadius() throws {
        let latitudes: [Double] = [0, 48.013, 89.0, 89.87, 89.9001, 89.9501, 89.96, 89.99, 90, -89.9501, -90]
        for latitude in latitudes {
            for longitude in stride(from: -180.0, through: 180, by: 7.5) {
                let device = ReducedAccuracy.reduced(
                    CLLocation.Values(latitude: latitude, longitude: longitude, horizontalAccuracy: 5, timestamp: 0))
                let distance = geodesicDistance(
                    CLLocationCoordinate2D(latitude: latitude, longitude: longitude),
                    CLLocationCoordinate2D(latitude: device.latitude, longitude: device.longitude))
                #expect(distance <= device.horizontalAccuracy, "\(latitude) \(longitude)")
            }
        }
    }

    @Test("Hostile numbers yield finite locations or none")
    func hostile() throws {
        let fields = [
            "eph", "epx", "epv", "eps", "epd", "speed", "track", "altHAE", "altMSL", "geoidSep", "alt", "climb",
        ]
        let values = ["1e308", "1e999", "-1e999", "-1", "NaN", "null", "360", "-0.0", "\"x\"", "99999999999999999999"]
        var lines: [String] = []
        for field in fields {
            for value in values {
                lines.append(
                    Drives.report(Double(lines.count), latitude: 48, eph: nil, more: ",\"\(field)\":\(value)"))
            }
        }
        lines.append(#"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"lat":1e999,"lon":1}"#)
        lines.append(#"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"lat":90.0000001,"lon":1}"#)
        lines.append(#"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"lat":1,"lon":-180.1}"#)
        lines.append(
            #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"9999-12-31T23:59:59Z","lat":1,"lon":-180}"#)
        lines.append(
            #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"0001-01-01T00:00:00Z","lat":-90,"lon":180}"#)
        lines.append(#"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":1e300,"lat":-90,"lon":180}"#)
        lines.append(#"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":-1e300,"lat":-90,"lon":180}"#)
        lines.append(#"{"class":"SKY","hdop":-1e999,"satellites":[{"PRN":-1,"az":1e999,"el":null,"ss":"a","used":3}]}"#)
        lines.append(#"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"lat":2,"lon":2}"#)
        let device = try Drives.device(lines)
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.deliversEveryReport = true
            manager.startUpdatingLocation()
            try device.play()
        }
        #expect(recorder.locations.last?.coordinate.latitude == 2)
        for location in recorder.locations {
            let numbers = [
                location.coordinate.latitude, location.coordinate.longitude, location.altitude,
                location.ellipsoidalAltitude, location.horizontalAccuracy, location.verticalAccuracy, location.speed,
                location.speedAccuracy, location.course, location.courseAccuracy,
                location.timestamp.timeIntervalSince1970,
            ]
            let areFinite = numbers.allSatisfy { $0.isFinite }
            #expect(areFinite, "\(numbers) \(location.report?.time as Any)")
            #expect(location.horizontalAccuracy >= 0)
            #expect(location.course >= -1 && location.course < 360)
        }
    }

    @Test("Managers tolerate concurrent callbacks, changes and releases on many threads")
    func threads() throws {
        let device = try Drives.device(
            (0..<3000).map { Drives.report(Double($0) / 10, latitude: Double($0 % 80)) }, delivery: .asLive)
        let total = Atomic<Int>(0)
        final class Counting: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
            let body: @Sendable (CLLocationManager) -> Void
            init(_ body: @escaping @Sendable (CLLocationManager) -> Void) { self.body = body }
            func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
                body(manager)
            }
        }
        DispatchQueue.concurrentPerform(iterations: 6) { index in
            device.use {
                if index == 0 {
                    while device.step() {}
                    return
                }
                for round in 0..<150 {
                    let delegate = Counting { manager in
                        total.add(1, ordering: .relaxed)
                        switch round % 5 {
                        case 0:
                            manager.stopUpdatingLocation()
                            manager.startUpdatingLocation()
                        case 1: manager.delegate = nil
                        case 2: manager.requestLocation()
                        case 3: _ = CLLocationManager()
                        default: manager.distanceFilter = Double(round)
                        }
                    }
                    let manager = CLLocationManager()
                    manager.delegate = delegate
                    if round % 3 == 0 { manager.delegateQueue = DispatchQueue(label: "own") }
                    manager.startUpdatingLocation()
                    if round % 7 == 0 { manager.requestLocation() }
                    if round % 11 == 0 { manager.startMonitoringSignificantLocationChanges() }
                    if index == 1, round % 10 == 0 {
                        LocationAuthorization.current.status = round % 20 == 0 ? .denied : .authorizedAlways
                    }
                    if round % 2 == 0 { manager.stopUpdatingLocation() }
                }
                LocationAuthorization.current.status = .authorizedAlways
            }
        }
        let hub = try #require(device.device.positionSource as? PositionHub)
        // A callback that still runs on a queue keeps its manager alive.
        let deadline = ContinuousClock.now.advanced(by: .seconds(60))
        while hub.hasSubscribers, ContinuousClock.now < deadline { sched_yield() }
        #expect(!hub.hasSubscribers)
    }
}
