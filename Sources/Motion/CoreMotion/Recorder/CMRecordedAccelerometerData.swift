// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation

/// A recorded accelerometer reading.
open class CMRecordedAccelerometerData: CMAccelerometerData {
    private var metadata = RecordMetadata()

    /// Creates a reading of zero at timestamp 0 with the identifier 0.
    public override init() { super.init() }

    init(_ reading: ConvertedReading, identifier: UInt64, wallTime: WallTime) {
        metadata = RecordMetadata(identifier: identifier, start: wallTime.seconds)
        super.init(reading)
    }

    /// Creates a reading from an archive. Uses default values if the archive contains none for this class; returns nil
    /// if the values are invalid.
    public required init?(coder: NSCoder) {
        guard let mark = RecordMetadata(coder, Self.key) else { return nil }
        self.metadata = mark
        super.init(coder: coder)
    }

    /// The sequence number of the reading. The first reading that the process records has the number 1.
    open var identifier: UInt64 { metadata.identifier }

    /// The wall-clock time of the measurement.
    open var startDate: Date { Date(timeIntervalSince1970: metadata.start) }

    /// Encodes the reading into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        RecordMetadata(identifier: identifier, start: startDate.timeIntervalSince1970).encode(coder, Self.key)
    }

    private static let key = "CMRecordedAccelerometerData.values"
}

/// The additional values of a recorded reading: its sequence number and its wall-clock time in seconds since 1970.
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
