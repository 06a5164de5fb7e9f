// SPDX-License-Identifier: Apache-2.0

/// The 128-bit UUID of a beacon's owner. Does not require Foundation.
public struct BeaconUUID: Sendable, Hashable {
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

    /// Creates a UUID from 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12, separated by hyphens. Returns nil for
    /// any other text.
    public init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        (high, low) = (0, 0)
        for (place, character) in text.utf8.enumerated() {
            let digit: UInt8
            switch (place, character) {
            case (8, 0x2d), (13, 0x2d), (18, 0x2d), (23, 0x2d): continue
            case (8, _), (13, _), (18, _), (23, _): return nil
            case (_, 0x30...0x39): digit = character - 0x30
            case (_, 0x41...0x46): digit = character - 0x37
            case (_, 0x61...0x66): digit = character - 0x57
            default: return nil
            }
            (high, low) = (high << 4 | low >> 60, low << 4 | UInt64(digit))
        }
    }

    package var bytes: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
    }
}

extension BeaconUUID: CustomStringConvertible {
    /// The standard string form, in uppercase.
    public var description: String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 { text += "-" }
            if byte < 16 { text += "0" }
            text += String(byte, radix: 16, uppercase: true)
        }
        return text
    }
}
