// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// A recorded rate of rotation.
open class CMRotationRateData: CMLogItem {
    private var stored = CMRotationRate()

    /// A reading of zero at the time zero.
    public override init() { super.init() }

    init(_ reading: MotionReading) {
        stored = MotionConversion.rotationRate(reading.value)
        super.init(measuredAt: MotionConversion.timestamp(reading.time))
    }

    /// Restores a reading from an archive: with default values where a subclass has written nothing, nil where
    /// something else stands.
    public required init?(coder: NSCoder) {
        if coder.holdsNumbers(forKey: Self.key) {
            guard let numbers = coder.decodeNumbers(3, forKey: Self.key) else { return nil }
            stored = CMRotationRate(SIMD3(numbers))
        }
        super.init(coder: coder)
    }

    /// The rate of rotation in radians per second.
    open var rotationRate: CMRotationRate { stored }

    /// The values and the time.
    open override var description: String { "<CMRotationRateData \(rotationRate.text) @ \(timestamp)>" }

    override var archived: [(key: String, numbers: [Double])] { super.archived + [(Self.key, rotationRate.numbers)] }

    private static let key = "CMRotationRateData.rotationRate"
}

/// A recorded rate of rotation. Nothing on Linux records it yet.
open class CMRecordedRotationRateData: CMRotationRateData {
    private var storedStart: TimeInterval = 0

    /// A reading of zero at the time zero.
    public override init() { super.init() }

    /// Restores it from an archive: with default values where a subclass has written nothing, nil where something
    /// else stands.
    public required init?(coder: NSCoder) {
        if coder.holdsNumbers(forKey: Self.key) {
            guard let numbers = coder.decodeNumbers(1, forKey: Self.key) else { return nil }
            storedStart = numbers[0]
        }
        super.init(coder: coder)
    }

    /// When it was measured, in civil time.
    open var startDate: Date { Date(timeIntervalSince1970: storedStart) }

    override var archived: [(key: String, numbers: [Double])] {
        super.archived + [(Self.key, [startDate.timeIntervalSince1970])]
    }

    private static let key = "CMRecordedRotationRateData.startDate"
}
