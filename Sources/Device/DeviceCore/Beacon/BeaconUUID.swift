// SPDX-License-Identifier: Apache-2.0

/// The 128 bits that a beacon's owner has chosen, without Foundation.
public struct BeaconUUID: Sendable, Hashable {
    /// The first eight bytes, most significant first.
    public var high: UInt64
    /// The other eight.
    public var low: UInt64

    /// A UUID of those halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A UUID of its sixteen bytes; nil for any other number of them.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A UUID as it is mostly written: 32 hexadecimal digits of either case in groups of 8, 4, 4, 4 and 12, with hyphens
    /// between them. Nil for anything else.
    public init?(_ text: some StringProtocol) {
        var digits: [UInt64] = []
        for (place, character) in text.utf8.prefix(37).enumerated() {
            switch (place, character) {
            case (8, 0x2d), (13, 0x2d), (18, 0x2d), (23, 0x2d): continue
            case (8, _), (13, _), (18, _), (23, _): return nil
            case (_, 0x30...0x39): digits.append(UInt64(character) - 0x30)
            case (_, 0x41...0x46): digits.append(UInt64(character) - 0x37)
            case (_, 0x61...0x66): digits.append(UInt64(character) - 0x57)
            default: return nil
            }
        }
        guard digits.count == 32, text.utf8.count == 36 else { return nil }
        high = digits.prefix(16).reduce(0) { $0 << 4 | $1 }
        low = digits.dropFirst(16).reduce(0) { $0 << 4 | $1 }
    }

    /// The sixteen bytes.
    public var bytes: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
    }
}

extension BeaconUUID: CustomStringConvertible {
    /// As it is mostly written, in capitals.
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
