// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Testing

@Suite("Sensor loss")
struct LossTests {
    private func watched(_ test: TestDevice) -> (manager: CMMotionManager, received: Box<String>) {
        let manager = test.use { CMMotionManager() }
        let received = Box<String>()
        manager.startAccelerometerUpdates(to: .main) { data, error in
            #expect((data == nil) != (error == nil))
            if let data { received.add("\(Int(data.timestamp))") }
            if let error = error as NSError? { received.add("\(error.domain) \(error.code)") }
        }
        return (manager, received)
    }

    @Test("A loss is reported once, and readings resume without a restart")
    func once() {
        let test = TestDevice()
        let (manager, received) = watched(test)
        test.feed(.accelerometer, [0, 0, 0], at: 0)
        test.lose(.accelerometer)
        test.lose(.accelerometer)
        test.regain(.accelerometer)
        test.feed(.accelerometer, [0, 0, 0], at: 5)
        test.lose(.accelerometer)
        #expect(received.all == ["100", "CMErrorDomain 109", "105", "CMErrorDomain 109"])
        manager.stopAccelerometerUpdates()
    }

    @Test("A new interval during a loss does not report the loss again")
    func intervalWhileLost() {
        let test = TestDevice()
        let (manager, received) = watched(test)
        test.lose(.accelerometer)
        manager.accelerometerUpdateInterval = 0.5
        test.playback?.run()
        #expect(received.all == ["CMErrorDomain 109"])
    }

    @Test("A handler started while the sensor is lost receives an error")
    func startWhileLost() {
        let test = TestDevice()
        let other = test.use { CMMotionManager() }
        other.startAccelerometerUpdates()
        test.lose(.accelerometer)
        let (manager, received) = watched(test)
        #expect(received.all.isEmpty)
        test.playback?.run()
        #expect(received.all == ["CMErrorDomain 109"])
        manager.stopAccelerometerUpdates()
    }

    @Test("A loss is reported in order between the readings")
    func order() {
        let test = TestDevice()
        let (manager, received) = watched(test)
        for (index, event) in ["reading", "loss", "reading"].enumerated() {
            if event == "loss" {
                test.hub.setStatus(.unavailable(DeviceError(.silent, "quiet")), of: "accelerometer")
                test.hub.setStatus(.available, of: "accelerometer")
            } else {
                let time = TestDevice.start.advanced(bySeconds: Double(index))
                test.hub.post(
                    MotionBatch(sensor: "accelerometer", kind: .accelerometer, values: [[0, 0, 0]], times: [time]))
            }
        }
        test.playback?.run()
        #expect(received.all == ["100", "CMErrorDomain 109", "102"])
        manager.stopAccelerometerUpdates()
    }

    @Test("The error contains the reason, and a missing permission has its own code")
    func reason() throws {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        let errors = Box<Carried<NSError>>()
        manager.startGyroUpdates(to: .main) { _, error in
            if let error = error as NSError? { errors.add(Carried(value: error)) }
        }
        test.lose(.gyroscope, DeviceError(.permissionDenied, "/dev/iio:device0 may not be read"))
        let error = try #require(errors.all.first?.value)
        #expect(error.code == 111)
        #expect(error.localizedDescription == "/dev/iio:device0 may not be read")
        let cause = try #require(error.userInfo[NSUnderlyingErrorKey] as? DeviceError)
        #expect(cause.code == .permissionDenied)
    }
}
