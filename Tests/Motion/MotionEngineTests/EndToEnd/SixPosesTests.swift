// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import DeviceSupport
import SimulatedDevice
import Testing

// The device lies on each of its sides for 1.6 s, and 0.4 s lead to the next: face up, top edge up, right edge up, bottom
// edge up, left edge up, face down. Its sensors are mounted turned, which a matrix in the recording says.
@Suite("Six poses, from a recording to a program") @MainActor
struct SixPosesTests {
    private static let recording = "motion/six-poses.trace"

    @Test("On each side the axis that points up reads -1")
    func poses() throws {
        let heard = Heard(try Recordings.device(Self.recording))
        let expected: [SIMD3<Double>] = [
            [0, 0, -1], [0, -1, 0], [-1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1],
        ]
        for (side, direction) in expected.enumerated() {
            let begin = Double(side) * 2
            let mean = heard.accelerations.mean(from: begin + 0.01, to: begin + 1.59)
            // One reading's noise is 0.02 m/s², 0.002 g; that of the mean of 79 is a ninth of it, and this is seven of it.
            #expect((mean - direction).length < 0.0016, "side \(side): \(mean)")
        }
    }

    @Test("Each turn is a right-handed quarter about its axis")
    func turns() throws {
        let heard = Heard(try Recordings.device(Self.recording))
        let axes: [SIMD3<Double>] = [[1, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 1, 0]]
        for (turn, axis) in axes.enumerated() {
            let begin = 1.6 + Double(turn) * 2
            let rates = heard.rotationRates.filter { $0.time > begin - 0.05 && $0.time < begin + 0.45 }
            let angle = rates.reduce(.zero) { $0 + $1.value * 0.02 }
            // Twenty readings of half a sine miss 0.2 % of its area.
            #expect((angle - axis * .pi / 2).length < 0.01, "turn \(turn): \(angle)")
        }
    }

    @Test("The field is that of the place, in microtesla: flat, 20 to the top edge and 43 down")
    func field() throws {
        let heard = Heard(try Recordings.device(Self.recording))
        let flat = heard.fields.mean(from: 0, to: 1.59)
        // 0.2 microtesla of noise in a reading, of 31.
        #expect((flat - [0, 20, -43]).length < 0.25, "\(flat)")
        for field in heard.fields {
            #expect(abs(field.value.length - (20.0 * 20 + 43 * 43).squareRoot()) < 1.5, "\(field)")
        }
    }

    @Test("The old accelerometer tells what the motion manager tells")
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
        let heard = device.use {
            UIAccelerometer.shared().updateInterval = 0.02
            UIAccelerometer.shared().delegate = delegate
            return Heard(device)
        }
        #expect(delegate.readings.count > 560)
        #expect(delegate.readings == heard.accelerations)
    }

    @Test("The orientation is told once for each side")
    func orientations() throws {
        let device = try Recordings.device(Self.recording)
        let seen = device.use {
            let machine = UIDevice.current
            let notes = Notes()
            let token = NotificationCenter.default.addObserver(
                forName: UIDevice.orientationDidChangeNotification, object: machine, queue: nil
            ) { _ in MainActor.assumeIsolated { notes.add("\(UIDevice.current.orientation)") } }
            machine.beginGeneratingDeviceOrientationNotifications()
            device.play()
            machine.endGeneratingDeviceOrientationNotifications()
            NotificationCenter.default.removeObserver(token)
            return notes.all
        }
        #expect(
            seen == ["faceUp", "portrait", "landscapeLeft", "portraitUpsideDown", "landscapeRight", "faceDown"])
    }

    @Test("The altimeter stays at its first height, and the battery tells of the plug")
    func altimeterAndBattery() throws {
        let device = try Recordings.device(Self.recording)
        device.use {
            let machine = UIDevice.current
            machine.isBatteryMonitoringEnabled = true
            #expect(machine.batteryLevel == 0.5)
            let altimeter = CMAltimeter()
            let heights = Notes()
            altimeter.startRelativeAltitudeUpdates(to: .main) { data, _ in
                guard let data else { return }
                let height = data.relativeAltitude.doubleValue
                heights.add(height == 0 ? "0" : "other")
                // A pascal is 8 cm; the noise of a mean of five readings is 0.4 Pa.
                #expect(abs(height) < 0.3)
                #expect(abs(data.pressure.doubleValue - 101.325) < 0.002)
            }
            device.play()
            // Readings from 0.2 s to 11.4 s, an event a second.
            #expect(heights.all == ["0"] + Array(repeating: "other", count: 10))
            #expect(machine.batteryState == .charging)
            #expect(machine.batteryLevel == 0.49)
        }
    }
}

/// What was told, in order.
@MainActor
final class Notes {
    private(set) var all: [String] = []

    func add(_ note: String) { all.append(note) }
}
