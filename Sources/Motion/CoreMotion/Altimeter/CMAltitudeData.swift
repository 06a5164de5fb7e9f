// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// A height relative to the first value delivered after updates started.
open class CMAltitudeData: CMLogItem {
    private var storedAltitude = 0.0
    private var storedPressure = 0.0

    /// Creates an object whose height, pressure and timestamp are 0.
    public override init() { super.init() }

    init(_ value: RelativeAltitudeConverter.Value) {
        (storedAltitude, storedPressure) = (value.altitude, value.pressure)
        super.init(measuredAt: value.time.seconds)
    }

    /// Creates an object from an archive, or returns nil if the archived values are invalid.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.numbers(forKey: Self.archiveKey, default: [0, 0]) else { return nil }
        (storedAltitude, storedPressure) = (numbers[0], numbers[1])
        super.init(coder: coder)
    }

    /// The height relative to the first value, in metres. The first value is exactly 0.
    open var relativeAltitude: NSNumber { NSNumber(value: storedAltitude) }

    /// The air pressure in kilopascals, averaged over the readings since the previous value.
    open var pressure: NSNumber { NSNumber(value: storedPressure) }

    override var archivedValues: ArchivedValues {
        super.archivedValues + [(Self.archiveKey, [relativeAltitude.doubleValue, pressure.doubleValue])]
    }

    /// A string that contains the values and the timestamp.
    open override var description: String {
        "<CMAltitudeData altitude \(relativeAltitude) pressure \(pressure) @ \(timestamp)>"
    }

    private static let archiveKey = "CMAltitudeData.values"
}

/// An altitude above mean sea level.
open class CMAbsoluteAltitudeData: CMLogItem {
    private var storedAltitude = 0.0
    private var storedAccuracy = -1.0
    private var storedPrecision = -1.0

    /// Creates an altitude of 0 at timestamp 0, with unknown accuracy and precision.
    public override init() { super.init() }

    init(_ value: AbsoluteAltitudeConverter.Value) {
        (storedAltitude, storedAccuracy, storedPrecision) = (value.altitude, value.accuracy, value.precision)
        super.init(measuredAt: value.time.seconds)
    }

    /// Creates an object from an archive, or returns nil if the archived values are invalid.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.numbers(forKey: Self.archiveKey, default: [0, -1, -1]) else { return nil }
        (storedAltitude, storedAccuracy, storedPrecision) = (numbers[0], numbers[1], numbers[2])
        super.init(coder: coder)
    }

    /// The altitude above mean sea level, in metres.
    open var altitude: Double { storedAltitude }

    /// The accuracy of the altitude, in metres, or a negative value if it is unknown. It is the error of the position
    /// fix, plus the errors that weather and the barometric formula may have added since the fix.
    open var accuracy: Double { storedAccuracy }

    /// The standard deviation of the altitude due to sensor noise, in metres, or a negative value if it is unknown.
    open var precision: Double { storedPrecision }

    override var archivedValues: ArchivedValues {
        super.archivedValues + [(Self.archiveKey, [altitude, accuracy, precision])]
    }

    /// A string that contains the values and the timestamp.
    open override var description: String {
        "<CMAbsoluteAltitudeData altitude \(altitude) accuracy \(accuracy) precision \(precision) @ \(timestamp)>"
    }

    private static let archiveKey = "CMAbsoluteAltitudeData.values"
}
