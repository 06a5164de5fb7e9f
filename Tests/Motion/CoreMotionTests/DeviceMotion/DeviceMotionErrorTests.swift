// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine
import SensorFusion
import Synchronization
import Testing

@testable import CoreMotion

@Suite("Errors of device motion handlers")
struct DeviceMotionErrorTests {
    /// A device motion stream whose states are provided by the test.
    private final class Rig {
        private final class Line: Sendable {
            let receiver = Mutex<StreamSource<[FusedState]>.Receiver?>(nil)
        }

        let test = TestDevice()
        let received = Box<String>()
        let stream: SensorStream<DeviceMotionConverter>
        private let line = Line()

        init(_ frame: CMAttitudeReferenceFrame) {
            let line = line
            let source = StreamSource<[FusedState]>(
                isAvailable: { true }, inputImpliesAvailable: false,
                subscribe: { _, _, receive in
                    line.receiver.withLock { $0 = receive }
                    return Subscription {}
                })
            stream = SensorStream(
                device: test.device,
                configuration: StreamConfiguration(source: source) { DeviceMotionConverter(frame: frame) },
                interval: 0)
            start()
        }

        deinit { stream.stop() }

        func start() {
            let received = received
            stream.start(
                StreamHandler(test.playback?.executor(onMainThread: true) ?? InertExecutor(), { $0 }) {
                    (reading: FusedMotionReading?, error: (any Error)?) in
                    if let reading { received.add("\(reading.time.seconds) \(reading.values.heading.rounded())") }
                    if let error { received.add("\((error as NSError).code)") }
                })
        }

        func feed(_ event: StreamEvent<[FusedState]>) {
            line.receiver.withLock { $0 }?(event)
            test.playback?.run()
        }

        func feed(_ states: FusedState...) { feed(.input(states)) }
    }

    private final class InertExecutor: CallbackExecutor {
        func schedule(_ work: @escaping @Sendable () -> Void) {}
    }

    private func state(
        _ seconds: Double, offset: Double? = 0, quality: MagneticQuality = .high, declination: Double? = nil,
        strength: Double = 0.5
    ) -> FusedState {
        var state = States.at(seconds)
        state.magneticField = [0, strength, 0]
        state.northOffset = offset
        state.magneticQuality = quality
        state.declination = declination
        return state
    }

    @Test("The requires-movement error is reported once per start, and device motion continues")
    func movement() {
        let rig = Rig(.xMagneticNorthZVertical)
        rig.feed(state(1, quality: .uncalibrated), state(20, quality: .uncalibrated))
        #expect(rig.received.all == ["1.0 0.0", "20.0 0.0"])
        rig.feed(state(22, quality: .uncalibrated), state(23, quality: .uncalibrated))
        #expect(rig.received.all.suffix(3) == ["101", "22.0 0.0", "23.0 0.0"])
        rig.start()
        rig.feed(state(24, quality: .uncalibrated), state(45, quality: .uncalibrated))
        #expect(rig.received.all.suffix(3) == ["24.0 0.0", "101", "45.0 0.0"])
    }

    @Test("A magnetometer that is calibrated within 20 seconds causes no error")
    func calibratedLater() {
        let rig = Rig(.xMagneticNorthZVertical)
        rig.feed(state(1, quality: .uncalibrated), state(19, quality: .low), state(22, quality: .uncalibrated))
        #expect(rig.received.all == ["1.0 0.0", "19.0 0.0", "22.0 0.0"])
    }

    @Test("An implausible field strength is reported immediately", arguments: [0.1, 1, 5])
    func impossibleField(strength: Double) {
        let rig = Rig(.xMagneticNorthZVertical)
        rig.feed(state(1, quality: .uncalibrated, strength: strength))
        #expect(rig.received.all == ["101", "1.0 0.0"])
    }

    @Test("Until north is known, only the requires-movement error is delivered")
    func neverNorth() {
        let rig = Rig(.xMagneticNorthZVertical)
        rig.feed(state(1, offset: nil), state(2, offset: nil))
        #expect(rig.received.all.isEmpty)
        rig.feed(state(2.5, offset: nil))
        #expect(rig.received.all == ["101"])
        rig.feed(state(3))
        #expect(rig.received.all == ["101", "3.0 0.0"])
    }

    @Test("A calibrated magnetometer causes no error", arguments: [MagneticQuality.low, .medium, .high])
    func calibrated(quality: MagneticQuality) {
        let rig = Rig(.xMagneticNorthZVertical)
        rig.feed(state(1, quality: quality))
        #expect(rig.received.all == ["1.0 0.0"])
    }

