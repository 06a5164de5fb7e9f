// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// A recorded rate of rotation.
open class CMRotationRateData: CMLogItem {
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

    /// The rate of rotation in radians per second.
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
        return "<CMRotationRateData x \(value.x) y \(value.y) z \(value.z) @ \(timestamp)>"
    }

    private static let key = "CMRotationRateData.rotationRate"
}

/// A recorded rate of rotation. Nothing on Linux records it yet.
open class CMRecordedRotationRateData: CMRotationRateData {
    private let storedStart: TimeInterval

    /// A reading of zero at the time zero.
    public override init() {
        storedStart = 0
        super.init()
    }

    /// Restores it from an archive; nil when the archive holds none.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.decodeNumbers(1, forKey: Self.key) else { return nil }
        storedStart = numbers[0]
        super.init(coder: coder)
    }

    /// When it was measured, in civil time.
    open var startDate: Date { Date(timeIntervalSince1970: storedStart) }

    /// Writes it into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(numbers: [startDate.timeIntervalSince1970], forKey: Self.key)
    }

    private static let key = "CMRecordedRotationRateData.startDate"
}
