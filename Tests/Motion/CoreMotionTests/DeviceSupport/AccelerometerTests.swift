// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import DeviceSupport
import Testing

/// A delegate that records its readings.
private final class Listener: NSObject, UIAccelerometerDelegate {
    var readings: [UIAcceleration] = []
    var onReading: (UIAccelerometer) -> Void = { _ in }

    func accelerometer(_ accelerometer: UIAccelerometer, didAccelerate acceleration: UIAcceleration) {
        readings.append(acceleration)
        onReading(accelerometer)
    }
}

/// A delegate that does not implement the optional method.
private final class Mute: NSObject, UIAccelerometerDelegate {}

@Suite("UIAccelerometer") @MainActor
struct AccelerometerTests {
    let test = UIDeviceBench()
    var accelerometer: UIAccelerometer { test.use { UIAccelerometer.shared() } }

    @Test("Each device has one shared accelerometer")
    func oneForEachDevice() {
        #expect(accelerometer === accelerometer)
        #expect(accelerometer !== UIDeviceBench().use { UIAccelerometer.shared() })
    }

    @Test("The sensor runs at the requested interval while a delegate is set")
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
        "The interval is limited to the range from ten milliseconds to one day",
        arguments: [(0, 0.01), (-1, 0.01), (.nan, 0.01), (0.001, 0.01), (0.02, 0.02), (.infinity, 86_400)])
    func floor(wanted: Double, got: Double) {
        let listener = Listener()
        accelerometer.delegate = listener
        accelerometer.updateInterval = wanted
        #expect(accelerometer.updateInterval == got)
        #expect(test.interval == got)
    }

    @Test("Readings are in g with the sign of gravity: lying face up, z is -1")
    func unitAndSign() throws {
        let listener = Listener()
        accelerometer.delegate = listener
        test.post([0, 0, 9.80665])
        let flat = try #require(listener.readings.first)
        #expect((flat.x, flat.y, flat.z) == (0, 0, -1))
        #expect(flat.x.sign == .plus)
        #expect(flat.timestamp == 100)
        // Twice standard gravity upwards along y and half of it along -x.
        test.advance(by: 1)
        test.post([-4.903325, 19.6133, 0])
        let second = try #require(listener.readings.last)
        #expect((second.x, second.y, second.z) == (0.5, -2, 0))
        #expect(second.timestamp == 101)
        #expect(second !== flat)
    }

    @Test("After the delegate is set to nil, no reading is delivered, not even a queued one")
    func nothingAfterStop() {
        let listener = Listener()
        accelerometer.updateInterval = 0.01
        accelerometer.delegate = listener
        test.feed(seconds: 0.05, runsCallbacks: false) { _ in .zero }
        listener.onReading = { $0.delegate = nil }
        test.callbacks.run()
        test.post(.zero)
        #expect(listener.readings.count == 1)
    }

    @Test("After its delegate is deallocated, the accelerometer stops at the next reading")
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

    @Test("While the main thread is blocked, the newest 1,024 readings are queued and older ones are dropped")
    func bounded() throws {
        let listener = Listener()
        accelerometer.updateInterval = 0.01
        accelerometer.delegate = listener
        test.feed(seconds: 12, runsCallbacks: false) { [$0, 0, 0] }
        #expect(test.callbacks.count == 1)
        test.callbacks.run()
        #expect(listener.readings.count == 1024)
        #expect(accelerometer.droppedAccelerationCount == 1200 - 1024)
        // The first remaining reading is number 177 of 1,200, at 1.77 m/s².
        #expect(abs(try #require(listener.readings.first).x + 1.77 / 9.80665) < 1e-9)
        #expect(try #require(listener.readings.last).timestamp == 112)
    }

    @Test("The delegate receives one reading per interval")
    func decimated() {
        let listener = Listener()
        accelerometer.updateInterval = 0.1
        accelerometer.delegate = listener
        test.feed(seconds: 10) { _ in .zero }
        #expect((99...101).contains(listener.readings.count))
    }

    @Test("Callbacks run with the accelerometer's device as the current device")
    func bindsDevice() {
        let listener = Listener()
        var callbackAccelerometer: UIAccelerometer?
        listener.onReading = { _ in callbackAccelerometer = UIAccelerometer.shared() }
        accelerometer.delegate = listener
        test.post(.zero)
        #expect(callbackAccelerometer === accelerometer)
    }

    @Test("The delegate method is optional and can be called with optional chaining")
    func optionalRequirement() {
        let mute = Mute()
        accelerometer.delegate = mute
        test.post(.zero)
        let listener = Listener()
        let delegate: (any UIAccelerometerDelegate)? = listener
        delegate?.accelerometer?(accelerometer, didAccelerate: UIAcceleration())
        #expect(listener.readings.count == 1)
    }

    @Test("A running accelerometer does not keep its device alive")
    func noCycle() {
        let listener = Listener()
        weak var device: Device?
        do {
            let test = UIDeviceBench()
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
