// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A recorded reading of the air around the device. Nothing on Linux records it yet.
open class CMRecordedPressureData: CMAmbientPressureData {
    private var mark = RecordingMark()

    /// No pressure at the time zero, without a number.
    public override init() { super.init() }

    /// Restores it from an archive: with default values where a subclass has written nothing, nil where something
    /// else stands.
    public required init?(coder: NSCoder) {
        guard let mark = RecordingMark(coder, Self.key) else { return nil }
        self.mark = mark
        super.init(coder: coder)
    }

    /// The number of the reading.
    open var identifier: UInt64 { mark.identifier }

    /// When it was measured, in civil time.
    open var startDate: Date { Date(timeIntervalSince1970: mark.start) }

    /// Writes it into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        RecordingMark(identifier: identifier, start: startDate.timeIntervalSince1970).encode(coder, Self.key)
    }

    private static let key = "CMRecordedPressureData.values"
}

/// The pressure and temperature of the air around the device.
///
/// On Apple's platforms these come from recordings only; on Linux nothing makes them yet but archives and subclasses.
open class CMAmbientPressureData: CMLogItem {
    private var storedPressure = 0.0
    private var storedTemperature = 0.0

    /// No pressure and the freezing point at the time zero.
    public override init() { super.init() }

    /// Restores it from an archive: with default values where a subclass has written nothing, nil where something
    /// else stands.
    public required init?(coder: NSCoder) {
        if coder.holdsNumbers(forKey: Self.key) {
            guard let numbers = coder.decodeNumbers(2, forKey: Self.key) else { return nil }
            (storedPressure, storedTemperature) = (numbers[0], numbers[1])
        }
        super.init(coder: coder)
    }

    /// The air pressure, in kilopascal.
    open var pressure: Measurement<UnitPressure> { Measurement(value: storedPressure, unit: .kilopascals) }

    /// The temperature of the barometer, in degrees Celsius.
    open var temperature: Measurement<UnitTemperature> { Measurement(value: storedTemperature, unit: .celsius) }

    override var archived: [(key: String, numbers: [Double])] {
        let numbers = [pressure.converted(to: .kilopascals).value, temperature.converted(to: .celsius).value]
        return super.archived + [(Self.key, numbers)]
    }

    private static let key = "CMAmbientPressureData.values"
}
