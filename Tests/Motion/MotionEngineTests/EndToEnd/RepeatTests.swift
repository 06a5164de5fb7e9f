// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import CoreMotion
import DeviceCore
import DeviceSupport
import SimulatedDevice
import Synchronization
import SyntheticMotion
import Testing
import Trace

@Suite("Repeated playback of a recording", .timeLimit(.minutes(30)))
struct RepeatTests {
    /// A thread-safe log of callbacks in order.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    /// An app with all kinds of motion callbacks, at intervals that are multiples of the sensor's interval and others
    /// that are not.
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
            fast.startGyroUpdates(to: queue) { @Sendable data, _ in log.add("gyro \(data as Any)") }
            slow.accelerometerUpdateInterval = 0.03
            slow.startAccelerometerUpdates(to: queue) { @Sendable data, _ in log.add("slow \(data as Any)") }
            slow.startMagnetometerUpdates(to: .main) { data, _ in log.add("field \(data as Any)") }
            altimeter.startRelativeAltitudeUpdates(to: queue) { @Sendable data, _ in log.add("height \(data as Any)") }
        }

        func end() {
            UIDevice.current.endGeneratingDeviceOrientationNotifications()
            NotificationCenter.default.removeObserver(token)
        }
    }

    @MainActor
    private static func inOrder(_ recording: String) throws -> [String] {
        let device = try Recordings.device(recording)
        return try device.use {
            let program = Program()
            try device.play()
            program.end()
            return program.log.all
        }
    }

    @Test("Each playback delivers the same callbacks in order", arguments: ["motion/six-poses.trace", "iio/shake.csv"])
    @MainActor
    func inOrder(recording: String) throws {
        let first = try Self.inOrder(recording)
        #expect(first.count > 1000)
        #expect(try Self.inOrder(recording) == first)
    }

    @Test("A drive yields bit-identical callbacks with and without read-ahead on another thread")
    @MainActor
    func drive() throws {
        let corners = [(48.0, 11.0), (48.003, 11.0), (48.003, 11.005), (48.0, 11.005)]
        let waypoints = (0...4).map { index in
            Waypoint(latitude: corners[index % 4].0, longitude: corners[index % 4].1, altitude: 500, speed: 12)
        }
        let builder = TraceBuilder(name: "drive")
        try MotionSynthesizer(try MotionRoute(waypoints), options: MotionOptions()).write(to: builder)
        let file = try builder.file()
        func play(readsAhead: Bool) throws -> [UInt64] {
            var options = PlaybackOptions()
            options.readsAhead = readsAhead
            let device = SimulatedDevice(file, options: options)
            let driveLog = DriveLog()
            try device.use {
                let locations = CLLocationManager()
                locations.delegate = driveLog
                locations.startUpdatingLocation()
                locations.startUpdatingHeading()
                let motion = CMMotionManager()
                motion.startDeviceMotionUpdates(using: .xMagneticNorthZVertical, to: .main) { motion, _ in
                    if let motion { driveLog.add(motion) }
                }
                try device.play()
                withExtendedLifetime((locations, motion)) {}
            }
            return driveLog.bits
        }
        let first = try play(readsAhead: true)
        #expect(first.count > 100_000)
        #expect(try play(readsAhead: true) == first)
        #expect(try play(readsAhead: false) == first)
    }

    /// The bits of all numbers in callbacks, in order.
    private final class DriveLog: NSObject, CLLocationManagerDelegate {
        private(set) var bits: [UInt64] = []

        private func add(_ kind: UInt64, _ numbers: Double...) {
            bits.append(kind)
            for number in numbers { bits.append(number.bitPattern) }
        }

        func add(_ motion: CMDeviceMotion) {
            let (q, g, u) = (motion.attitude.quaternion, motion.gravity, motion.userAcceleration)
            let (r, f) = (motion.rotationRate, motion.magneticField.field)
            add(
                1, motion.timestamp, q.x, q.y, q.z, q.w, g.x, g.y, g.z, u.x, u.y, u.z, r.x, r.y, r.z, f.x, f.y, f.z,
                Double(motion.magneticField.accuracy.rawValue), motion.heading)
        }

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            for location in locations {
                add(
                    2, location.coordinate.latitude, location.coordinate.longitude, location.altitude,
                    location.ellipsoidalAltitude, location.speed, location.course, location.horizontalAccuracy,
                    location.verticalAccuracy, location.speedAccuracy, location.courseAccuracy,
                    location.timestamp.timeIntervalSinceReferenceDate)
            }
        }

        func locationManager(_ manager: CLLocationManager, didUpdateHeading heading: CLHeading) {
            add(
                3, heading.magneticHeading, heading.trueHeading, heading.headingAccuracy, heading.x, heading.y,
                heading.z,
                heading.timestamp.timeIntervalSinceReferenceDate)
        }

        func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
            add(4, Double((error as? CLError)?.code.rawValue ?? -1))
        }
    }

    @Test("During playback on another thread, callbacks for the main thread run on the main queue")
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
                // Traps outside the main queue.
                MainActor.assumeIsolated { log.add("acceleration") }
            }
        }
        let device = try Recordings.device("iio/shake.csv")
        let log = Log()
        let retained = await MainActor.run {
            device.use {
                let listener = Listener(log)
                listener.becomeFirstResponder()
                let delegate = Delegate(log)
                UIAccelerometer.shared().delegate = delegate
                UIDevice.current.beginGeneratingDeviceOrientationNotifications()
                return RetainedObjects(objects: [listener, delegate])
            }
        }
        let token = NotificationCenter.default.addObserver(
            forName: UIDevice.orientationDidChangeNotification, object: device.use { UIDevice.current }, queue: nil
        ) { _ in MainActor.assumeIsolated { log.add("orientation") } }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
                do { try device.play() } catch { Issue.record(error) }
                continuation.resume()
            }
        }
        NotificationCenter.default.removeObserver(token)
        #expect(log.all.filter { $0 == "shake" }.count == 1)
        #expect(log.all.filter { $0 == "orientation" }.count == 1)
        #expect(log.all.filter { $0 == "acceleration" }.count >= 49)
        withExtendedLifetime(retained) {}
    }

    /// Retains objects that are otherwise referenced weakly.
    private struct RetainedObjects: @unchecked Sendable {
        var objects: [AnyObject]
    }

    @Test("With live delivery, each handler receives the same callbacks")
    @MainActor
    func asLive() async throws {
        let recording = "motion/six-poses.trace"
        let expected = try Self.inOrder(recording)
        let device = try Recordings.device(recording, delivery: .asLive)
        let received = try await device.use {
            let program = Program()
            try await device.play()
            program.end()
            return program.log.all
        }
        for kind in ["fast", "gyro", "slow", "field", "height", "orientation"] {
            #expect(received.filter { $0.hasPrefix(kind) } == expected.filter { $0.hasPrefix(kind) }, "\(kind)")
        }
    }
}
