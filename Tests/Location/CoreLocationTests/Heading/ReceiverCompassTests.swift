// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine
import SimulatedDevice
import Testing

@testable import CoreLocation

@Suite("Compasses of gpsd")
struct ReceiverCompassTests {
    private func attitude(_ members: String, device: String = "/dev/ttyUSB3") -> String {
        "{\"class\":\"ATT\",\"device\":\"\(device)\",\(members)}"
    }

    private func play(
        _ lines: [String], locations: Bool = false, _ change: (CLLocationManager) -> Void = { _ in }
    ) throws -> Compass {
        let compass = Compass()
        let device = try Drives.device(lines)
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = compass
            change(manager)
            manager.startUpdatingHeading()
            if locations { manager.startUpdatingLocation() }
            try device.play()
        }
        return compass
    }

    @Test("A compass's headings are delivered unchanged, with a positive accuracy")
    func both() throws {
        let compass = try play([
            attitude("\"time\":\"2026-05-01T10:00:00.500Z\",\"heading\":14.5,\"mheading\":10.25"),
            attitude("\"time\":\"2026-05-01T10:00:01.000Z\",\"heading\":359.5,\"mheading\":355.25"),
        ])
        #expect(compass.headings.map(\.magneticHeading) == [10.25, 355.25])
        #expect(compass.headings.map(\.trueHeading) == [14.5, 359.5])
        #expect(compass.headings.map(\.headingAccuracy) == [5, 5])
        #expect(compass.headings.map(\.receiver) == ["/dev/ttyUSB3", "/dev/ttyUSB3"])
        #expect(compass.headings.map { Drives.second($0.timestamp) } == [0.5, 1])
        #expect(compass.headings.map(\.x) == [0, 0])
        #expect(compass.errors.isEmpty)
    }

    @Test("Headings outside 0 ..< 360 are ignored")
    func rubbish() throws {
        let compass = try play(
            ["14223.0", "360", "-0.5", "1e300"].map { attitude("\"heading\":\($0)") }
                + [attitude("\"pitch\":3"), attitude("\"heading\":14223.0,\"mheading\":7"), attitude("\"heading\":0")])
        #expect(compass.headings.map(\.magneticHeading) == [7, 0])
        #expect(compass.headings.map(\.trueHeading) == [-1, 0])
    }

    @Test("A missing true heading is computed during location updates, a missing magnetic one always")
    func declination() throws {
        let lines = [
            Drives.report(0, latitude: 48), attitude("\"mheading\":358"), Drives.report(1, latitude: 48),
            attitude("\"heading\":2"),
        ]
        // pygeomag 1.1.0 reports 4.1716 degrees at 48 N, 11 E.
        let both = try play(lines, locations: true) { $0.headingFilter = kCLHeadingFilterNone }
        try #require(both.headings.count == 2)
        #expect(abs(both.headings[0].trueHeading - 2.1716) < 1e-3)
        #expect(abs(both.headings[1].magneticHeading - 357.8284) < 1e-3)
        #expect(both.headings[1].trueHeading == 2)
        // Without location updates, a missing true heading remains unknown, but the magnetic one is computed.
        let alone = try play(lines) { $0.headingFilter = kCLHeadingFilterNone }
        try #require(alone.headings.count == 2)
        #expect(alone.headings.map(\.trueHeading) == [-1, 2])
        #expect(abs(alone.headings[1].magneticHeading - 357.8284) < 1e-3)
    }

    @Test("Without a known declination, the magnetic heading equals the reported true heading")
    func unknownDeclination() throws {
        let compass = try play([attitude("\"heading\":123")])
        #expect(compass.headings.map(\.magneticHeading) == [123])
    }

    @Test("The heading filter and the heading orientation also apply to a compass")
    func filter() throws {
        let lines = (0..<20).map { attitude("\"mheading\":\(($0 + 350) % 360)") }
        let compass = try play(lines) { manager in
            manager.headingFilter = 5
            manager.headingOrientation = .landscapeLeft
        }
        #expect(compass.degrees == [80, 85, 90, 95])
    }

    @Test("The device's own magnetometer takes precedence over a compass")
    func ownFirst() throws {
        let device = try Drives.device((0..<3).map { attitude("\"mheading\":\(100 + 10 * $0)") })
        let compass = Compass()
        device.use {
            let manager = CLLocationManager()
            manager.delegate = compass
            manager.startUpdatingHeading()
            device.step()
            manager.client.receive(.states([FusedState(.flat(heading: 20), at: 0)]))
            device.step()
            #expect(compass.degrees == [100, 20])
            manager.client.receive(.lost(.magnetometer, DeviceError(.connectionLost, "unplugged")))
            device.step()
            #expect(compass.events == ["heading 100", "heading 20", "error 3", "heading 120"])
        }
    }

    @Test("Headings are available after the first compass report, and the last report is the first heading")
    func available() throws {
        let lines = [
            Drives.report(0, latitude: 48), attitude("\"pitch\":1"), attitude("\"mheading\":77"),
            Drives.report(1, latitude: 48),
        ]
        let device = try Drives.device(lines)
        device.use {
            let manager = CLLocationManager()
            manager.startUpdatingLocation()
            device.step()
            device.step()
            #expect(!CLLocationManager.headingAvailable())
            device.step()
            #expect(CLLocationManager.headingAvailable())
            let (second, compass) = (CLLocationManager(), Compass())
            second.delegate = compass
            second.startUpdatingHeading()
            device.advance(by: 0)
            #expect(compass.degrees == [77])
        }
    }

    @Test("A lost service is reported as a failure if no other source provides headings")
    func lost() throws {
        let device = try Drives.device([attitude("\"mheading\":77")])
        let compass = Compass()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = compass
            manager.startUpdatingHeading()
            try device.play()
            manager.client.receiveCompass(.lost(DeviceError(.connectionLost, "gpsd is gone")))
            manager.client.receiveCompass(.lost(DeviceError(.connectionLost, "gpsd is gone")))
            manager.client.scheduleDrainIfNeeded()
            device.advance(by: 0)
            #expect(compass.events == ["heading 77", "error 3"])
            manager.client.receive(.states([FusedState(.flat, at: 0)]))
            manager.client.receiveCompass(.lost(DeviceError(.connectionLost, "gpsd is gone")))
            manager.client.scheduleDrainIfNeeded()
            device.advance(by: 0)
            #expect(compass.events == ["heading 77", "error 3", "heading 0"])
        }
    }
}
