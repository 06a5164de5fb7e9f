// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Testing

// Code as in programs written for iOS.

extension CMAcceleration: Equatable {
    /// True when all components are equal.
    public static func == (left: CMAcceleration, right: CMAcceleration) -> Bool {
        left.x == right.x && left.y == right.y && left.z == right.z
    }
}

extension CMSensorDataList: Sequence {
    /// The iterator of the list.
    public typealias Iterator = NSFastEnumerationIterator

    /// Returns an iterator that starts at the oldest reading.
    public func makeIterator() -> NSFastEnumerationIterator {
        NSFastEnumerationIterator(self)
    }
}

protocol MotionManaging: AnyObject {
    var accelerometerUpdateInterval: TimeInterval { get set }
    var isAccelerometerAvailable: Bool { get }
    var isDeviceMotionAvailable: Bool { get }
    func startAccelerometerUpdates(to queue: OperationQueue, withHandler handler: @escaping CMAccelerometerHandler)
    func startDeviceMotionUpdates(to queue: OperationQueue, withHandler handler: @escaping CMDeviceMotionHandler)
    func stopAccelerometerUpdates()
}

extension CMMotionManager: MotionManaging {}

/// Replaces the hardware, as in the tests of many programs.
final class MockMotionManager: CMMotionManager {
    var started = 0
    var handler: CMDeviceMotionHandler?

    override var isAccelerometerAvailable: Bool { true }
    override var isDeviceMotionAvailable: Bool { true }
    override var isDeviceMotionActive: Bool { handler != nil }
    override var deviceMotion: CMDeviceMotion? { MockMotion(pitch: 0.5) }
    override var accelerometerUpdateInterval: TimeInterval {
        didSet { started += 100 }
    }

    override func startAccelerometerUpdates() {
        started += 1
    }

    override func startDeviceMotionUpdates(
        using referenceFrame: CMAttitudeReferenceFrame, to queue: OperationQueue,
        withHandler handler: @escaping CMDeviceMotionHandler
    ) {
        self.handler = handler
    }

    override class func availableAttitudeReferenceFrames() -> CMAttitudeReferenceFrame {
        [.xArbitraryZVertical, .xTrueNorthZVertical]
    }
}

final class MockAttitude: CMAttitude {
    private let mockPitch: Double

    init(pitch: Double) {
        mockPitch = pitch
        super.init()
    }

    required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }

    override var pitch: Double { mockPitch }
}

final class MockMotion: CMDeviceMotion {
    private let mockPitch: Double

    init(pitch: Double) {
        mockPitch = pitch
        super.init()
    }

    required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }

    override var attitude: CMAttitude { MockAttitude(pitch: mockPitch) }
    override var timestamp: TimeInterval { 42 }
}

/// Overrides every property of a device motion.
final class MockFullMotion: CMDeviceMotion {
    let mockAttitude = CMAttitude()

    override var attitude: CMAttitude { mockAttitude }
    override var rotationRate: CMRotationRate { CMRotationRate(x: 1, y: 2, z: 3) }
    override var gravity: CMAcceleration { CMAcceleration(x: 0, y: -1, z: 0) }
    override var userAcceleration: CMAcceleration { CMAcceleration(x: 0.5, y: 0, z: 0) }
    override var magneticField: CMCalibratedMagneticField {
        CMCalibratedMagneticField(field: CMMagneticField(x: 1, y: 2, z: 3), accuracy: .high)
    }
    override var heading: Double { 12 }
    override var sensorLocation: CMDeviceMotion.SensorLocation { .default }
    override var timestamp: TimeInterval { 42 }
}

/// Overrides the properties that `multiply(byInverseOf:)` reads.
final class MockTurn: CMAttitude {
    override var quaternion: CMQuaternion { CMQuaternion(x: 0, y: 0, z: 1, w: 0) }
    override var roll: Double { 0 }
    override var yaw: Double { .pi }
    override var rotationMatrix: CMRotationMatrix {
        CMRotationMatrix(m11: -1, m12: 0, m13: 0, m21: 0, m22: -1, m23: 0, m31: 0, m32: 0, m33: 1)
    }
}

final class MockData: CMAccelerometerData {
    override var acceleration: CMAcceleration { CMAcceleration(x: 1, y: 2, z: 3) }
}

/// Uses the manager like a view controller.
final class Tracker {
    let motionManager = CMMotionManager()
    let queue = OperationQueue()
    var last: CMAcceleration?
    var failure: Error?

    func start() {
        guard motionManager.isAccelerometerAvailable else { return }
        motionManager.accelerometerUpdateInterval = 1.0 / 60.0
        motionManager.startAccelerometerUpdates(to: OperationQueue.main) { [weak self] (data, error) in
            guard let data = data else {
                self?.failure = error
                return
            }
            self?.last = data.acceleration
        }
        if motionManager.isGyroAvailable {
            motionManager.gyroUpdateInterval = 0.2
            motionManager.startGyroUpdates(to: queue, withHandler: { (gyroData: CMGyroData?, error: Error?) in })
        }
    }
}