    @Test(
        "Frames without north report no calibration error",
        arguments: [CMAttitudeReferenceFrame.xArbitraryZVertical, .xArbitraryCorrectedZVertical])
    func otherFrames(frame: CMAttitudeReferenceFrame) {
        let rig = Rig(frame)
        rig.feed(state(1, quality: .uncalibrated))
        #expect(rig.received.all == ["1.0 -1.0"])
    }

    @Test("Each time the position becomes unknown, an error is reported and headings are invalid")
    func trueNorth() {
        let rig = Rig(.xTrueNorthZVertical)
        rig.feed(state(1), state(2))
        #expect(rig.received.all == ["102", "1.0 -1.0", "2.0 -1.0"])
        rig.feed(state(3, declination: 0.1), state(4, declination: 0.1))
        rig.feed(state(5))
        // 0.1 rad equals 5.7 degrees.
        #expect(rig.received.all.dropFirst(3) == ["3.0 6.0", "4.0 6.0", "102", "5.0 -1.0"])
    }

    @Test("The requires-movement and true-north errors are both reported if both apply")
    func both() {
        let rig = Rig(.xTrueNorthZVertical)
        rig.feed(state(1, quality: .uncalibrated, strength: 2))
        #expect(rig.received.all == ["101", "102", "1.0 -1.0"])
    }

    @Test("Each sensor's loss is reported once, in order with the device motions that still arrive")
    func losses() {
        let rig = Rig(.xMagneticNorthZVertical)
        let gone = DeviceError(.silent, "quiet")
        rig.feed(state(1))
        rig.feed(.lost(.magnetometer, gone))
        rig.feed(state(2))
        rig.feed(.lost(.magnetometer, gone))
        rig.feed(.lost(.gyroscope, DeviceError(.permissionDenied, "not yours")))
        rig.feed(.regained(.gyroscope))
        rig.feed(state(3))
        rig.feed(.regained(.magnetometer))
        rig.feed(.lost(.magnetometer, gone))
        #expect(rig.received.all == ["1.0 0.0", "109", "2.0 0.0", "111", "3.0 0.0", "109"])
    }

    @Test("States computed without the gyroscope are not delivered as device motion")
    func withoutGyroscope() {
        let rig = Rig(.xArbitraryZVertical)
        var alone = state(1)
        alone.usesGyroscope = false
        rig.feed(alone, state(2))
        #expect(rig.received.all == ["2.0 -1.0"])
    }

    @Test("Errors are queued in order with the values, and only the newest error of each kind is kept")
    func waiting() {
        var callbacks = PendingMotionCallbacks<Int>(limit: 2)
        callbacks.reset(acceptsValues: true)
        let gone = DeviceError(.silent, "quiet")
        callbacks.append(.loss(.gyroscope, gone))
        callbacks.append(.requiresMovement)
        callbacks.append(1)
        callbacks.append(.loss(.accelerometer, gone))
        callbacks.append(2)
        callbacks.append(.loss(.gyroscope, gone))
        callbacks.append(3)
        #expect(callbacks.queue.count == 5)
        #expect(callbacks.queue.droppedCount == 1)
        var received: [String] = []
        while let item = callbacks.queue.popFirst() {
            switch item {
            case .value(let value): received.append("\(value)")
            case .failure(.loss(let kind, _)): received.append(kind.rawValue)
            case .failure(.requiresMovement): received.append("move")
            case .failure(.noTrueNorth): received.append("north")
            }
        }
        #expect(received == ["move", "accelerometer", "2", "gyroscope", "3"])
        #expect(callbacks.queue.isEmpty)
    }

    @Test("A loss stays in the queue when older readings are dropped")
    func lossAmongDropped() {
        var callbacks = PendingMotionCallbacks<Int>(limit: 3)
        callbacks.reset(acceptsValues: true)
        callbacks.append(0)
        callbacks.append(1)
        callbacks.append(.loss(.gyroscope, DeviceError(.silent, "quiet")))
        for number in 2...3 { callbacks.append(number) }
        var received: [String] = []
        while let item = callbacks.queue.popFirst() {
            switch item {
            case .value(let value): received.append("\(value)")
            case .failure: received.append("loss")
            }
        }
        #expect(received == ["1", "loss", "2", "3"])
        #expect(callbacks.latest == 3)
    }
}
