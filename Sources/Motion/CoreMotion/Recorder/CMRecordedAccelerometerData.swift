// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation

/// A recorded reading of the accelerometer.
open class CMRecordedAccelerometerData: CMAccelerometerData {
    private let storedIdentifier: UInt64
    private let storedStart: TimeInterval

    /// A reading of zero at the time zero, without a number.
    public override init() {
        storedIdentifier = 0
        storedStart = 0
        super.init()
    }

    init(_ reading: MotionReading, identifier: UInt64, wallTime: WallTime) {
        storedIdentifier = identifier
        storedStart = wallTime.seconds
        super.init(reading)
    }

    /// Restores it from an archive; nil when the archive holds none.
    public required init?(coder: NSCoder) {
        guard let words = coder.decodeWords(2, forKey: Self.key) else { return nil }
        storedIdentifier = words[0]
        storedStart = Double(bitPattern: words[1])
        super.init(coder: coder)
    }

    /// The number of the reading: 1 for the first that the process recorded, rising by one.
    open var identifier: UInt64 { storedIdentifier }

    /// When it was measured, in civil time.
    open var startDate: Date { Date(timeIntervalSince1970: storedStart) }

    /// Writes it into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        guard coder.allowsKeyedCoding else { return }
        coder.encode(words: [identifier, startDate.timeIntervalSince1970.bitPattern], forKey: Self.key)
    }

    private static let key = "CMRecordedAccelerometerData.values"
}
