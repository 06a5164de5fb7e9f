// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine
import SensorFusion
import SimulatedDevice
import Testing

@testable import CoreLocation

@Suite("Heading updates")
struct HeadingDeliveryTests {
    /// Runs the body with a device without sensors. The test passes fusion states to the manager.
    private func run(
        _ lines: [String] = [Drives.report(0, mode: 1)],
        _ body: (SimulatedDevice, CLLocationManager, Compass) throws -> Void
    ) throws {
        let device = try Drives.device(lines)
        try device.use {
            let (manager, compass) = (CLLocationManager(), Compass())
            manager.delegate = compass
            try body(device, manager, compass)
        }
    }

    private func states(_ headings: [Double], from seconds: Double = 0) -> FusionEvent {
        .states(headings.enumerated().map { FusedState(.flat(heading: $1), at: seconds + Double($0) / 100) })
    }

    private func deliver(_ headings: [Double], to manager: CLLocationManager, on device: SimulatedDevice) {
        manager.client.receive(states(headings))
        device.advance(by: 0)
    }

    @Test("Heading properties have Core Location's defaults")
    func defaults() throws {
        try run { _, manager, _ in
            #expect(manager.heading == nil)
            #expect(manager.headingFilter == 1)
            #expect(manager.headingOrientation == .portrait)
            #expect(!CLLocationManager.headingAvailable())
            manager.dismissHeadingCalibrationDisplay()
        }
    }

    @Test("The first heading bypasses the filter, and no heading is delivered inside a call")
    func delivers() throws {
        try run { device, manager, compass in
            manager.headingFilter = 5
            manager.startUpdatingHeading()
            manager.client.receive(states([10, 12, 14.9, 15.1, 18, 20.2]))
            #expect(compass.events.isEmpty)
            device.advance(by: 0)
            #expect(compass.degrees == [10, 15, 20])
            #expect(manager.heading === compass.headings.last)
            #expect(compass.headings.allSatisfy { $0.receiver == nil })
        }
    }

    @Test("In a callback, the manager's heading is the delivered one")
    func own() throws {
        try run { device, manager, compass in
            compass.onHeading = { manager, heading in #expect(manager.heading === heading) }
            manager.startUpdatingHeading()
            deliver([1, 90, 180], to: manager, on: device)
            #expect(compass.headings.count == 3)
        }
    }

    @Test("A second start has no effect, and a restart delivers a new first heading")
    func restarts() throws {
        try run { device, manager, compass in
            manager.startUpdatingHeading()
            deliver([10], to: manager, on: device)
            manager.startUpdatingHeading()
            deliver([10], to: manager, on: device)
            #expect(compass.degrees == [10])
            manager.stopUpdatingHeading()
            manager.stopUpdatingHeading()
            manager.startUpdatingHeading()
            deliver([10], to: manager, on: device)
            #expect(compass.degrees == [10, 10])
        }
    }

    @Test("After a stop, no heading is delivered, not even a queued one")
    func stops() throws {
        try run { device, manager, compass in
            manager.startUpdatingHeading()
            manager.client.receive(states([10]))
            manager.stopUpdatingHeading()
            manager.client.receive(states([90]))
            device.advance(by: 60)
            #expect(compass.events.isEmpty)
            #expect(manager.heading == nil)
        }
    }

    @Test("A stop in a callback discards the remaining headings")
    func stopsInCallback() throws {
        try run { device, manager, compass in
            compass.onHeading = { manager, _ in manager.stopUpdatingHeading() }
            manager.startUpdatingHeading()
            deliver([10, 90, 180], to: manager, on: device)
            #expect(compass.degrees == [10])
        }
    }

    @Test("No heading is delivered before north is known")
    func noNorth() throws {
        try run { device, manager, compass in
            manager.startUpdatingHeading()
            var state = FusedState(.flat)
            state.northOffset = nil
            manager.client.receive(.states([state]))
            device.advance(by: 0)
            #expect(compass.events.isEmpty)
        }
    }

    @Test("Components are in microtesla along the device's axes, and the time is that of the sample")
    func values() throws {
        try run { device, manager, compass in
            manager.startUpdatingHeading()
            device.advance(by: 2)
            manager.client.receive(.states([FusedState(.flat(heading: 90), at: 1.5)]))
            device.advance(by: 0)
            let heading = try #require(compass.headings.first)
            // The top edge points east, so north is on the left: 20 microtesla against x.
            #expect(abs(heading.x + 20) < 1e-9)
            #expect(abs(heading.y) < 1e-9)
            #expect(abs(heading.z + 43) < 1e-9)
            #expect(abs(heading.magneticHeading - 90) < 1e-9)
            #expect(abs(Drives.second(heading.timestamp) - 1.5) < 1e-6)
            #expect(heading.uptime == 1.5)
            // 3 degrees of the filter and 2 of a high calibration quality: √13.
            #expect(abs(heading.headingAccuracy - 13.0.squareRoot()) < 1e-9)
        }
    }

    @Test("The orientation rotates the heading immediately; unknown, face up and face down are ignored")
    func orientation() throws {
        try run { device, manager, compass in
            manager.startUpdatingHeading()
            let orientations: [CLDeviceOrientation] = [
                .portrait, .landscapeLeft, .unknown, .portraitUpsideDown, .faceUp, .landscapeRight, .faceDown,
            ]
            for orientation in orientations {
                manager.headingOrientation = orientation
                deliver([30], to: manager, on: device)
            }
            #expect(compass.degrees == [30, 120, 210, 300])
            #expect(manager.headingOrientation == .landscapeRight)
        }
    }

    @Test("A true heading requires location updates of the same manager")
    func trueHeading() throws {
        let lines = (0..<6).map { Drives.report(Double($0), latitude: 48) }
        try run(lines) { device, manager, compass in
            manager.headingFilter = kCLHeadingFilterNone
            manager.startUpdatingHeading()
            let other = CLLocationManager()
            other.startUpdatingLocation()
            device.step()
            func heading() -> CLHeading {
                deliver([358], to: manager, on: device)
                return compass.headings.last ?? CLHeading()
            }
            #expect(heading().trueHeading == -1, "another manager's do not count")
            manager.startUpdatingLocation()
            device.step()
            // pygeomag 1.1.0 reports 4.1716 degrees at 48 N, 11 E on the day of the report.
            let corrected = heading()
            #expect(abs(corrected.trueHeading - 2.1716) < 1e-3)
            #expect(abs(corrected.magneticHeading - 358) < 1e-9)
            manager.stopUpdatingLocation()
            #expect(heading().trueHeading == -1)
            manager.startMonitoringSignificantLocationChanges()
            device.step()
            #expect(heading().trueHeading > 0)
            manager.stopMonitoringSignificantLocationChanges()
            manager.requestLocation()
            device.step()
            #expect(heading().trueHeading == -1, "a single request is no update")
        }
    }

    @Test("A true heading that appears or disappears is delivered even if the device is at rest")
    func trueHeadingAtRest() throws {
        try run([Drives.report(0, latitude: 48)]) { device, manager, compass in
            manager.startUpdatingHeading()
            deliver([90, 90], to: manager, on: device)
            manager.startUpdatingLocation()
            try device.play()
            deliver([90, 90], to: manager, on: device)
            manager.stopUpdatingLocation()
            deliver([90, 90], to: manager, on: device)
            #expect(compass.headings.map { $0.trueHeading > 0 } == [false, true, false])
            #expect(compass.events == ["heading 90", "location 48.0", "heading 90", "heading 90"])
        }
    }

    @Test("Without location authorization, headings are delivered without a true heading")
    func refused() throws {
        try run([Drives.report(0, latitude: 48)]) { device, manager, compass in
            manager.startUpdatingLocation()
            try device.play()
            manager.authorization.status = .denied
            manager.startUpdatingHeading()
            deliver([90], to: manager, on: device)
            #expect(compass.headings.map(\.trueHeading) == [-1])
        }
    }

    @Test("Locations and headings are delivered in the order of their arrival")
    func order() throws {
        let lines = (0..<3).map { Drives.report(Double($0), latitude: Double(40 + $0)) }
        try run(lines) { device, manager, compass in
            manager.startUpdatingLocation()
            manager.startUpdatingHeading()
            for round in 0..<3 {
                manager.client.receive(states([Double(round) * 20, Double(round) * 20 + 10]))
                device.step()
            }
            #expect(
                compass.events == [
                    "heading 0", "heading 10", "location 40.0", "heading 20", "heading 30", "location 41.0",
                    "heading 40", "heading 50", "location 42.0",
                ])
        }
    }

