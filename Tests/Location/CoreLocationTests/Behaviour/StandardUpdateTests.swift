// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import SimulatedDevice
import Testing

@Suite("Standard location updates")
struct StandardUpdateTests {
    @Test("A played drive delivers each fix once and in order")
    func playsADrive() throws {
        let device = try Drives.device((0..<5).map { Drives.report(Double($0), latitude: 48 + Double($0) / 10) })
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            #expect(recorder.events.isEmpty, "never inside a start call")
            try device.play()
            #expect(manager.location?.coordinate.latitude == 48.4)
        }
        #expect(recorder.locations.map(\.coordinate.latitude) == [48, 48.1, 48.2, 48.3, 48.4])
        #expect(recorder.locations.map { Drives.second($0.timestamp) } == [0, 1, 2, 3, 4])
        #expect(recorder.events.first == "authorization 4")
    }

    @Test("Locations have the receiver's values, and absent values are marked as invalid")
    func convertsValues() throws {
        let full = Drives.report(
            0, latitude: 48.123456789,
            more:
                ",\"altHAE\":545.25,\"altMSL\":500.125,\"epv\":7.5,\"track\":271.5,\"speed\":13.25,\"eps\":0.75,\"epd\":3.5"
        )
        let flat = Drives.report(
            1, latitude: 48.2, mode: 2, eph: nil, more: ",\"epx\":3,\"epy\":4,\"altMSL\":9,\"epv\":2")
        let device = try Drives.device([full, flat])
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            try device.play()
        }
        try #require(recorder.locations.count == 2)
        let first = recorder.locations[0]
        #expect(first.coordinate.latitude == 48.123456789)
        #expect(first.altitude == 500.125)
        #expect(first.ellipsoidalAltitude == 545.25)
        #expect(first.horizontalAccuracy == 5)
        #expect(first.verticalAccuracy == 7.5)
        #expect(first.course == 271.5)
        #expect(first.courseAccuracy == 3.5)
        #expect(first.speed == 13.25)
        #expect(first.speedAccuracy == 0.75)
        #expect(first.sourceInformation?.isSimulatedBySoftware == true)
        #expect(first.sourceInformation?.isProducedByAccessory == true, "a receiver on /dev/ttyACM0 was plugged in")
        let second = recorder.locations[1]
        // √(3² + 4²) = 5.
        #expect(second.horizontalAccuracy == 5)
        #expect(second.verticalAccuracy == -1, "the altitude of a 2D fix is not one")
        #expect(second.course == -1)
        #expect(second.speed == -1)
        #expect(second.altitudeAboveEllipsoid == nil)
    }

    @Test("The mode and the coordinates alone determine a fix, regardless of the status")
    func judgesByModeAndCoordinates() throws {
        let device = try Drives.device([
            Drives.report(0, latitude: 48.0, more: ",\"status\":0"),
            Drives.report(1, mode: 3),
            Drives.report(2, latitude: 48.2, mode: 1, more: ",\"status\":2"),
            Drives.report(3, latitude: 91),
            Drives.report(4, latitude: 48.4),
        ])
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            try device.play()
        }
        #expect(
            recorder.events == ["authorization 4", "location 48.0", "error 0", "location 48.4"],
            "a loss is delivered once, not for each report of the loss")
    }

    @Test("Several reports with the same time yield one location, from the last report")
    func coalescesEpochs() throws {
        let device = try Drives.device([
            Drives.report(0, latitude: 48.00), Drives.report(0, latitude: 48.01),
            Drives.report(1, latitude: 48.10), Drives.report(1, latitude: 48.11), Drives.report(1, latitude: 48.12),
            Drives.report(2, latitude: 48.20), Drives.report(2, latitude: 48.21),
        ])
        let recorder = Recorder()
        let everyReport = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            let other = CLLocationManager()
            other.deliversEveryReport = true
            other.delegate = everyReport
            other.startUpdatingLocation()
            try device.play()
        }
        // The first epoch shows that the receiver sends two reports per epoch. Until then, no report is held back.
        #expect(recorder.locations.map(\.coordinate.latitude) == [48.00, 48.12, 48.21])
        #expect(everyReport.locations.count == 7)
    }

    @Test("A held epoch is delivered when the input is idle for 150 ms")
    func deliversPendingEpochWhenIdle() throws {
        let device = try Drives.device([
            Drives.report(0, latitude: 48.00), Drives.report(0, latitude: 48.01),
            Drives.report(1, latitude: 48.10), Drives.report(30, latitude: 48.2),
        ])
        let recorder = Recorder()
        device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            device.advance(by: 1.149)
            #expect(recorder.locations.count == 1)
            device.advance(by: 0.002)
            #expect(recorder.locations.map(\.coordinate.latitude) == [48.00, 48.10])
        }
    }

    @Test("A distance filter suppresses short movements unless the accuracy improves")
    func filtersByDistance() throws {
        // 0.001 degrees of latitude are 111.2 m at 48 degrees north (meridian radius 6,370 km).
        let device = try Drives.device([
            Drives.report(0, latitude: 48.000, eph: 10),
            Drives.report(1, latitude: 48.001, eph: 10),
            Drives.report(2, latitude: 48.002, eph: 10),
            Drives.report(3, latitude: 48.003, eph: 10),
            Drives.report(4, latitude: 48.0031, eph: 4),
            Drives.report(5, latitude: 48.0032, eph: 4),
        ])
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.distanceFilter = 200
            manager.delegate = recorder
            manager.startUpdatingLocation()
            try device.play()
        }
        #expect(recorder.locations.map(\.coordinate.latitude) == [48.000, 48.002, 48.0031])
    }

    @Test("The cached fix is delivered first, with its original time")
    func deliversCachedFixFirst() throws {
        let device = try Drives.device((0..<3).map { Drives.report(Double($0), latitude: 48 + Double($0)) })
        let first = Recorder()
        let second = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = first
            manager.startUpdatingLocation()
            try device.play()
            device.advance(by: 100)
            let late = CLLocationManager()
            late.delegate = second
            late.startUpdatingLocation()
            #expect(second.events.isEmpty)
            device.advance(by: 0)
        }
        #expect(second.locations.map { Drives.second($0.timestamp) } == [2])
        #expect(second.locations.first?.age == .seconds(100))
    }

    @Test("A second start has no effect, and a restart delivers the cached fix first")
    func startsAndStops() throws {
        let device = try Drives.device((0..<6).map { Drives.report(Double($0), latitude: 48 + Double($0)) })
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            manager.startUpdatingLocation()
            device.step()
            device.step()
            manager.stopUpdatingLocation()
            manager.stopUpdatingLocation()
            device.step()
            #expect(recorder.locations.map(\.coordinate.latitude) == [48, 49])
            manager.startUpdatingLocation()
            device.advance(by: 0)
            // The third fix was cached while the manager was stopped.
            #expect(recorder.locations.map(\.coordinate.latitude) == [48, 49, 50])
            try device.play()
        }
        #expect(recorder.locations.map(\.coordinate.latitude) == [48, 49, 50, 51, 52, 53])
    }

    @Test("A stop in a callback also discards queued locations")
    func stopsInCallback() throws {
        let device = try Drives.device((0..<5).map { Drives.report(Double($0), latitude: 48 + Double($0)) })
        let recorder = Recorder()
        recorder.onLocations = { manager, _ in manager.stopUpdatingLocation() }
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            try device.play()
        }
        #expect(recorder.locations.count == 1)
    }

    @Test("A manager created in a callback belongs to the same device")
    func makesManagerInCallback() throws {
        let device = try Drives.device((0..<3).map { Drives.report(Double($0), latitude: 48 + Double($0)) })
        let recorder = Recorder()
        let inner = Recorder()
        nonisolated(unsafe) var second: CLLocationManager?
        recorder.onLocations = { _, _ in
            guard second == nil else { return }
            second = CLLocationManager()
            second?.delegate = inner
            second?.startUpdatingLocation()
        }
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            try device.play()
        }
        #expect(inner.locations.map(\.coordinate.latitude) == [48, 49, 50])
    }

    @Test("A manager released in its own callback receives no more callbacks")
    func releasesManagerInCallback() throws {
        let device = try Drives.device((0..<3).map { Drives.report(Double($0), latitude: 48 + Double($0)) })
        let recorder = Recorder()
        nonisolated(unsafe) var manager: CLLocationManager?
        recorder.onLocations = { _, _ in manager = nil }
        try device.use {
            manager = CLLocationManager()
            manager?.delegate = recorder
            manager?.startUpdatingLocation()
            try device.play()
        }
        #expect(recorder.locations.count == 1)
        #expect(manager == nil)
    }

    @Test("Fixes of several receivers are never mixed")
    func separatesReceivers() throws {
        let lines = (0..<20).flatMap { second in
            [
                Drives.report(Double(second), latitude: 48, device: "/dev/ttyACM0"),
                Drives.report(Double(second), latitude: 10, device: "/dev/ttyUSB1"),
            ]
        }
        let device = try Drives.device(lines)
        let best = Recorder()
        let named = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = best
            manager.startUpdatingLocation()
            let other = CLLocationManager()
            other.receiver = "/dev/ttyUSB1"
            other.delegate = named
            other.startUpdatingLocation()
            try device.play()
        }
        #expect(Set(best.locations.map(\.coordinate.latitude)) == [48])
        #expect(best.locations.count == 20)
        #expect(Set(named.locations.map(\.receiver)) == ["/dev/ttyUSB1"])
        #expect(named.locations.count == 20)
    }

    @Test("Locations include satellites and dilutions of precision")
    func carriesSky() throws {
        let sky =
            "{\"class\":\"SKY\",\"device\":\"/dev/ttyACM0\",\"hdop\":1.5,\"satellites\":[{\"PRN\":5,\"el\":40,\"az\":120,\"ss\":33,\"used\":true},{\"PRN\":9,\"used\":false}]}"
        let dilutions = "{\"class\":\"SKY\",\"device\":\"/dev/ttyACM0\",\"hdop\":1.25}"
        let device = try Drives.device([
            sky, Drives.report(0, latitude: 48), dilutions, Drives.report(1, latitude: 48, eph: nil),
        ])
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            try device.play()
        }
        try #require(recorder.locations.count == 2)
        #expect(recorder.locations[0].satellites.map(\.number) == [5, 9])
        #expect(recorder.locations[0].satellites.map(\.isUsed) == [true, false])
        #expect(recorder.locations[1].satellites.count == 2, "a sky of dilutions only does not forget the satellites")
        #expect(recorder.locations[1].sky?.hdop == 1.25)
        // Without an accuracy estimate, the accuracy is 8 m per unit of dilution.
        #expect(recorder.locations[1].horizontalAccuracy == 10)
    }

    @Test("Raw reports are kept on request")
    func keepsRawReports() throws {
        let line = Drives.report(0, latitude: 48)
        let device = try Drives.device([line])
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.keepsRawReports = true
            manager.delegate = recorder
            manager.startUpdatingLocation()
            try device.play()
        }
        #expect(recorder.locations.first?.rawReport == Data(line.utf8))
    }

    @Test("Locations whose times run backwards are marked and keep their order")
    func passesOnBackwardsTime() throws {
        let device = try Drives.device([
            Drives.report(10, latitude: 48), Drives.report(5, latitude: 49), Drives.report(6, latitude: 50),
        ])
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            try device.play()
        }
        #expect(recorder.locations.map { Drives.second($0.timestamp) } == [10, 5, 6])
        #expect(recorder.locations.map(\.isOutOfOrder) == [false, true, false])
    }

    @Test("Timestamps can be shifted to another time by a constant offset")
    func rebasesStamps() throws {
        let device = try Drives.device(
            [Drives.report(10, latitude: 48), Drives.report(12.5, latitude: 49)],
            stamps: .rebased(to: WallTime(nanoseconds: 2_000_000_000_000_000_000)))
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            try device.play()
        }
        #expect(recorder.locations.map(\.timestamp.timeIntervalSince1970) == [2_000_000_000, 2_000_000_002.5])
    }
}
