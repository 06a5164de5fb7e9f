// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation

/// A recorded accelerometer reading.
open class CMRecordedAccelerometerData: CMAccelerometerData {
    private var metadata = RecordMetadata()

    /// Creates a reading whose values, timestamp and identifier are all 0.
    public override init() { super.init() }

    init(_ reading: ConvertedReading, identifier: UInt64, wallTime: WallTime) {
        metadata = RecordMetadata(identifier: identifier, start: wallTime.seconds)
        super.init(reading)
    }

    /// Creates a reading from an archive, or returns nil if the archived values are invalid.
    public required init?(coder: NSCoder) {
        guard let metadata = RecordMetadata(coder, Self.archiveKey) else { return nil }
        self.metadata = metadata
        super.init(coder: coder)
    }

    /// The sequence number of the reading. Numbering starts at 1 in each process.
    open var identifier: UInt64 { metadata.identifier }
    /// The wall-clock time of the measurement.
    open var startDate: Date { Date(timeIntervalSince1970: metadata.start) }

    /// Encodes the reading into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        RecordMetadata(identifier: identifier, start: startDate.timeIntervalSince1970).encode(coder, Self.archiveKey)
    }

    private static let archiveKey = "CMRecordedAccelerometerData.values"
}

/// The sequence number of a recorded reading, and its wall-clock time in seconds since 1970.
struct RecordMetadata {
    var identifier: UInt64 = 0
    var start: TimeInterval = 0

    func encode(_ coder: NSCoder, _ key: String) {
        guard coder.allowsKeyedCoding else { return }
        coder.encode(words: [identifier, start.bitPattern], forKey: key)
    }
}

extension RecordMetadata {
    init?(_ coder: NSCoder, _ key: String) {
        guard coder.containsNumbers(forKey: key) else {
            self.init()
            return
        }
        guard let words = coder.decodeWords(2, forKey: key) else { return nil }
        self.init(identifier: words[0], start: Double(bitPattern: words[1]))
    }
}

/// A recorded rotation rate.
open class CMRotationRateData: CMLogItem {
    private var stored = CMRotationRate()

    /// Creates a reading whose rotation rate and timestamp are 0.
    public override init() { super.init() }

    init(_ reading: ConvertedReading) {
        stored = MotionConversion.rotationRate(reading.value)
        super.init(measuredAt: reading.time.seconds)
    }

    /// Creates a reading from an archive, or returns nil if the archived values are invalid.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.numbers(forKey: Self.archiveKey, default: [0, 0, 0]) else { return nil }
        stored = CMRotationRate(SIMD3(numbers))
        super.init(coder: coder)
    }

    /// The rotation rate, in radians per second.
    open var rotationRate: CMRotationRate { stored }
    /// A string that contains the values and the timestamp.
    open override var description: String { "<CMRotationRateData \(rotationRate.text) @ \(timestamp)>" }

    override var archivedValues: ArchivedValues { super.archivedValues + [(Self.archiveKey, rotationRate.numbers)] }

    private static let archiveKey = "CMRotationRateData.rotationRate"
}

/// A recorded rotation rate with its date. Rotation rates are not recorded on Linux.
open class CMRecordedRotationRateData: CMRotationRateData {
    private var storedStart: TimeInterval = 0

    /// Creates a reading whose rotation rate and timestamp are 0.
    public override init() { super.init() }

    /// Creates a reading from an archive, or returns nil if the archived values are invalid.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.numbers(forKey: Self.archiveKey, default: [0]) else { return nil }
        storedStart = numbers[0]
        super.init(coder: coder)
    }

    /// The wall-clock time of the measurement.
    open var startDate: Date { Date(timeIntervalSince1970: storedStart) }

    override var archivedValues: ArchivedValues {
        super.archivedValues + [(Self.archiveKey, [startDate.timeIntervalSince1970])]
    }

    private static let archiveKey = "CMRecordedRotationRateData.startDate"
}

/// A recorded ambient pressure reading. Pressures are not recorded on Linux.
open class CMRecordedPressureData: CMAmbientPressureData {
    private var metadata = RecordMetadata()

    /// Creates a reading whose values, timestamp and identifier are all 0.
    public override init() { super.init() }

    /// Creates a reading from an archive, or returns nil if the archived values are invalid.
    public required init?(coder: NSCoder) {
        guard let metadata = RecordMetadata(coder, Self.archiveKey) else { return nil }
        self.metadata = metadata
        super.init(coder: coder)
    }

    /// The sequence number of the reading.
    open var identifier: UInt64 { metadata.identifier }
    /// The wall-clock time of the measurement.
    open var startDate: Date { Date(timeIntervalSince1970: metadata.start) }

    /// Encodes the reading into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        RecordMetadata(identifier: identifier, start: startDate.timeIntervalSince1970).encode(coder, Self.archiveKey)
    }

    private static let archiveKey = "CMRecordedPressureData.values"
}

/// The ambient pressure and temperature. On Linux, no sensor delivers objects of this class.
open class CMAmbientPressureData: CMLogItem {
    private var storedPressure = 0.0
    private var storedTemperature = 0.0

    /// Creates a reading of 0 kPa and 0 °C with timestamp 0.
    public override init() { super.init() }

    /// Creates a reading from an archive, or returns nil if the archived values are invalid.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.numbers(forKey: Self.archiveKey, default: [0, 0]) else { return nil }
        (storedPressure, storedTemperature) = (numbers[0], numbers[1])
        super.init(coder: coder)
    }

    /// The air pressure, in kilopascals.
    open var pressure: Measurement<UnitPressure> { Measurement(value: storedPressure, unit: .kilopascals) }
    /// The temperature of the barometer, in degrees Celsius.
    open var temperature: Measurement<UnitTemperature> { Measurement(value: storedTemperature, unit: .celsius) }

    override var archivedValues: ArchivedValues {
        let numbers = [pressure.converted(to: .kilopascals).value, temperature.converted(to: .celsius).value]
        return super.archivedValues + [(Self.archiveKey, numbers)]
    }

    private static let archiveKey = "CMAmbientPressureData.values"
}
