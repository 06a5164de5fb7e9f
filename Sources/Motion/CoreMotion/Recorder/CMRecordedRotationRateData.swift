// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A recorded rate of rotation. Nothing on Linux records it yet.
open class CMRecordedRotationRateData: CMRotationRateData {
    private let storedStart: TimeInterval

    /// A reading of zero at the time zero.
    public override init() {
        storedStart = 0
        super.init()
    }

    /// Restores it from an archive; nil when the archive holds none.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.decodeNumbers(1, forKey: Self.key) else { return nil }
        storedStart = numbers[0]
        super.init(coder: coder)
    }

    /// When it was measured, in civil time.
    open var startDate: Date { Date(timeIntervalSince1970: storedStart) }

    /// Writes it into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(numbers: [startDate.timeIntervalSince1970], forKey: Self.key)
    }

    private static let key = "CMRecordedRotationRateData.startDate"
}
