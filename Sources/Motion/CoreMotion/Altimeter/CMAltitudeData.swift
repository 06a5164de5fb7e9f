// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A height relative to the start of updates.
open class CMAltitudeData: CMLogItem {
    private var storedAltitude = 0.0
    private var storedPressure = 0.0

    /// Creates a height of 0 and a pressure of 0 at timestamp 0.
    public override init() { super.init() }

    init(_ value: RelativeAltitudeConverter.Value) {
        (storedAltitude, storedPressure) = (value.altitude, value.pressure)
        super.init(measuredAt: MotionConversion.timestamp(value.time))
    }

    /// Creates an object from an archive. Uses default values if the archive contains none for this class; returns nil
    /// if the values are invalid.
    public required init?(coder: NSCoder) {
        if coder.containsNumbers(forKey: Self.key) {
            guard let numbers = coder.decodeNumbers(2, forKey: Self.key) else { return nil }
            (storedAltitude, storedPressure) = (numbers[0], numbers[1])
        }
        super.init(coder: coder)
    }

    /// The height relative to the first value, in metres; negative below it. The first value is exactly 0.
    open var relativeAltitude: NSNumber { NSNumber(value: storedAltitude) }

    /// The air pressure, in kilopascals: the mean of the readings since the previous value.
    open var pressure: NSNumber { NSNumber(value: storedPressure) }

    override var archivedValues: [(key: String, numbers: [Double])] {
        super.archivedValues + [(Self.key, [relativeAltitude.doubleValue, pressure.doubleValue])]
    }

    /// The values and the timestamp.
    open override var description: String {
        "<CMAltitudeData altitude \(relativeAltitude) pressure \(pressure) @ \(timestamp)>"
    }

    private static let key = "CMAltitudeData.values"
}