@Suite("Programs in Swift 5 mode")
struct MotionClientTests {
    @Test("A tracker receives readings")
    func tracker() {
        let sensors = TestSensors([.accelerometer])
        let tracker = Device.$current.withValue(sensors.device) { Tracker() }
        tracker.start()
        sensors.feed(.accelerometer, [0, 0, 9.80665], at: 1)
        #expect(tracker.last == CMAcceleration(x: 0, y: 0, z: -1))
        #expect(tracker.failure == nil)
        tracker.motionManager.stopAccelerometerUpdates()
    }

    @Test("A mock overrides the members it needs")
    func mock() {
        let sensors = TestSensors([])
        Device.$current.withValue(sensors.device) {
            let mock = MockMotionManager()
            let manager: CMMotionManager = mock
            manager.startAccelerometerUpdates()
            manager.accelerometerUpdateInterval = 0.5
            #expect(mock.started == 101)
            #expect((manager as MotionManaging).isDeviceMotionAvailable)
            #expect(manager.deviceMotion?.attitude.pitch == 0.5)
            #expect(type(of: manager).availableAttitudeReferenceFrames().contains(.xTrueNorthZVertical))
            var pitches: [Double] = []
            manager.startDeviceMotionUpdates(using: .xTrueNorthZVertical, to: .main) { motion, _ in
                if let motion { pitches.append(motion.attitude.pitch) }
            }
            mock.handler?(MockMotion(pitch: 0.25), nil)
            #expect(pitches == [0.25])
            #expect(MockMotion(pitch: 0).timestamp == 42)
            #expect(MockData().acceleration.y == 2)
        }
    }

    @Test("A mock of device motion returns its own values, also within the module")
    func mockMotion() throws {
        let motion = MockFullMotion()
        let item: CMDeviceMotion = motion
        #expect(item.gravity == CMAcceleration(x: 0, y: -1, z: 0))
        #expect(item.heading == 12)
        #expect(item.magneticField.accuracy == .high)
        let copy = try #require(item.copy() as? CMDeviceMotion)
        #expect(copy.userAcceleration.x == 0.5)
        #expect(copy.rotationRate.z == 3)
        #expect(copy.timestamp == 42)
        let attitude = CMAttitude()
        attitude.multiply(byInverseOf: MockTurn())
        #expect(abs(abs(attitude.yaw) - .pi) < 1e-12)
        #expect(MockTurn().rotationMatrix.m11 == -1)
    }

    @Test("A program tracks the attitude relative to its start, as games do")
    func relativeAttitude() {
        let sensors = TestSensors([.accelerometer, .gyroscope])
        let manager = Device.$current.withValue(sensors.device) { CMMotionManager() }
        guard manager.isDeviceMotionAvailable else {
            Issue.record("no device motion")
            return
        }
        var reference: CMAttitude?
        var yaws: [Double] = []
        manager.deviceMotionUpdateInterval = 1 / 100
        manager.startDeviceMotionUpdates(to: OperationQueue.main) { deviceMotion, error in
            guard let motion = deviceMotion else { return }
            if reference == nil { reference = motion.attitude.copy() as? CMAttitude }
            motion.attitude.multiply(byInverseOf: reference!)
            yaws.append(motion.attitude.yaw)
        }
        // A 90° rotation counterclockwise within a second.
        for step in 0...100 {
            let time = 1 + Double(step) / 100
            sensors.feed(.accelerometer, [0, 0, 9.80665], at: time)
            sensors.feed(.gyroscope, [0, 0, .pi / 2], at: time)
        }
        manager.stopDeviceMotionUpdates()
        #expect(yaws.first == 0)
        #expect(yaws.count >= 100)
        #expect(abs((yaws.last ?? 0) - .pi / 2) < 0.04)
    }

    @Test("A recording can be iterated with the conformance that programs add")
    func recording() {
        let sensors = TestSensors([.accelerometer])
        Device.$current.withValue(sensors.device) {
            let recorder = CMSensorRecorder()
            recorder.recordAccelerometer(forDuration: 60)
            sensors.feed(.accelerometer, [0, 0, 9.80665], at: 1)
            sensors.feed(.accelerometer, [0, 9.80665, 0], at: 2)
            var found: [CMAcceleration] = []
            if let list = recorder.accelerometerData(from: .distantPast, to: .distantFuture) {
                for datum in list {
                    if let accdatum = datum as? CMRecordedAccelerometerData {
                        found.append(accdatum.acceleration)
                    }
                }
            }
            #expect(found.count == 2)
            #expect(abs((found.last?.y ?? 0) + 1) < 1e-6)
        }
    }

    @Test("Errors are identified by domain and code")
    func errors() {
        let error = NSError(domain: CMErrorDomain, code: Int(CMErrorMotionActivityNotAvailable.rawValue))
        switch CMError(rawValue: UInt32(error.code)) {
        case CMErrorMotionActivityNotAvailable: break
        default: Issue.record("another error")
        }
    }
}
