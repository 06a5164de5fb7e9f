// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A height above the place where updates began.
open class CMAltitudeData: CMLogItem {
    private let storedAltitude: Double
    private let storedPressure: Double

    /// No height and no pressure at the time zero.
    public override init() {
        storedAltitude = 0
        storedPressure = 0
        super.init()
    }

    init(_ value: RelativeAltitude.Value) {
        storedAltitude = value.altitude
        storedPressure = value.pressure
        super.init(measuredAt: MotionConversion.timestamp(value.time))
    }

    /// Restores it from an archive; nil when the archive holds none.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.decodeNumbers(2, forKey: Self.key) else { return nil }
        storedAltitude = numbers[0]
        storedPressure = numbers[1]
        super.init(coder: coder)
    }

    /// Metres above the place of the first event, which is exactly 0; negative below it.
    open var relativeAltitude: NSNumber { NSNumber(value: storedAltitude) }

    /// The air pressure in kilopascal: the mean of the readings since the event before.
    open var pressure: NSNumber { NSNumber(value: storedPressure) }

    /// Writes it into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(numbers: [relativeAltitude.doubleValue, pressure.doubleValue], forKey: Self.key)
    }

    /// The values and the time.
    open override var description: String {
        "<CMAltitudeData altitude \(relativeAltitude) pressure \(pressure) @ \(timestamp)>"
    }

    private static let key = "CMAltitudeData.values"
}
