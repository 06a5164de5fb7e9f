// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import DeviceSupport
import Testing

/// Writes down what it is told.
private final class Listener: NSObject, UIAccelerometerDelegate {
    var readings: [UIAcceleration] = []
    var onReading: (UIAccelerometer) -> Void = { _ in }

    func accelerometer(_ accelerometer: UIAccelerometer, didAccelerate acceleration: UIAcceleration) {
        readings.append(acceleration)
        onReading(accelerometer)
    }
}

/// A delegate that implements nothing.
private final class Mute: NSObject, UIAccelerometerDelegate {}

@Suite("The accelerometer") @MainActor
struct AccelerometerTests {
    let test = TestDevice()
    var accelerometer: UIAccelerometer { test.use { UIAccelerometer.shared() } }

    @Test("There is one for each device")
    func oneForEachDevice() {
        #expect(accelerometer === accelerometer)
        #expect(accelerometer !== TestDevice().use { UIAccelerometer.shared() })
    }

    @Test("It runs while there is a delegate, at the interval that was asked for")
    func runsForDelegate() {
        let listener = Listener()
        #expect(test.interval == nil)
        accelerometer.updateInterval = 0.02
        #expect(test.interval == nil)
        accelerometer.delegate = listener
        #expect(test.interval == 0.02)
        accelerometer.updateInterval = 0.05
        #expect(test.interval == 0.05)
        accelerometer.delegate = nil
        #expect(test.interval == nil)
    }

    @Test(
        "The shortest interval is ten milliseconds, the longest a day",
        arguments: [(0, 0.01), (-1, 0.01), (.nan, 0.01), (0.001, 0.01), (0.02, 0.02), (.infinity, 86_400)])
    func floor(wanted: Double, got: Double) {
        let listener = Listener()
        accelerometer.delegate = listener
        accelerometer.updateInterval = wanted
        #expect(accelerometer.updateInterval == got)
        #expect(test.interval == got)
    }

    @Test("Readings are in g along gravity: flat with the screen up z is -1")
    func unitAndSign() throws {
        let listener = Listener()
        accelerometer.delegate = listener
        test.post([0, 0, 9.80665])
        let flat = try #require(listener.readings.first)
        #expect((flat.x, flat.y, flat.z) == (0, 0, -1))
        #expect(flat.x.sign == .plus)
        #expect(flat.timestamp == 100)
        // Twice standard gravity upwards along y, a half of it along x.
        test.advance(by: 1)
        test.post([-4.903325, 19.6133, 0])
        let second = try #require(listener.readings.last)
        #expect((second.x, second.y, second.z) == (0.5, -2, 0))
        #expect(second.timestamp == 101)
        #expect(second !== flat)
    }

    @Test("No reading comes once the delegate has been taken away, not even one that waits")
    func nothingAfterStop() {
        let listener = Listener()
        accelerometer.updateInterval = 0.01
        accelerometer.delegate = listener
        test.hold(seconds: 0.05, runsCallbacks: false) { _ in .zero }
        listener.onReading = { $0.delegate = nil }
        test.callbacks.run()
        test.post(.zero)
        #expect(listener.readings.count == 1)
        #expect(test.use { UIAccelerometer.shared().latestAcceleration } == nil)
    }

    @Test("A delegate that is gone turns the accelerometer off at the next reading")
    func releasedDelegate() {
        var listener: Listener? = Listener()
        accelerometer.delegate = listener
        test.post(.zero)
        #expect(listener?.readings.count == 1)
        listener = nil
        #expect(test.interval != nil)
        test.advance(by: 1)
        test.post(.zero)
        #expect(test.interval == nil)
    }

    @Test("When nobody takes readings 1,024 wait, and the oldest are dropped")
    func bounded() throws {
        let listener = Listener()
        accelerometer.updateInterval = 0.01
        accelerometer.delegate = listener
        test.hold(seconds: 12, runsCallbacks: false) { [$0, 0, 0] }
        #expect(test.callbacks.count == 1)
        test.callbacks.run()
        #expect(listener.readings.count == 1024)
        #expect(accelerometer.droppedAccelerationCount == 1200 - 1024)
        // The first that was kept is reading number 177 of 1,200, of 1.77 m/s².
        #expect(abs(try #require(listener.readings.first).x + 1.77 / 9.80665) < 1e-9)
        #expect(try #require(listener.readings.last).timestamp == 112)
    }

    @Test("A slow delegate gets one reading in each interval")
    func thinned() {
        let listener = Listener()
        accelerometer.updateInterval = 0.1
        accelerometer.delegate = listener
        test.hold(seconds: 10) { _ in .zero }
        #expect((99...101).contains(listener.readings.count))
    }

    @Test("The newest reading can be read at any time")
    func latest() {
        let listener = Listener()
        accelerometer.delegate = listener
        #expect(accelerometer.latestAcceleration == nil)
        test.post([0, 9.80665, 0], runsCallbacks: false)
        #expect(accelerometer.latestAcceleration?.y == -1)
    }

    @Test("Callbacks belong to the device of the accelerometer")
    func bindsDevice() {
        let listener = Listener()
        var seen: UIAccelerometer?
        listener.onReading = { _ in seen = UIAccelerometer.shared() }
        accelerometer.delegate = listener
        test.post(.zero)
        #expect(seen === accelerometer)
    }

    @Test("A delegate need not implement the requirement, and can be called as if it were optional")
    func optionalRequirement() {
        let mute = Mute()
        accelerometer.delegate = mute
        test.post(.zero)
        let listener = Listener()
        let delegate: (any UIAccelerometerDelegate)? = listener
        delegate?.accelerometer?(accelerometer, didAccelerate: UIAcceleration())
        #expect(listener.readings.count == 1)
    }

    @Test("A device that nobody uses any more goes, though its accelerometer runs")
    func noCycle() {
        let listener = Listener()
        weak var device: Device?
        do {
            let test = TestDevice()
            device = test.device
            test.use {
                UIAccelerometer.shared().delegate = listener
                UIDevice.current.beginGeneratingDeviceOrientationNotifications()
                UIDevice.current.isBatteryMonitoringEnabled = true
            }
            test.post(.zero)
            #expect(device != nil)
        }
        #expect(device == nil)
    }
}
