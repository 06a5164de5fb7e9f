// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// A recorded rotation rate.
open class CMRotationRateData: CMLogItem {
    private var stored = CMRotationRate()

    /// Creates a reading of zero at timestamp 0.
    public override init() { super.init() }

    init(_ reading: ConvertedReading) {
        stored = MotionConversion.rotationRate(reading.value)
        super.init(measuredAt: MotionConversion.timestamp(reading.time))
    }

    /// Creates a reading from an archive. Uses default values if the archive contains none for this class; returns nil
    /// if the values are invalid.
    public required init?(coder: NSCoder) {
        if coder.containsNumbers(forKey: Self.key) {
            guard let numbers = coder.decodeNumbers(3, forKey: Self.key) else { return nil }
            stored = CMRotationRate(SIMD3(numbers))
        }
        super.init(coder: coder)
    }

    /// The rotation rate, in radians per second.
    open var rotationRate: CMRotationRate { stored }

    /// The values and the timestamp.
    open override var description: String { "<CMRotationRateData \(rotationRate.text) @ \(timestamp)>" }

    override var archivedValues: [(key: String, numbers: [Double])] {
        super.archivedValues + [(Self.key, rotationRate.numbers)]
    }

    private static let key = "CMRotationRateData.rotationRate"
}

/// A recorded rotation rate with its date. The package does not record rotation rates yet.
open class CMRecordedRotationRateData: CMRotationRateData {
    private var storedStart: TimeInterval = 0

    /// Creates a reading of zero at timestamp 0.
    public override init() { super.init() }

    /// Creates a reading from an archive. Uses default values if the archive contains none for this class; returns nil
    /// if the values are invalid.
    public required init?(coder: NSCoder) {
        if coder.containsNumbers(forKey: Self.key) {
            guard let numbers = coder.decodeNumbers(1, forKey: Self.key) else { return nil }
            storedStart = numbers[0]
        }
        super.init(coder: coder)
    }

    /// The wall-clock time of the measurement.
    open var startDate: Date { Date(timeIntervalSince1970: storedStart) }

    override var archivedValues: [(key: String, numbers: [Double])] {
        super.archivedValues + [(Self.key, [startDate.timeIntervalSince1970])]
    }

    private static let key = "CMRecordedRotationRateData.startDate"
}
