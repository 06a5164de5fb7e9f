// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The device's attitude, rotation and acceleration, computed from several sensors.
///
/// A filter computes the attitude from the gyroscope, the accelerometer and, if the frame needs it, the magnetometer.
/// All vectors are in device axes: when the device is held upright, x points to the right, y to the top edge and z out
/// of the screen. The sum of `gravity` and `userAcceleration` is the accelerometer reading. If a calibration is stored,
/// it is used to correct sensor errors. `timestamp` is the time of the gyroscope sample.
open class CMDeviceMotion: CMLogItem {
    private var stored = Values()
    private let storedAttitude: CMAttitude

    /// Creates a device motion object with timestamp 0, the identity attitude and zero vectors.
    public override init() {
        storedAttitude = CMAttitude()
        super.init()
    }

    init(_ values: Values, measuredAt timestamp: TimeInterval) {
        stored = values
        storedAttitude = CMAttitude(deviceToReference: values.attitude)
        super.init(measuredAt: timestamp)
    }

    /// Creates a device motion object from an archive, or returns nil if the archived values are invalid.
    public required init?(coder: NSCoder) {
        var values = Values()
        if coder.containsNumbers(forKey: Self.archiveKey) {
            guard let numbers = coder.decodeNumbers(Values.numberCount, forKey: Self.archiveKey),
                let archived = Values(numbers: numbers)
            else { return nil }
            values = archived
        }
        stored = values
        storedAttitude = CMAttitude(deviceToReference: values.attitude)
        super.init(coder: coder)
    }

    /// The attitude in the reference frame of the updates. The property always returns the same object, so calling
    /// `multiply(byInverseOf:)` on it changes the value of this property.
    open var attitude: CMAttitude { storedAttitude }
    /// The rotation rate in radians per second, minus the estimated gyroscope bias. It follows the right-hand rule
    /// about each axis.
    open var rotationRate: CMRotationRate { stored.rotationRate }
    /// The unit gravity vector, computed from the attitude. It is (0, 0, -1) when the device is lying face up. Unlike
    /// low-pass-filtered accelerometer readings, it remains correct while the device moves.
    open var gravity: CMAcceleration { stored.gravity }
    /// The accelerometer reading minus `gravity`, in units of standard gravity. Its sign is opposite to that of the
    /// device's acceleration: while the device accelerates to the right, x is negative.
    open var userAcceleration: CMAcceleration { stored.userAcceleration }
    /// The magnetic field in microtesla, excluding the device's own field, and the calibration accuracy. If the
    /// accuracy is `uncalibrated`, the field is the raw reading. In the frame `xArbitraryZVertical`, the magnetometer
    /// is not used, and the field is zero.
    open var magneticField: CMCalibratedMagneticField { stored.magneticField }
    /// The direction of the top edge in degrees clockwise from north, from 0 to less than 360. It is -1 in frames whose
    /// x axis does not point north, and in the true-north frame while true north is unknown.
    ///
    /// When the top edge rises to more than 60° above the horizon, the heading becomes the direction that the back of
    /// the device faces, until the top edge is less than 50° above the horizon. The same angles apply below the
    /// horizon, where the heading becomes the direction that the screen faces.
    open var heading: Double { stored.heading }
    /// The location of the sensors that measured this motion.
    open var sensorLocation: SensorLocation { stored.sensorLocation }

    /// Returns a copy with its own attitude object.
    open override func copy(with zone: NSZone? = nil) -> Any { CMDeviceMotion(values, measuredAt: timestamp) }

    override var archivedValues: ArchivedValues { super.archivedValues + [(Self.archiveKey, values.numbers)] }

    /// A string that contains the values and the timestamp.
    open override var description: String {
        let (q, m) = (attitude.quaternion, magneticField)
        return "<CMDeviceMotion quaternion x \(q.x) y \(q.y) z \(q.z) w \(q.w) rotationRate \(rotationRate.text)"
            + " gravity \(gravity.text) userAcceleration \(userAcceleration.text)"
            + " magneticField \(m.field.text) accuracy \(m.accuracy.rawValue) heading \(heading) @ \(timestamp)>"
    }

    /// The values to copy or archive, taken from the public properties because subclasses may override them.
    private var values: Values {
        Values(
            attitude: attitude.quaternion, rotationRate: rotationRate, gravity: gravity,
            userAcceleration: userAcceleration, magneticField: magneticField, heading: heading,
            sensorLocation: sensorLocation)
    }

    private static let archiveKey = "CMDeviceMotion.values"

    struct Values: Sendable {
        var attitude = CMQuaternion(x: 0, y: 0, z: 0, w: 1)
        var rotationRate = CMRotationRate()
        var gravity = CMAcceleration()
        var userAcceleration = CMAcceleration()
        var magneticField = CMCalibratedMagneticField(field: CMMagneticField(), accuracy: .uncalibrated)
        var heading = -1.0
        var sensorLocation = SensorLocation.default
    }

    /// The location of the sensors that measured a device motion.
    public enum SensorLocation: Int, Sendable {
        /// In the device itself. This is the only location on Linux.
        case `default` = 0
        /// In the left earpiece of Apple's headphones.
        case headphoneLeft = 1
        /// In the right earpiece of Apple's headphones.
        case headphoneRight = 2
    }
}

extension CMDeviceMotion.Values {
    /// The number of values in an archive. Add new values at the end, so that existing archives remain readable.
    static let numberCount = 19

    var numbers: [Double] {
        [attitude.x, attitude.y, attitude.z, attitude.w] + rotationRate.numbers + gravity.numbers
            + userAcceleration.numbers + magneticField.field.numbers
            + [Double(magneticField.accuracy.rawValue), heading, Double(sensorLocation.rawValue)]
    }

    /// Creates the values from archived ``numbers``, or returns nil if they are incomplete or invalid.
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
