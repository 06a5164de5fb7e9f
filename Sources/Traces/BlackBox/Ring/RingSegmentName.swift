// SPDX-License-Identifier: Apache-2.0

/// The file name of a segment: `segment-00000012.trace`, or `former-1-segment-00000012.trace` for an earlier recorder.
struct RingSegmentName: Equatable {
    private static let prefix = "segment-"
    private static let formerPrefix = "former-"
    private static let suffix = ".trace"

    /// The range of valid numbers. It is larger than any recording needs, and prevents overflow.
    private static let validNumbers = 1..<1_000_000_000

    /// The number of the earlier recorder; nil for a segment of the current ring.
    var recorderNumber: Int?
    /// The number of the segment in the recording, counted from 1.
    var number: Int

    init(former: Int? = nil, number: Int) {
        self.recorderNumber = former
        self.number = number
    }

    /// Parses a file name; nil if it is not that of a segment.
    init?(_ name: String) {
        var rest = name[...]
        if rest.hasPrefix(Self.formerPrefix) {
            rest.removeFirst(Self.formerPrefix.count)
            guard let end = rest.firstIndex(of: "-"), let former = Int(rest[..<end]), Self.validNumbers.contains(former)
            else { return nil }
            self.recorderNumber = former
            rest = rest[rest.index(after: end)...]
        }
        guard rest.hasPrefix(Self.prefix), rest.hasSuffix(Self.suffix),
            let number = Int(rest.dropFirst(Self.prefix.count).dropLast(Self.suffix.count)),
            Self.validNumbers.contains(number)
        else { return nil }
        self.number = number
        // Rejects signs and a wrong number of leading zeros.
        guard text == name else { return nil }
    }

    var text: String {
        let digits = String(number)
        let zeros = String(repeating: "0", count: max(0, 8 - digits.utf8.count))
        return (recorderNumber.map { "\(Self.formerPrefix)\($0)-" } ?? "") + Self.prefix + zeros + digits + Self.suffix
    }
}
