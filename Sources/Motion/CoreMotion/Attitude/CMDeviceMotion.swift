// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The attitude, rotation and acceleration of the device, computed from several sensors.
///
/// A filter computes the attitude from the gyroscope, the accelerometer and, where the frame needs it, the
/// magnetometer. All vectors are in the device's axes: with the device held upright x points to the right, y to the top
/// edge and z out of the screen.
///
/// `gravity` plus `userAcceleration` is the accelerometer's reading for the same time, as `CMAccelerometerData` gives
/// it. If a calibration is stored, the sensor's own errors are subtracted. `timestamp` is the time of the gyroscope's
/// sample.
open class CMDeviceMotion: CMLogItem {
    private var stored = Values()
    private let storedAttitude: CMAttitude

    /// A device at the attitude of its reference, without any acceleration, at the time zero.
    public override init() {
        storedAttitude = CMAttitude()
        super.init()
    }

    init(_ values: Values, measuredAt timestamp: TimeInterval) {
        stored = values
        storedAttitude = CMAttitude(deviceToReference: values.attitude)
        super.init(measuredAt: timestamp)
    }

    /// Restores a device motion from an archive: with default values where a subclass has written nothing, nil where
    /// something else stands.
    public required init?(coder: NSCoder) {
        var values = Values()
        if coder.holdsNumbers(forKey: Self.key) {
            guard let numbers = coder.decodeNumbers(Values.numberCount, forKey: Self.key),
                let archived = Values(numbers: numbers)
            else { return nil }
            values = archived
        }
        stored = values
        storedAttitude = CMAttitude(deviceToReference: values.attitude)
        super.init(coder: coder)
    }

    /// The attitude in the reference frame that the updates were started with: one object, which
    /// `multiply(byInverseOf:)` changes for good.
    open var attitude: CMAttitude { storedAttitude }

    /// The rate of rotation in radians per second, right-handed about each axis, less the gyroscope's bias as far as it
    /// is known. (`CMGyroData` includes the bias.)
    open var rotationRate: CMRotationRate { stored.rotationRate }

    /// Gravity, of length 1: with the face up (0, 0, -1).
    ///
    /// It follows from the attitude, -(m13, m23, m33) of its rotation matrix, and not from a low-pass of the
    /// accelerometer, so that it stays right while the device moves.
    open var gravity: CMAcceleration { stored.gravity }

    /// The rest of the accelerometer's reading, in units of standard gravity and with its sign: a device that is pushed to
    /// its right has a negative x.
    open var userAcceleration: CMAcceleration { stored.userAcceleration }

    /// The magnetic field in microtesla without the device's own, and how well that is known.
    ///
    /// Zero and `uncalibrated` in the frame `xArbitraryZVertical`, for which no magnetometer runs. In the others an
    /// `uncalibrated` field is what the sensor reads.
    open var magneticField: CMCalibratedMagneticField { stored.magneticField }

    /// The direction of the top edge in degrees clockwise from north, from 0 to less than 360: 270° less the attitude's
    /// yaw. -1 in frames whose x axis does not point north, and in that of true north while that is not known.
    ///
    /// It is the axis of Core Location's headings in portrait: when the top edge points up by more than 60°, and until it
    /// does so by less than 50°, it is the direction of the back, and of the face when the edge points down as much.
    open var heading: Double { stored.heading }

    /// Where the sensors are.
    open var sensorLocation: SensorLocation { stored.sensorLocation }

    /// A copy whose attitude is one of its own.
    open override func copy(with zone: NSZone? = nil) -> Any { CMDeviceMotion(values, measuredAt: timestamp) }

    override var archived: [(key: String, numbers: [Double])] { super.archived + [(Self.key, values.numbers)] }

    /// The values and the time.
    open override var description: String {
        let (q, m) = (attitude.quaternion, magneticField)
        return "<CMDeviceMotion quaternion x \(q.x) y \(q.y) z \(q.z) w \(q.w) rotationRate \(rotationRate.text)"
            + " gravity \(gravity.text) userAcceleration \(userAcceleration.text)"
            + " magneticField \(m.field.text) accuracy \(m.accuracy.rawValue) heading \(heading) @ \(timestamp)>"
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

extension CMDeviceMotion {
    /// All that a device motion knows, in Core Motion's units.
    struct Values: Sendable {
        var attitude = CMQuaternion(x: 0, y: 0, z: 0, w: 1)
        var rotationRate = CMRotationRate()
        var gravity = CMAcceleration()
        var userAcceleration = CMAcceleration()
        var magneticField = CMCalibratedMagneticField(field: CMMagneticField(), accuracy: .uncalibrated)
        var heading = -1.0
        var sensorLocation = SensorLocation.default
    }
}

extension CMDeviceMotion.Values {
    /// The number of values in an archive. New ones go to the end.
    static let numberCount = 19

    /// The values for an archive.
    var numbers: [Double] {
        [attitude.x, attitude.y, attitude.z, attitude.w] + rotationRate.numbers + gravity.numbers
            + userAcceleration.numbers + magneticField.field.numbers
            + [Double(magneticField.accuracy.rawValue), heading, Double(sensorLocation.rawValue)]
    }

    /// Reads what ``numbers`` wrote; nil when there is less or something impossible.
    init?(numbers n: [Double]) {
        guard n.count >= Self.numberCount,
            let accuracy = Int32(exactly: n[16]).flatMap(CMMagneticFieldCalibrationAccuracy.init(rawValue:)),
            let location = Int(exactly: n[18]).flatMap(CMDeviceMotion.SensorLocation.init(rawValue:))
        else { return nil }
        attitude = CMQuaternion(x: n[0], y: n[1], z: n[2], w: n[3])
        rotationRate = CMRotationRate(SIMD3(n[4...6]))
        gravity = CMAcceleration(SIMD3(n[7...9]))
        userAcceleration = CMAcceleration(SIMD3(n[10...12]))
        magneticField = CMCalibratedMagneticField(field: CMMagneticField(SIMD3(n[13...15])), accuracy: accuracy)
        heading = n[17]
        sensorLocation = location
    }
}

extension CMDeviceMotion {
    /// Where the sensors are that a device motion was measured with.
    public enum SensorLocation: Int, Sendable {
        /// In the device itself, always on Linux.
        case `default` = 0
        /// In the left one of Apple's headphones.
        case headphoneLeft = 1
        /// In the right one of Apple's headphones.
        case headphoneRight = 2
    }
}