    @Test("Stopping one service keeps the queued callbacks of the other")
    func separate() throws {
        try run([Drives.report(0, latitude: 40)]) { device, manager, compass in
            manager.startUpdatingHeading()
            manager.client.receive(states([10]))
            manager.client.receive(.lost(.magnetometer, DeviceError(.connectionLost, "unplugged")))
            manager.startUpdatingLocation()
            manager.stopUpdatingLocation()
            device.advance(by: 0)
            #expect(compass.events == ["heading 10", "error 3"])
        }
    }

    @Test("The queue keeps only the latest headings and never drops a location for them")
    func bounded() {
        var callbacks = PendingLocationCallbacks()
        callbacks.add(CLLocation(latitude: 1, longitude: 2))
        for degree in 0..<10_000 {
            callbacks.add(CLHeading(.init(magneticHeading: Double(degree), timestamp: 0)))
        }
        #expect(callbacks.queue.count == 33)
        guard case .locations? = callbacks.removeFirst() else { Issue.record("no location"); return }
        var headings: [Double] = []
        while case .heading(let heading)? = callbacks.removeFirst() { headings.append(heading.magneticHeading) }
        #expect(headings == (9968..<10_000).map(Double.init))
        for _ in 0..<40 { callbacks.add(CLHeading()) }
        #expect(callbacks.queue.count == 32)
        callbacks.removeHeadings()
        callbacks.add(CLHeading())
        #expect(callbacks.queue.count == 1)
    }

    @Test("Heading updates end when their manager is released")
    func retires() throws {
        let device = try Drives.device([Drives.report(0, mode: 1)])
        try device.use {
            weak var weakManager: CLLocationManager?
            weak var client: LocationClient?
            do {
                let manager = CLLocationManager()
                manager.startUpdatingHeading()
                manager.client.receive(.lost(.magnetometer, DeviceError(.connectionLost, "unplugged")))
                (weakManager, client) = (manager, manager.client)
            }
            try device.play()
            #expect(weakManager == nil)
            #expect(client == nil)
        }
    }
}
