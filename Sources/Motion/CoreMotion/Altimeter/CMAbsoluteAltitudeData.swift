// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A height above mean sea level.
open class CMAbsoluteAltitudeData: CMLogItem {
    private let storedAltitude: Double
    private let storedAccuracy: Double
    private let storedPrecision: Double

    /// Sea level at the time zero, without an accuracy.
    public override init() {
        storedAltitude = 0
        storedAccuracy = -1
        storedPrecision = -1
        super.init()
    }

    init(_ value: AbsoluteAltitude.Value) {
        storedAltitude = value.altitude
        storedAccuracy = value.accuracy
        storedPrecision = value.precision
        super.init(measuredAt: MotionConversion.timestamp(value.time))
    }

    /// Restores it from an archive; nil when the archive holds none.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.decodeNumbers(3, forKey: Self.key) else { return nil }
        storedAltitude = numbers[0]
        storedAccuracy = numbers[1]
        storedPrecision = numbers[2]
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

    /// Writes it into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(numbers: [altitude, accuracy, precision], forKey: Self.key)
    }

    /// The values and the time.
    open override var description: String {
        "<CMAbsoluteAltitudeData altitude \(altitude) accuracy \(accuracy) precision \(precision) @ \(timestamp)>"
    }

    private static let key = "CMAbsoluteAltitudeData.values"
}
