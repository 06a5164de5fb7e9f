// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// A reading of the magnetometer.
open class CMMagnetometerData: CMLogItem {
    private var stored = CMMagneticField()

    /// A reading of zero at the time zero.
    public override init() { super.init() }

    init(_ reading: MotionReading) {
        stored = MotionConversion.magneticField(reading.value)
        super.init(measuredAt: MotionConversion.timestamp(reading.time))
    }

    /// Restores a reading from an archive: with default values where a subclass has written nothing, nil where
    /// something else stands.
    public required init?(coder: NSCoder) {
        if coder.holdsNumbers(forKey: Self.key) {
            guard let numbers = coder.decodeNumbers(3, forKey: Self.key) else { return nil }
            stored = CMMagneticField(SIMD3(numbers))
        }
        super.init(coder: coder)
    }

    /// The magnetic field in microtesla, as the sensor gave it, with the device's own magnetism.
    open var magneticField: CMMagneticField { stored }

    /// The values and the time.
    open override var description: String { "<CMMagnetometerData \(magneticField.text) @ \(timestamp)>" }

    override var archived: [(key: String, numbers: [Double])] { super.archived + [(Self.key, magneticField.numbers)] }

    private static let key = "CMMagnetometerData.magneticField"
}
