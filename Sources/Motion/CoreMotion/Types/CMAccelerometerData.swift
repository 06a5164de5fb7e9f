// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// A reading of the accelerometer.
open class CMAccelerometerData: CMLogItem {
    private var stored = CMAcceleration()

    /// A reading of zero at the time zero.
    public override init() { super.init() }

    init(_ reading: MotionReading) {
        stored = MotionConversion.acceleration(reading.value)
        super.init(measuredAt: MotionConversion.timestamp(reading.time))
    }

    /// Restores a reading from an archive: with default values where a subclass has written nothing, nil where
    /// something else stands.
    public required init?(coder: NSCoder) {
        if coder.holdsNumbers(forKey: Self.key) {
            guard let numbers = coder.decodeNumbers(3, forKey: Self.key) else { return nil }
            stored = CMAcceleration(SIMD3(numbers))
        }
        super.init(coder: coder)
    }

    /// The acceleration in units of gravity, as the sensor gave it; at rest with the face up (0, 0, -1).
    open var acceleration: CMAcceleration { stored }

    /// The values and the time.
    open override var description: String { "<CMAccelerometerData \(acceleration.text) @ \(timestamp)>" }

    override var archived: [(key: String, numbers: [Double])] { super.archived + [(Self.key, acceleration.numbers)] }

    private static let key = "CMAccelerometerData.acceleration"
}
