// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// The 128-bit UUID of a beacon's owner. Does not require Foundation.
public struct BeaconUUID: Sendable, Hashable, CustomStringConvertible {
    /// The first eight bytes, most significant byte first.
    public var high: UInt64
    /// The last eight bytes, most significant byte first.
    public var low: UInt64

    /// Creates a UUID from its halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init?(bytes: ArraySlice<UInt8>) {
        guard bytes.count == 16 else { return nil }
        (high, low) = (0, 0)
        for byte in bytes { (high, low) = (high << 8 | low >> 56, low << 8 | UInt64(byte)) }
    }

    /// Creates a UUID from 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12, and returns nil for any other text.
    public init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        (high, low) = (0, 0)
        for (index, character) in text.utf8.enumerated() {
            if [8, 13, 18, 23].contains(index) {
                guard character == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = HexDigit.value(character) else { return nil }
                (high, low) = (high << 4 | low >> 60, low << 4 | UInt64(digit))
            }
        }
    }

    package var bytes: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
    }

    /// The standard string form, in uppercase.
    public var description: String {
        var text = HexDigit.text(bytes).uppercased()
        for offset in [20, 16, 12, 8] { text.insert("-", at: text.utf8.index(text.startIndex, offsetBy: offset)) }
        return text
    }
}
