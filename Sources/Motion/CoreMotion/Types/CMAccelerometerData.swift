// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// A reading of the accelerometer.
open class CMAccelerometerData: CMLogItem {
    private let stored: CMAcceleration

    /// A reading of zero at the time zero.
    public override init() {
        stored = CMAcceleration()
        super.init()
    }

    init(_ reading: MotionReading) {
        stored = MotionConversion.acceleration(reading.value)
        super.init(measuredAt: MotionConversion.timestamp(reading.time))
    }

    /// Restores a reading from an archive; nil when the archive holds none.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.decodeNumbers(3, forKey: Self.key) else { return nil }
        stored = CMAcceleration(x: numbers[0], y: numbers[1], z: numbers[2])
        super.init(coder: coder)
    }

    /// The acceleration in units of gravity, as the sensor gave it; at rest with the face up (0, 0, -1).
    open var acceleration: CMAcceleration { stored }

    /// Writes the reading into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        let value = acceleration
        coder.encode(numbers: [value.x, value.y, value.z], forKey: Self.key)
    }

    /// The values and the time.
    open override var description: String {
        let value = acceleration
        return "<CMAccelerometerData x \(value.x) y \(value.y) z \(value.z) @ \(timestamp)>"
    }

    private static let key = "CMAccelerometerData.acceleration"
}
