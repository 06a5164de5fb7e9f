// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// An accelerometer reading.
open class CMAccelerometerData: CMLogItem {
    private var stored = CMAcceleration()

    /// Creates a reading whose values and timestamp are 0.
    public override init() { super.init() }

    init(_ reading: ConvertedReading) {
        stored = MotionConversion.acceleration(reading.value)
        super.init(measuredAt: reading.time.seconds)
    }

    /// Creates a reading from an archive, or returns nil if the archived values are invalid.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.numbers(forKey: Self.archiveKey, default: [0, 0, 0]) else { return nil }
        stored = CMAcceleration(SIMD3(numbers))
        super.init(coder: coder)
    }

    /// The measured acceleration in units of gravity, which is (0, 0, -1) when the device is lying still, face up.
    open var acceleration: CMAcceleration { stored }
    /// A string that contains the values and the timestamp.
    open override var description: String { "<CMAccelerometerData \(acceleration.text) @ \(timestamp)>" }

    override var archivedValues: ArchivedValues { super.archivedValues + [(Self.archiveKey, acceleration.numbers)] }

    private static let archiveKey = "CMAccelerometerData.acceleration"
}

/// A gyroscope reading.
open class CMGyroData: CMLogItem {
    private var stored = CMRotationRate()

    /// Creates a reading whose values and timestamp are 0.
    public override init() { super.init() }

    init(_ reading: ConvertedReading) {
        stored = MotionConversion.rotationRate(reading.value)
        super.init(measuredAt: reading.time.seconds)
    }

    /// Creates a reading from an archive, or returns nil if the archived values are invalid.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.numbers(forKey: Self.archiveKey, default: [0, 0, 0]) else { return nil }
        stored = CMRotationRate(SIMD3(numbers))
        super.init(coder: coder)
    }

    /// The measured rotation rate in radians per second, including the sensor's bias.
    open var rotationRate: CMRotationRate { stored }
    /// A string that contains the values and the timestamp.
    open override var description: String { "<CMGyroData \(rotationRate.text) @ \(timestamp)>" }

    override var archivedValues: ArchivedValues { super.archivedValues + [(Self.archiveKey, rotationRate.numbers)] }

    private static let archiveKey = "CMGyroData.rotationRate"
}

/// A magnetometer reading.
open class CMMagnetometerData: CMLogItem {
    private var stored = CMMagneticField()

    /// Creates a reading whose values and timestamp are 0.
    public override init() { super.init() }

    init(_ reading: ConvertedReading) {
        stored = MotionConversion.magneticField(reading.value)
        super.init(measuredAt: reading.time.seconds)
    }

    /// Creates a reading from an archive, or returns nil if the archived values are invalid.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.numbers(forKey: Self.archiveKey, default: [0, 0, 0]) else { return nil }
        stored = CMMagneticField(SIMD3(numbers))
        super.init(coder: coder)
    }

    /// The measured magnetic field in microtesla, including the device's own field.
    open var magneticField: CMMagneticField { stored }
    /// A string that contains the values and the timestamp.
    open override var description: String { "<CMMagnetometerData \(magneticField.text) @ \(timestamp)>" }

    override var archivedValues: ArchivedValues { super.archivedValues + [(Self.archiveKey, magneticField.numbers)] }

    private static let archiveKey = "CMMagnetometerData.magneticField"
}
