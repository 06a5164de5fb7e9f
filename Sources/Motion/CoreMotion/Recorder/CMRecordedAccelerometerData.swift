// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation

/// A recorded reading of the accelerometer.
open class CMRecordedAccelerometerData: CMAccelerometerData {
    private var mark = RecordingMark()

    /// A reading of zero at the time zero, without a number.
    public override init() { super.init() }

    init(_ reading: MotionReading, identifier: UInt64, wallTime: WallTime) {
        mark = RecordingMark(identifier: identifier, start: wallTime.seconds)
        super.init(reading)
    }

    /// Restores it from an archive: with default values where a subclass has written nothing, nil where something
    /// else stands.
    public required init?(coder: NSCoder) {
        guard let mark = RecordingMark(coder, Self.key) else { return nil }
        self.mark = mark
        super.init(coder: coder)
    }

    /// The number of the reading: 1 for the first that the process recorded, rising by one.
    open var identifier: UInt64 { mark.identifier }

    /// When it was measured, in civil time.
    open var startDate: Date { Date(timeIntervalSince1970: mark.start) }

    /// Writes it into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        RecordingMark(identifier: identifier, start: startDate.timeIntervalSince1970).encode(coder, Self.key)
    }

    private static let key = "CMRecordedAccelerometerData.values"
}

/// What a recorded reading has beyond a reading: a number, and a civil time in seconds since 1970.
struct RecordingMark {
    var identifier: UInt64 = 0
    var start: TimeInterval = 0

    func encode(_ coder: NSCoder, _ key: String) {
        guard coder.allowsKeyedCoding else { return }
        coder.encode(words: [identifier, start.bitPattern], forKey: key)
    }
}

extension RecordingMark {
    init?(_ coder: NSCoder, _ key: String) {
        guard coder.holdsNumbers(forKey: key) else {
            self.init()
            return
        }
        guard let words = coder.decodeWords(2, forKey: key) else { return nil }
        self.init(identifier: words[0], start: Double(bitPattern: words[1]))
    }
}
