// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import DeviceSupport
import SimulatedDevice
import Synchronization
import Testing

@Suite("The same recording again", .timeLimit(.minutes(30)))
struct RepeatTests {
    /// What was told, in order, from any thread.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    /// Every kind of callback of motion, at intervals that divide the sensor's and that do not.
    @MainActor
    private final class Program {
        let log = Log()
        private let fast = CMMotionManager()
        private let slow = CMMotionManager()
        private let altimeter = CMAltimeter()
        private let queue = OperationQueue()
        private let token: any NSObjectProtocol

        init() {
            let log = log
            token = NotificationCenter.default.addObserver(
                forName: UIDevice.orientationDidChangeNotification, object: UIDevice.current, queue: nil
            ) { _ in log.add("orientation \(UIDevice.current.orientation)") }
            UIDevice.current.beginGeneratingDeviceOrientationNotifications()
            fast.startAccelerometerUpdates(to: .main) { data, error in log.add("fast \(data as Any) \(error as Any)") }
            fast.startGyroUpdates(to: queue) { data, _ in log.add("gyro \(data as Any)") }
            slow.accelerometerUpdateInterval = 0.03
            slow.startAccelerometerUpdates(to: queue) { data, _ in log.add("slow \(data as Any)") }
            slow.startMagnetometerUpdates(to: .main) { data, _ in log.add("field \(data as Any)") }
            altimeter.startRelativeAltitudeUpdates(to: queue) { data, _ in log.add("height \(data as Any)") }
        }

        func end() {
            UIDevice.current.endGeneratingDeviceOrientationNotifications()
            NotificationCenter.default.removeObserver(token)
        }
    }

    @MainActor
    private static func inOrder(_ recording: String) throws -> [String] {
        let device = try Recordings.device(recording)
        return device.use {
            let program = Program()
            device.play()
            program.end()
            return program.log.all
        }
    }

    @Test("The same callbacks come in the same order", arguments: ["motion/six-poses.trace", "iio/shake.csv"])
    @MainActor
    func inOrder(recording: String) throws {
        let first = try Self.inOrder(recording)
        #expect(first.count > 1000)
        #expect(try Self.inOrder(recording) == first)
    }

    @Test("Played on another thread, what belongs to the main thread is told on the main queue")
    func otherThread() async throws {
        final class Listener: UIResponder {
            let log: Log
            init(_ log: Log) {
                self.log = log
                super.init()
            }
            override var canBecomeFirstResponder: Bool { true }
            override func motionBegan(_ motion: UIEvent.EventSubtype, with event: UIEvent?) { log.add("shake") }
        }
        final class Delegate: NSObject, UIAccelerometerDelegate {
            let log: Log
            init(_ log: Log) {
                self.log = log
            }
            func accelerometer(_ accelerometer: UIAccelerometer, didAccelerate acceleration: UIAcceleration) {
                let log = log
                // Traps elsewhere.
                MainActor.assumeIsolated { log.add("acceleration") }
            }
        }
        let device = try Recordings.device("iio/shake.csv")
        let log = Log()
        let kept = await MainActor.run {
            device.use {
                let listener = Listener(log)
                listener.becomeFirstResponder()
                let delegate = Delegate(log)
                UIAccelerometer.shared().delegate = delegate
                UIDevice.current.beginGeneratingDeviceOrientationNotifications()
                return Kept(objects: [listener, delegate])
            }
        }
        let token = NotificationCenter.default.addObserver(
            forName: UIDevice.orientationDidChangeNotification, object: device.use { UIDevice.current }, queue: nil
        ) { _ in MainActor.assumeIsolated { log.add("orientation") } }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
                device.play()
                continuation.resume()
            }
        }
        NotificationCenter.default.removeObserver(token)
        #expect(log.all.filter { $0 == "shake" }.count == 1)
        #expect(log.all.filter { $0 == "orientation" }.count == 1)
        #expect(log.all.filter { $0 == "acceleration" }.count >= 49)
        withExtendedLifetime(kept) {}
    }

    /// Keeps what others hold weakly.
    private struct Kept: @unchecked Sendable {
        var objects: [AnyObject]
    }

    @Test("Delivered as live, each handler is told the same")
    @MainActor
    func asLive() async throws {
        let recording = "motion/six-poses.trace"
        let expected = try Self.inOrder(recording)
        let device = try Recordings.device(recording, delivery: .asLive)
        let seen = await device.use {
            let program = Program()
            await device.play()
            program.end()
            return program.log.all
        }
        for kind in ["fast", "gyro", "slow", "field", "height", "orientation"] {
            #expect(seen.filter { $0.hasPrefix(kind) } == expected.filter { $0.hasPrefix(kind) }, "\(kind)")
        }
    }
}
