// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AppDelivery
public import Foundation

/// A recorded reading of the air around the device. Nothing on Linux records it yet.
open class CMRecordedPressureData: CMAmbientPressureData {
    private let storedIdentifier: UInt64
    private let storedStart: TimeInterval

    /// No pressure at the time zero, without a number.
    public override init() {
        storedIdentifier = 0
        storedStart = 0
        super.init()
    }

    /// Restores it from an archive; nil when the archive holds none.
    public required init?(coder: NSCoder) {
        guard let words = coder.decodeWords(2, forKey: Self.key) else { return nil }
        storedIdentifier = words[0]
        storedStart = Double(bitPattern: words[1])
        super.init(coder: coder)
    }

    /// The number of the reading.
    open var identifier: UInt64 { storedIdentifier }

    /// When it was measured, in civil time.
    open var startDate: Date { Date(timeIntervalSince1970: storedStart) }

    /// Writes it into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        guard coder.allowsKeyedCoding else { return }
        coder.encode(words: [identifier, startDate.timeIntervalSince1970.bitPattern], forKey: Self.key)
    }

    private static let key = "CMRecordedPressureData.values"
}

/// The pressure and temperature of the air around the device.
///
/// On Apple's platforms these come from recordings only; on Linux nothing makes them yet but archives and subclasses.
open class CMAmbientPressureData: CMLogItem {
    private let storedPressure: Double
    private let storedTemperature: Double

    /// No pressure and the freezing point at the time zero.
    public override init() {
        storedPressure = 0
        storedTemperature = 0
        super.init()
    }

    /// Restores it from an archive; nil when the archive holds none.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.decodeNumbers(2, forKey: Self.key) else { return nil }
        storedPressure = numbers[0]
        storedTemperature = numbers[1]
        super.init(coder: coder)
    }

    /// The air pressure, in kilopascal.
    open var pressure: Measurement<UnitPressure> { Measurement(value: storedPressure, unit: .kilopascals) }

    /// The temperature of the barometer, in degrees Celsius.
    open var temperature: Measurement<UnitTemperature> { Measurement(value: storedTemperature, unit: .celsius) }

    /// Writes it into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(
            numbers: [pressure.converted(to: .kilopascals).value, temperature.converted(to: .celsius).value],
            forKey: Self.key)
    }

    private static let key = "CMAmbientPressureData.values"
}
