// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import DeviceSupport
import SimulatedDevice
import Testing

// The device lies on each of its sides for 1.6 s, followed by a rotation of 0.4 s to the next: face up, top edge up,
// right edge up, bottom edge up, left edge up, face down. The recording contains a mount matrix for its rotated
// sensors.
@Suite("Six poses from a recording to an app") @MainActor
struct SixPosesTests {
    private static let recording = "motion/six-poses.trace"

    @Test("On each side, the axis that points up reads -1")
    func poses() throws {
        let received = ReceivedReadings(try Recordings.device(Self.recording))
        let expected: [SIMD3<Double>] = [
            [0, 0, -1], [0, -1, 0], [-1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1],
        ]
        for (side, direction) in expected.enumerated() {
            let begin = Double(side) * 2
            let mean = received.accelerations.mean(from: begin + 0.01, to: begin + 1.59)
            // The noise of a reading is 0.02 m/s², or 0.002 g. The mean of 79 readings has a ninth of it, and the limit
            // is seven times that.
            #expect((mean - direction).length < 0.0016, "side \(side): \(mean)")
        }
    }

    @Test("Each rotation is a right-handed quarter turn about its axis")
    func turns() throws {
        let received = ReceivedReadings(try Recordings.device(Self.recording))
        let axes: [SIMD3<Double>] = [[1, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 1, 0]]
        for (turn, axis) in axes.enumerated() {
            let begin = 1.6 + Double(turn) * 2
            let rates = received.rotationRates.filter { $0.time > begin - 0.05 && $0.time < begin + 0.45 }
            let angle = rates.reduce(.zero) { $0 + $1.value * 0.02 }
            // The sum of twenty samples of half a sine period deviates from its area by 0.2 %.
            #expect((angle - axis * .pi / 2).length < 0.01, "turn \(turn): \(angle)")
        }
    }

    @Test("The field is in microtesla: with the device flat, 20 towards the top edge and 43 down")
    func field() throws {
        let received = ReceivedReadings(try Recordings.device(Self.recording))
        let flat = received.fields.mean(from: 0, to: 1.59)
        // The mean of 31 readings with a noise of 0.2 microtesla each.
        #expect((flat - [0, 20, -43]).length < 0.25, "\(flat)")
        for field in received.fields {
            #expect(abs(field.value.length - (20.0 * 20 + 43 * 43).squareRoot()) < 1.5, "\(field)")
        }
    }

    @Test("UIAccelerometer delivers the same readings as CMMotionManager")
    func accelerometer() throws {
        final class Delegate: NSObject, UIAccelerometerDelegate {
            var readings: [Reading] = []

            func accelerometer(_ accelerometer: UIAccelerometer, didAccelerate acceleration: UIAcceleration) {
                readings.append(
                    Reading(
                        value: [acceleration.x, acceleration.y, acceleration.z], time: acceleration.timestamp - 100))
            }
        }
        let device = try Recordings.device(Self.recording)
        let delegate = Delegate()
        let received = device.use {
            UIAccelerometer.shared().updateInterval = 0.02
            UIAccelerometer.shared().delegate = delegate
            return ReceivedReadings(device)
        }
        #expect(delegate.readings.count > 560)
        #expect(delegate.readings == received.accelerations)
    }

    @Test("The orientation is posted once for each side")
    func orientations() throws {
        let device = try Recordings.device(Self.recording)
        let orientations = try device.use {
            let machine = UIDevice.current
            let messages = Messages()
            let token = NotificationCenter.default.addObserver(
                forName: UIDevice.orientationDidChangeNotification, object: machine, queue: nil
            ) { _ in MainActor.assumeIsolated { messages.add("\(UIDevice.current.orientation)") } }
            machine.beginGeneratingDeviceOrientationNotifications()
            try device.play()
            machine.endGeneratingDeviceOrientationNotifications()
            NotificationCenter.default.removeObserver(token)
            return messages.all
        }
        #expect(
            orientations == ["faceUp", "portrait", "landscapeLeft", "portraitUpsideDown", "landscapeRight", "faceDown"])
    }

    @Test("Relative altitudes remain near 0, and the connected charger is reported")
    func altimeterAndBattery() throws {
        let device = try Recordings.device(Self.recording)
        try device.use {
            let machine = UIDevice.current
            machine.isBatteryMonitoringEnabled = true
            #expect(machine.batteryLevel == 0.5)
            let altimeter = CMAltimeter()
            let heights = Messages()
            altimeter.startRelativeAltitudeUpdates(to: .main) { data, _ in
                guard let data else { return }
                let height = data.relativeAltitude.doubleValue
                heights.add(height == 0 ? "0" : "other")
                // One pascal corresponds to 8 cm. The noise of a mean of five readings is 0.4 Pa.
                #expect(abs(height) < 0.3)
                #expect(abs(data.pressure.doubleValue - 101.325) < 0.002)
            }
            try device.play()
            // Readings from 0.2 s to 11.4 s, with one update per second.
            #expect(heights.all == ["0"] + Array(repeating: "other", count: 10))
            #expect(machine.batteryState == .charging)
            #expect(machine.batteryLevel == 0.49)
        }
    }
}

/// A log of callbacks in order.
@MainActor
final class Messages {
    private(set) var all: [String] = []

    func add(_ record: String) { all.append(record) }
}
