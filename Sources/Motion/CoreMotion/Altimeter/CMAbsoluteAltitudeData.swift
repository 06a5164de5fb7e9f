// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A height above mean sea level.
open class CMAbsoluteAltitudeData: CMLogItem {
    private var storedAltitude = 0.0
    private var storedAccuracy = -1.0
    private var storedPrecision = -1.0

    /// Sea level at the time zero, without an accuracy.
    public override init() { super.init() }

    init(_ value: AbsoluteAltitude.Value) {
        (storedAltitude, storedAccuracy, storedPrecision) = (value.altitude, value.accuracy, value.precision)
        super.init(measuredAt: MotionConversion.timestamp(value.time))
    }

    /// Restores it from an archive: with default values where a subclass has written nothing, nil where something
    /// else stands.
    public required init?(coder: NSCoder) {
        if coder.holdsNumbers(forKey: Self.key) {
            guard let numbers = coder.decodeNumbers(3, forKey: Self.key) else { return nil }
            (storedAltitude, storedAccuracy, storedPrecision) = (numbers[0], numbers[1], numbers[2])
        }
        super.init(coder: coder)
    }

    /// Metres above mean sea level.
    open var altitude: Double { storedAltitude }

    /// How far the altitude may be off, in metres: the receiver's own estimate for the fix that it comes from, and what
    /// weather and the formula may have added since. Negative when unknown.
    open var accuracy: Double { storedAccuracy }

    /// How far neighbouring values scatter, in metres: the standard deviation of the barometer's readings. Negative when
    /// unknown.
    open var precision: Double { storedPrecision }

    override var archived: [(key: String, numbers: [Double])] {
        super.archived + [(Self.key, [altitude, accuracy, precision])]
    }

    /// The values and the time.
    open override var description: String {
        "<CMAbsoluteAltitudeData altitude \(altitude) accuracy \(accuracy) precision \(precision) @ \(timestamp)>"
    }

    private static let key = "CMAbsoluteAltitudeData.values"
}
