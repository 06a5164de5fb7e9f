// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorFusion
import Testing

@testable import CoreMotion

/// An object that encodes strings under arbitrary keys. The unarchiver decodes it as an object of another class.
///
/// Not private: Foundation on Linux has no name for a private class and traps.
final class Forgery: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    private let keys: [String]

    init(keys: [String]) { self.keys = keys }

    init?(coder: NSCoder) { nil }

    func encode(with coder: NSCoder) {
        for key in keys { coder.encode(NSString("nonsense"), forKey: key) }
    }
}

@Suite("Keyed archives")
struct ArchiveTests {
    private func roundTrip<T: NSObject & NSSecureCoding>(_ object: T) throws -> T {
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: T.self, from: data))
    }

    private let reading = ConvertedReading(value: [0.1, -2.5, 9.75], time: .init(nanoseconds: 123_456_789_012))

    @Test("An archived reading keeps every bit")
    func readings() throws {
        let accelerometer = CMAccelerometerData(reading)
        let first = try roundTrip(accelerometer)
        #expect(first.timestamp == 123.456789012)
        #expect(first.acceleration.y == accelerometer.acceleration.y)
        let second = try roundTrip(CMGyroData(reading))
        #expect([second.rotationRate.x, second.rotationRate.y, second.rotationRate.z] == [0.1, -2.5, 9.75])
        let third = try roundTrip(CMMagnetometerData(reading))
        #expect([third.magneticField.x, third.magneticField.y, third.magneticField.z] == [10, -250, 975])
        #expect(try roundTrip(CMRotationRateData(reading)).rotationRate.z == 9.75)
        #expect(try roundTrip(CMLogItem(measuredAt: 7.25)).timestamp == 7.25)
    }

    @Test("An archived recorded reading keeps its identifier and date")
    func recorded() throws {
        let item = try roundTrip(
            CMRecordedAccelerometerData(reading, identifier: .max, wallTime: .init(nanoseconds: 1_500_000_000)))
        #expect(item.identifier == .max)
        #expect(item.startDate == Date(timeIntervalSince1970: 1.5))
        #expect(item.timestamp == 123.456789012)
    }

    @Test("An archived altitude keeps its values")
    func altitudes() throws {
        let relative = try roundTrip(
            CMAltitudeData(.init(altitude: -1.5, pressure: 101.3, time: .init(nanoseconds: 5_000_000_000))))
        #expect(relative.relativeAltitude.doubleValue == -1.5)
        #expect(relative.pressure.doubleValue == 101.3)
        #expect(relative.timestamp == 5)
        let absolute = try roundTrip(
            CMAbsoluteAltitudeData(
                .init(altitude: 520, accuracy: 6, precision: -1, time: .init(nanoseconds: 5_000_000_000))))
        #expect([absolute.altitude, absolute.accuracy, absolute.precision] == [520, 6, -1])
    }

    @Test("An archived attitude or device motion keeps its values")
    func deviceMotion() throws {
        var values = CMDeviceMotion.Values()
        values.attitude = CMQuaternion(x: 0.5, y: -0.5, z: 0.5, w: 0.5)
        values.rotationRate = CMRotationRate(x: 1, y: 2, z: 3)
        values.gravity = CMAcceleration(x: 0, y: -1, z: 0)
        values.userAcceleration = CMAcceleration(x: 0.1, y: 0.2, z: 0.3)
        values.magneticField = CMCalibratedMagneticField(field: CMMagneticField(x: 4, y: 5, z: 6), accuracy: .medium)
        values.heading = 271.5
        let motion = try roundTrip(CMDeviceMotion(values, measuredAt: 9.5))
        #expect(motion.timestamp == 9.5)
        #expect(motion.attitude.quaternion.y == -0.5)
        #expect(motion.rotationRate.z == 3)
        #expect(motion.gravity.y == -1)
        #expect(motion.userAcceleration.x == 0.1)
        #expect(motion.magneticField.field.z == 6)
        #expect(motion.magneticField.accuracy == .medium)
        #expect(motion.heading == 271.5)
        #expect(motion.sensorLocation == .default)
        let attitude = try roundTrip(CMAttitude(deviceToReference: values.attitude))
        #expect(attitude.quaternion.x == 0.5)
    }

    @Test("Objects with default values can be archived and unarchived")
    func empty() throws {
        #expect(try roundTrip(CMAmbientPressureData()).pressure.unit == .kilopascals)
        #expect(try roundTrip(CMRecordedPressureData()).identifier == 0)
        #expect(try roundTrip(CMRecordedRotationRateData()).startDate == Date(timeIntervalSince1970: 0))
        #expect(try roundTrip(CMPedometerData()).numberOfSteps == 0)
        #expect(try roundTrip(CMPedometerEvent()).type == .pause)
        #expect(try roundTrip(CMMotionActivity()).unknown)
    }

    private static let classes: [any (NSObject & NSSecureCoding).Type] = [
        CMLogItem.self, CMAccelerometerData.self, CMGyroData.self, CMMagnetometerData.self, CMDeviceMotion.self,
        CMAttitude.self, CMAltitudeData.self, CMAbsoluteAltitudeData.self, CMAmbientPressureData.self,
        CMRecordedAccelerometerData.self, CMPedometerData.self, CMPedometerEvent.self, CMMotionActivity.self,
    ]

    /// Decodes an object of the given class from an archive that contains a string under each key.
    private func read(_ type: any (NSObject & NSSecureCoding).Type, keys: [String]) throws -> Any? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: Forgery(keys: keys), requiringSecureCoding: true)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = true
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        unarchiver.setClass(type, forClassName: NSStringFromClass(Forgery.self))
        return unarchiver.decodeObject(of: [type], forKey: NSKeyedArchiveRootObjectKey)
    }

    @Test("An archive with values of the wrong type decodes to nil")
    func forged() throws {
        let keys = [
            "CMLogItem.timestamp", "CMAccelerometerData.acceleration", "CMDeviceMotion.values", "CMAttitude.quaternion",
            "CMPedometerData.values", "CMPedometerEvent.values",
        ]
        for type in Self.classes { #expect(try read(type, keys: keys) == nil, "\(type)") }
    }

    @Test("An archive without the expected keys decodes to default values")
    func unwritten() throws {
        for type in Self.classes { #expect(try read(type, keys: []) != nil, "\(type)") }
        let recorded = try #require(
            try read(CMRecordedAccelerometerData.self, keys: ["other"]) as? CMRecordedAccelerometerData)
        #expect(recorded.identifier == 0)
        #expect(recorded.startDate == Date(timeIntervalSince1970: 0))
        #expect(recorded.acceleration.z == 0)
        #expect(recorded.timestamp == 0)
        let data = try #require(try read(CMPedometerData.self, keys: []) as? CMPedometerData)
        #expect(data.numberOfSteps == 0)
        #expect(data.distance == nil)
    }

    @Test("Archived steps, events and activities keep their values")
    func activities() throws {
        var values = CMPedometerData.Values()
        (values.start, values.end, values.steps, values.distance) = (10, 20.5, 17, 12.25)
        (values.floorsAscended, values.pace, values.cadence) = (2, 0.75, 1.8)
        let data = try roundTrip(CMPedometerData(values))
        #expect(data.startDate == Date(timeIntervalSince1970: 10))
        #expect(data.endDate == Date(timeIntervalSince1970: 20.5))
        #expect(data.numberOfSteps == 17)
        #expect(data.distance == 12.25)
        #expect(data.floorsAscended == 2)
        #expect(data.floorsDescended == nil)
        #expect(data.currentPace == 0.75)
        #expect(data.currentCadence == 1.8)
        #expect(data.averageActivePace == nil)
        let event = try roundTrip(
            CMPedometerEvent(WalkTransition(isWalking: true, time: WallTime(nanoseconds: 1_500_000_000))))
        #expect(event.type == .resume)
        #expect(event.date == Date(timeIntervalSince1970: 1.5))
        let activity = try roundTrip(
            CMMotionActivity(
                CurrentActivity(
                    activity: [.automotive, .stationary], confidence: .high,
                    start: WallTime(nanoseconds: 2_000_000_000), time: BootTime(nanoseconds: 3_000_000_000))))
        #expect(activity.automotive && activity.stationary && !activity.unknown && !activity.walking)
        #expect(activity.confidence == .high)
        #expect(activity.startDate == Date(timeIntervalSince1970: 2))
        #expect(activity.timestamp == 3)
    }
}
