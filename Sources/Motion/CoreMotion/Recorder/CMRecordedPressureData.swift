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
