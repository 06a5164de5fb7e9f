// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// A reading of the gyroscope.
open class CMGyroData: CMLogItem {
    private let stored: CMRotationRate

    /// A reading of zero at the time zero.
    public override init() {
        stored = CMRotationRate()
        super.init()
    }

    init(_ reading: MotionReading) {
        stored = MotionConversion.rotationRate(reading.value)
        super.init(measuredAt: MotionConversion.timestamp(reading.time))
    }

    /// Restores a reading from an archive; nil when the archive holds none.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.decodeNumbers(3, forKey: Self.key) else { return nil }
        stored = CMRotationRate(x: numbers[0], y: numbers[1], z: numbers[2])
        super.init(coder: coder)
    }

    /// The rate of rotation in radians per second, as the sensor gave it, with its bias.
    open var rotationRate: CMRotationRate { stored }

    /// Writes the reading into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        let value = rotationRate
        coder.encode(numbers: [value.x, value.y, value.z], forKey: Self.key)
    }

    /// The values and the time.
    open override var description: String {
        let value = rotationRate
        return "<CMGyroData x \(value.x) y \(value.y) z \(value.z) @ \(timestamp)>"
    }

    private static let key = "CMGyroData.rotationRate"
}
