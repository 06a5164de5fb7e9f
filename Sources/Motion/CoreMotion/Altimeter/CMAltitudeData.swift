// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A height above the place where updates began.
open class CMAltitudeData: CMLogItem {
    private var storedAltitude = 0.0
    private var storedPressure = 0.0

    /// No height and no pressure at the time zero.
    public override init() { super.init() }

    init(_ value: RelativeAltitude.Value) {
        (storedAltitude, storedPressure) = (value.altitude, value.pressure)
        super.init(measuredAt: MotionConversion.timestamp(value.time))
    }

    /// Restores it from an archive: with default values where a subclass has written nothing, nil where something
    /// else stands.
    public required init?(coder: NSCoder) {
        if coder.holdsNumbers(forKey: Self.key) {
            guard let numbers = coder.decodeNumbers(2, forKey: Self.key) else { return nil }
            (storedAltitude, storedPressure) = (numbers[0], numbers[1])
        }
        super.init(coder: coder)
    }

    /// Metres above the place of the first event, which is exactly 0; negative below it.
    open var relativeAltitude: NSNumber { NSNumber(value: storedAltitude) }

    /// The air pressure in kilopascal: the mean of the readings since the event before.
    open var pressure: NSNumber { NSNumber(value: storedPressure) }

    override var archived: [(key: String, numbers: [Double])] {
        super.archived + [(Self.key, [relativeAltitude.doubleValue, pressure.doubleValue])]
    }

    /// The values and the time.
    open override var description: String {
        "<CMAltitudeData altitude \(relativeAltitude) pressure \(pressure) @ \(timestamp)>"
    }

    private static let key = "CMAltitudeData.values"
}
