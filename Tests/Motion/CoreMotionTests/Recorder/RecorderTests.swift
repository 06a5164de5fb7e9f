// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import CoreMotion

@Suite("CMSensorRecorder")
struct RecorderTests {
    /// Returns the wall-clock time at an offset from the start of the test device, in seconds.
    private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: TestDevice.wallStart.seconds + seconds) }

    @Test("The recorder stores 50 readings a second for the requested duration")
    func records() throws {
        let test = TestDevice()
        let recorder = test.use { CMSensorRecorder() }
        recorder.recordAccelerometer(forDuration: 2)
        #expect(test.hub.demand(of: "accelerometer")?.interval == 0.02)
        // Four seconds of readings at 100 Hz.
        for index in 0..<400 {
            while test.clock.runNextTimer(upTo: TestDevice.start.advanced(bySeconds: Double(index) / 100)) {}
            test.feed(.accelerometer, [0, 0, Double(index)], at: Double(index) / 100)
        }
        #expect(test.hub.demand(of: "accelerometer") == nil)
        let list = try #require(recorder.accelerometerData(from: date(-10), to: date(10)))
        // Every second reading from 0 to 2 s inclusive.
        #expect(list.count == 101)
        let items = Array(list.items)
        #expect(items.map(\.identifier) == (1...101).map { UInt64($0) })
        #expect(items.first?.startDate == date(0))
        #expect(items.first?.timestamp == 100)
        let last = try #require(items.last)
        #expect(abs(last.timestamp - 102) < 1e-6)
        #expect(abs(last.startDate.timeIntervalSince(date(2))) < 1e-5)
        // Reading 200, with the sign of gravity, in single precision.
        #expect(abs(last.acceleration.z - -200 / 9.80665) < 1e-5)
    }

    @Test("A recording does not keep its device alive")
    func noCycle() {
        weak var device: Device?
        do {
            let test = TestDevice()
            device = test.device
            test.use { CMSensorRecorder().recordAccelerometer(forDuration: 60) }
            test.feed(.accelerometer, [0, 0, 1], at: 0)
            #expect(device != nil)
        }
        #expect(device == nil)
    }

    @Test("A query returns the readings between two dates inclusive, or nil if there are none")
    func range() throws {
        let test = TestDevice()
        let recorder = test.use { CMSensorRecorder() }
        #expect(recorder.accelerometerData(from: date(0), to: date(10)) == nil)
        recorder.recordAccelerometer(forDuration: 60)
        test.feed(.accelerometer, count: 10, rate: 1)
        let list = try #require(recorder.accelerometerData(from: date(3), to: date(5)))
        #expect(list.items.map(\.identifier) == [4, 5, 6])
        #expect(recorder.accelerometerData(from: date(5), to: date(3)) == nil)
        #expect(recorder.accelerometerData(from: date(20), to: date(30)) == nil)
        #expect(recorder.accelerometerData(from: .distantPast, to: .distantFuture)?.count == 10)
        var iterator = NSFastEnumerationIterator(list)
        #expect((iterator.next() as? CMRecordedAccelerometerData)?.identifier == 4)
    }

    @Test("All recorders of a device share a recording that outlives them")
    func shared() {
        let test = TestDevice()
        test.use { CMSensorRecorder() }.recordAccelerometer(forDuration: 60)
        test.feed(.accelerometer, count: 5, rate: 1)
        let other = test.use { CMSensorRecorder() }
        #expect(other.accelerometerData(from: date(-1), to: date(10))?.count == 5)
    }

    @Test("A longer duration extends the recording, and a shorter, zero or invalid one has no effect")
    func durations() {
        let test = TestDevice()
        let recorder = test.use { CMSensorRecorder() }
        for nothing in [0, -5, .nan] { recorder.recordAccelerometer(forDuration: nothing) }
        #expect(test.hub.demand(of: "accelerometer") == nil)
        recorder.recordAccelerometer(forDuration: 10)
        recorder.recordAccelerometer(forDuration: 30)
        recorder.recordAccelerometer(forDuration: 5)
        let end = { (seconds: Double) in TestDevice.start.advanced(bySeconds: seconds) }
        // Readings measured before the end may arrive up to 1.5 s later.
        while test.clock.runNextTimer(upTo: end(31)) {}
        #expect(test.hub.demand(of: "accelerometer") != nil)
        while test.clock.runNextTimer(upTo: end(31.5)) {}
        #expect(test.hub.demand(of: "accelerometer") == nil)
        recorder.recordAccelerometer(forDuration: 1e12)
        #expect(test.clock.nextDeadline == end(31.5 + 12 * 3600 + 1.5))
    }

    @Test("After the wall clock is set, further readings have the new time")
    func clockStep() throws {
        let test = TestDevice()
        let recorder = test.use { CMSensorRecorder() }
        recorder.recordAccelerometer(forDuration: 60)
        test.feed(.accelerometer, [0, 0, 0], at: 0)
        test.clock.setWallTime(TestDevice.wallStart.advanced(bySeconds: 3600))
        test.feed(.accelerometer, [0, 0, 0], at: 1)
        let list = try #require(recorder.accelerometerData(from: date(0), to: date(7200)))
        #expect(list.items.map { $0.startDate.timeIntervalSince(date(0)).rounded() } == [0, 3601])
        #expect(list.items.map(\.identifier) == [1, 2])
    }

    @Test("The recording is limited to twelve hours and drops the oldest readings")
    func bound() throws {
        let test = TestDevice()
        let recorder = test.use { CMSensorRecorder() }
        recorder.recordAccelerometer(forDuration: 12 * 3600)
        let extra = 10_000
        // More readings than the limit, in batches of one second at twice the rate, so that they fit into the duration.
        let total = AccelerometerRecording.maximumCount + extra
        let recording = AccelerometerRecording.of(test.device)
        for start in stride(from: 0, to: total, by: 100) {
            var batch = MotionBatch(sensor: "accelerometer", kind: .accelerometer)
            for index in start..<min(start + 100, total) {
                batch.values.append([Double(index % 100), 0, 0])
                batch.times.append(TestDevice.start.advanced(bySeconds: Double(index) / 100))
            }
            recording.receive(.samples(batch))
        }
        let list = try #require(recorder.accelerometerData(from: .distantPast, to: .distantFuture))
        #expect(list.count <= AccelerometerRecording.maximumCount)
        #expect(list.count > AccelerometerRecording.maximumCount - RecordingChunk.maximumCount)
        #expect(list.items.first { _ in true }?.identifier == UInt64(total - list.count + 1))
    }

    @Test("Without an accelerometer, the recorder stores nothing")
    func notAvailable() {
        let test = TestDevice([.gyroscope])
        test.use {
            #expect(!CMSensorRecorder.isAccelerometerRecordingAvailable())
            #expect(CMSensorRecorder.authorizationStatus() == .notDetermined)
            let recorder = CMSensorRecorder()
            recorder.recordAccelerometer(forDuration: 60)
            #expect(recorder.accelerometerData(from: .distantPast, to: .distantFuture) == nil)
        }
        #expect(!test.hub.hasSubscribers)
    }
}
