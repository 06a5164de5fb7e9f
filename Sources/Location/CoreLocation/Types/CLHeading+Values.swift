// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension CLHeading {
    /// All that a heading knows: plain numbers. Units and invalid values are those of the properties of ``CLHeading``.
    struct Values: Sendable {
        var magneticHeading: Double = 0
        var trueHeading: Double = -1
        var headingAccuracy: Double = -1
        var x: Double = 0
        var y: Double = 0
        var z: Double = 0
        /// Seconds since 2001-01-01T00:00:00Z, as `Date.timeIntervalSinceReferenceDate`.
        var timestamp: Double
    }
}

extension CLHeading.Values {
    /// The key of the values in a keyed archive.
    static let archiveKey = "CLHeading.values"

    /// Seven numbers.
    static let archivedWordCount = 7

    /// The values as words for an archive. New ones go to the end.
    var archivedWords: [UInt64] {
        [magneticHeading, trueHeading, headingAccuracy, x, y, z, timestamp].map(\.bitPattern)
    }

    /// Reads what ``archivedWords`` wrote; nil when there is less.
    init?(archivedWords words: [UInt64]) {
        guard words.count >= Self.archivedWordCount else { return nil }
        let numbers = words.prefix(Self.archivedWordCount).map(Double.init(bitPattern:))
        self.init(
            magneticHeading: numbers[0], trueHeading: numbers[1], headingAccuracy: numbers[2],
            x: numbers[3], y: numbers[4], z: numbers[5], timestamp: numbers[6])
    }
}
