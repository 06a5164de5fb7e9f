// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A recorded reading of the ambient pressure. The package does not record pressure yet.
open class CMRecordedPressureData: CMAmbientPressureData {
    private var metadata = RecordMetadata()

    /// Creates a reading of zero at timestamp 0 with the identifier 0.
    public override init() { super.init() }

    /// Creates a reading from an archive. Uses default values if the archive contains none for this class; returns nil
    /// if the values are invalid.
    public required init?(coder: NSCoder) {
        guard let mark = RecordMetadata(coder, Self.key) else { return nil }
        self.metadata = mark
        super.init(coder: coder)
    }

    /// The sequence number of the reading.
    open var identifier: UInt64 { metadata.identifier }

    /// The wall-clock time of the measurement.
    open var startDate: Date { Date(timeIntervalSince1970: metadata.start) }

    /// Encodes the reading into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        RecordMetadata(identifier: identifier, start: startDate.timeIntervalSince1970).encode(coder, Self.key)
    }

    private static let key = "CMRecordedPressureData.values"
}

/// The ambient pressure and temperature.
///
/// On Apple's platforms, the objects come from recordings. On Linux, only archives and subclasses create them so far.
open class CMAmbientPressureData: CMLogItem {
    private var storedPressure = 0.0
    private var storedTemperature = 0.0

    /// Creates a reading of 0 kPa and 0 °C at timestamp 0.
    public override init() { super.init() }

    /// Creates a reading from an archive. Uses default values if the archive contains none for this class; returns nil
    /// if the values are invalid.
    public required init?(coder: NSCoder) {
        if coder.containsNumbers(forKey: Self.key) {
            guard let numbers = coder.decodeNumbers(2, forKey: Self.key) else { return nil }
            (storedPressure, storedTemperature) = (numbers[0], numbers[1])
        }
        super.init(coder: coder)
    }

    /// The air pressure, in kilopascals.
    open var pressure: Measurement<UnitPressure> { Measurement(value: storedPressure, unit: .kilopascals) }

    /// The temperature of the barometer, in degrees Celsius.
    open var temperature: Measurement<UnitTemperature> { Measurement(value: storedTemperature, unit: .celsius) }

    override var archivedValues: [(key: String, numbers: [Double])] {
        let numbers = [pressure.converted(to: .kilopascals).value, temperature.converted(to: .celsius).value]
        return super.archivedValues + [(Self.key, numbers)]
    }

    private static let key = "CMAmbientPressureData.values"
}
