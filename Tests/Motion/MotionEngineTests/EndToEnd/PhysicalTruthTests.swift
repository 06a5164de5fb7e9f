// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import DeviceSupport
import SensorFusion
import SimulatedDevice
import Testing

@Suite("Physical plausibility from recordings to handlers") @MainActor
struct PhysicalTruthTests {
    @Test("Gravity and user acceleration from the separator add up to each reading", arguments: Recordings.all)
    func sum(recording: String) throws {
        let received = ReceivedReadings(try Recordings.device(recording))
        var separator = GravitySeparator()
        var last: Double?
        var greatest = 0.0
        for reading in received.accelerations {
            let parts = separator.update(reading.value, interval: reading.time - (last ?? reading.time))
            last = reading.time
            greatest = max(greatest, (parts.gravity + parts.userAcceleration - reading.value).length)
        }
        #expect(received.accelerations.count > 300)
        #expect(greatest <= 1e-12)
    }

    @Test("At rest with the face up, z reads -1; in free fall, all axes read 0")
    func freeFall() throws {
        let received = ReceivedReadings(try Recordings.device("iio/free-fall.csv"))
        // The free fall begins after 1 s and lasts 0.4 s. The noise of a reading is 0.05 m/s², or 0.005 g.
        #expect((received.accelerations.mean(from: 0, to: 0.99) - [0, 0, -1]).length < 0.003)
        #expect(received.accelerations.mean(from: 1.01, to: 1.39).length < 0.003)
        for reading in received.accelerations where reading.time > 1.01 && reading.time < 1.39 {
            #expect(reading.value.length < 0.03, "\(reading)")
        }
    }

    @Test("During a counterclockwise rotation at 90 degrees per second, z reads pi/2 and the field rotates clockwise")
    func spin() throws {
        let received = ReceivedReadings(try Recordings.device("iio/spin-flat-90dps.csv"))
        let rate = received.rotationRates.mean(from: -1, to: 9)
        #expect((rate - [0, 0, .pi / 2]).length < 0.002, "\(rate)")
        #expect((received.accelerations.mean(from: -1, to: 9) - [0, 0, -1]).length < 0.002)
        #expect(received.fields.count > 790)
        for field in received.fields {
            // 20 microtesla towards north, where the top edge points at the start.
            let angle = field.time * .pi / 2
            let expected: SIMD3<Double> = [20 * sin(angle), 20 * cos(angle), -43]
            #expect((field.value - expected).length < 0.002, "\(field)")
        }
    }

    @Test(
        "Integrated gyroscope readings match the change of gravity",
        arguments: ["motion/six-poses.trace", "iio/rotate-about-z-upright.csv"])
    func agreement(recording: String) throws {
        let received = ReceivedReadings(try Recordings.device(recording))
        let end = try #require(received.rotationRates.last?.time)
        // In the axes of a rotating device, a fixed direction rotates the opposite way.
        var gravity = received.accelerations.mean(from: -1, to: 0.3)
        var former = try #require(received.rotationRates.first)
        if recording.hasSuffix("csv") { gravity = try #require(received.accelerations.first).value }
        for reading in received.rotationRates.dropFirst() {
            gravity = gravity.rotated(by: (former.value + reading.value) * (former.time - reading.time) / 2)
            former = reading
        }
        let measured = received.accelerations.mean(from: end - 0.02, to: end + 1)
        // Three degrees, after rotations of 450 and 720 degrees.
        #expect((gravity - measured).length < 0.05, "\(gravity) and \(measured)")
    }

    @Test("A shake begins and ends, and does not change the orientation")
    func shake() throws {
        final class Listener: UIResponder {
            let messages = Messages()
            override var canBecomeFirstResponder: Bool { true }
            override func motionBegan(_ motion: UIEvent.EventSubtype, with event: UIEvent?) { record("began", event) }
            override func motionEnded(_ motion: UIEvent.EventSubtype, with event: UIEvent?) { record("over", event) }
            override func motionCancelled(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
                record("over", event)
            }

            private func record(_ text: String, _ event: UIEvent?) {
                // The upright device is shaken along x.
                messages.add(
                    text + (event?.acceleration.map { abs($0.y + 1) < 0.1 } == true ? "" : " without a reading"))
            }
        }
        let device = try Recordings.device("iio/shake.csv")
        try device.use {
            let listener = Listener()
            #expect(listener.becomeFirstResponder())
            let machine = UIDevice.current
            let orientations = Messages()
            let token = NotificationCenter.default.addObserver(
                forName: UIDevice.orientationDidChangeNotification, object: machine, queue: nil
            ) { _ in MainActor.assumeIsolated { orientations.add("\(machine.orientation)") } }
            machine.beginGeneratingDeviceOrientationNotifications()
            try device.play()
            #expect(listener.messages.all == ["began", "over"])
            #expect(orientations.all == ["portrait"])
            machine.endGeneratingDeviceOrientationNotifications()
            NotificationCenter.default.removeObserver(token)
        }
    }
}
