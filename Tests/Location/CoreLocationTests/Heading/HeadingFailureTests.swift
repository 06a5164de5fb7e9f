// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine
import SimulatedDevice
import Testing

@testable import CoreLocation

@Suite("Unavailable headings")
struct HeadingFailureTests {
    private func run(_ body: (SimulatedDevice, CLLocationManager, Compass) throws -> Void) throws {
        let device = try Drives.device([Drives.report(0, mode: 1)])
        try device.use {
            let (manager, compass) = (CLLocationManager(), Compass())
            manager.delegate = compass
            manager.startUpdatingHeading()
            try body(device, manager, compass)
        }
    }

    /// Returns states of a device at rest, at 10 Hz.
    private func states(_ range: Range<Int>, isDisturbed: Bool = false) -> FusionEvent {
        .states(range.map { FusedState(.flat, at: Double($0) / 10, isDisturbed: isDisturbed) })
    }

    @Test("A disturbed field invalidates the heading immediately and causes one failure after five seconds")
    func disturbed() throws {
        try run { device, manager, compass in
            manager.client.receive(states(0..<10))
            manager.client.receive(states(10..<60, isDisturbed: true))
            device.advance(by: 0)
            #expect(compass.headings.map { $0.headingAccuracy > 0 } == [true, false])
            #expect(compass.events == ["heading 0", "question", "heading 0"])
            manager.client.receive(states(60..<200, isDisturbed: true))
            device.advance(by: 0)
            #expect(compass.events.count { $0 == "error 3" } == 1)
            #expect(compass.errors.first?.code == .headingFailure)
            manager.client.receive(states(200..<210))
            manager.client.receive(states(210..<270, isDisturbed: true))
            device.advance(by: 0)
            #expect(compass.events.count { $0 == "error 3" } == 2, "another disturbance is another failure")
            #expect(compass.headings.map { $0.headingAccuracy > 0 } == [true, false, true, false])
        }
    }

    @Test("Short disturbances cause no failure")
    func short() throws {
        try run { device, manager, compass in
            for round in 0..<10 {
                let start = round * 50
                manager.client.receive(states(start..<start + 45, isDisturbed: true))
                manager.client.receive(states(start + 45..<start + 50))
            }
            device.advance(by: 0)
            #expect(compass.errors.isEmpty)
        }
    }

    @Test("The calibration display is requested when headings become invalid, at most once a minute")
    func calibrationPrompt() throws {
        try run { device, manager, compass in
            func deliver(_ range: Range<Int>, isDisturbed: Bool) -> Int {
                manager.client.receive(states(range, isDisturbed: isDisturbed))
                device.advance(by: 0)
                return compass.events.count { $0 == "question" }
            }
            #expect(deliver(0..<10, isDisturbed: false) == 0)
            #expect(deliver(10..<20, isDisturbed: true) == 1)
            #expect(deliver(20..<30, isDisturbed: false) == 1)
            #expect(deliver(30..<40, isDisturbed: true) == 1, "two seconds after the first")
            #expect(deliver(40..<609, isDisturbed: false) == 1)
            #expect(deliver(620..<700, isDisturbed: true) == 2, "a minute after the first")
            #expect(deliver(700..<2000, isDisturbed: true) == 2)
        }
    }

    @Test("A lost magnetometer is reported once with its reason, and the next heading bypasses the filter")
    func lost() throws {
        try run { device, manager, compass in
            manager.client.receive(states(0..<2))
            manager.client.receive(.lost(.magnetometer, DeviceError(.connectionLost, "unplugged")))
            manager.client.receive(.lost(.accelerometer, DeviceError(.connectionLost, "unplugged")))
            manager.client.receive(.lost(.gyroscope, DeviceError(.connectionLost, "unplugged")))
            device.advance(by: 0)
            #expect(compass.events == ["heading 0", "error 3"])
            let cause = compass.errors.first?.userInfo[NSUnderlyingErrorKey] as? DeviceError
            #expect(cause?.code == .connectionLost)
            manager.client.receive(.regained(.magnetometer))
            manager.client.receive(states(18..<20))
            device.advance(by: 0)
            #expect(compass.events == ["heading 0", "error 3"], "the accelerometer is still away")
            manager.client.receive(.regained(.accelerometer))
            manager.client.receive(states(20..<22))
            device.advance(by: 0)
            #expect(compass.events == ["heading 0", "error 3", "heading 0"])
            manager.client.receive(.lost(.magnetometer, DeviceError(.connectionLost, "unplugged")))
            device.advance(by: 0)
            #expect(compass.errors.count == 2)
        }
    }

    @Test("The gyroscope alone yields no heading without a magnetometer")
    func noField() throws {
        try run { device, manager, compass in
            var state = FusedState(.flat)
            state.magneticField = nil
            manager.client.receive(.states([state]))
            device.advance(by: 0)
            #expect(compass.events.isEmpty)
        }
    }

    @Test("A lost gyroscope is not a failure, because headings do not require one")
    func lostGyroscope() throws {
        try run { device, manager, compass in
            manager.client.receive(.lost(.gyroscope, DeviceError(.connectionLost, "unplugged")))
            device.advance(by: 0)
            #expect(compass.events.isEmpty)
        }
    }

    @Test("Without a heading source, one failure is reported after ten seconds, and a heading may follow")
    func nothing() throws {
        try run { device, manager, compass in
            device.advance(by: 9.9)
            #expect(compass.events.isEmpty)
            device.advance(by: 0.2)
            #expect(compass.events == ["error 3"])
            #expect((compass.errors.first?.userInfo[NSUnderlyingErrorKey] as? DeviceError)?.code == .notFound)
            device.advance(by: 100)
            #expect(compass.events == ["error 3"])
            manager.client.receive(states(1000..<1001))
            device.advance(by: 0)
            #expect(compass.events == ["error 3", "heading 0"])
        }
    }

    @Test("The time-out of an earlier start does not affect a later one")
    func restart() throws {
        try run { device, manager, compass in
            device.advance(by: 9)
            manager.stopUpdatingHeading()
            manager.startUpdatingHeading()
            device.advance(by: 9)
            #expect(compass.events.isEmpty)
            device.advance(by: 2)
            #expect(compass.events == ["error 3"])
        }
    }
}
