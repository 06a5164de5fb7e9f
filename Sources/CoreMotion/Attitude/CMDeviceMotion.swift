// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The attitude, rotation and acceleration of the device, computed from several sensors.
///
/// The reading of the accelerometer is `gravity` plus `userAcceleration`.
open class CMDeviceMotion: CMLogItem {
    private let stored: Values
    private let storedAttitude: CMAttitude

    /// A device at the attitude of its reference, without any acceleration, at the time zero.
    public override init() {
        stored = Values()
        storedAttitude = CMAttitude()
        super.init()
    }

    init(_ values: Values, measuredAt timestamp: TimeInterval) {
        stored = values
        storedAttitude = CMAttitude(deviceToReference: values.attitude)
        super.init(measuredAt: timestamp)
    }

    /// Restores a device motion from an archive; nil when the archive holds none.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.decodeNumbers(Values.numberCount, forKey: Self.key),
            let values = Values(numbers: numbers)
        else { return nil }
        stored = values
        storedAttitude = CMAttitude(deviceToReference: values.attitude)
        super.init(coder: coder)
    }

    /// How the device is turned against its reference: one object, which `multiply(byInverseOf:)` changes for good.
    open var attitude: CMAttitude { storedAttitude }

    /// The rate of rotation in radians per second, without the gyroscope's bias.
    open var rotationRate: CMRotationRate { stored.rotationRate }

    /// Gravity in the device's axes, of length 1: with the face up (0, 0, -1).
    open var gravity: CMAcceleration { stored.gravity }

    /// The acceleration that the device is given, without gravity, in units of gravity.
    open var userAcceleration: CMAcceleration { stored.userAcceleration }

    /// The magnetic field in microtesla without the device's own; zero while its accuracy is `uncalibrated`.
    open var magneticField: CMCalibratedMagneticField { stored.magneticField }

    /// Degrees from north, from 0 to 360, in a frame whose x axis points north; negative in others.
    open var heading: Double { stored.heading }

    /// Where the sensors are.
    open var sensorLocation: SensorLocation { stored.sensorLocation }

    /// A copy whose attitude is one of its own.
    open override func copy(with zone: NSZone? = nil) -> Any { CMDeviceMotion(values, measuredAt: timestamp) }

    /// Writes the device motion into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(numbers: values.numbers, forKey: Self.key)
    }

    /// As the properties have it, which subclasses may override.
    private var values: Values {
        Values(
            attitude: attitude.quaternion, rotationRate: rotationRate, gravity: gravity,
            userAcceleration: userAcceleration, magneticField: magneticField, heading: heading,
            sensorLocation: sensorLocation)
    }

    private static let key = "CMDeviceMotion.values"
}
