// SPDX-License-Identifier: Apache-2.0

/// The name of a segment's file: `segment-00000012.trace`, or `former-1-segment-00000012.trace` of a former recorder's.
struct RingName: Equatable {
    private static let prefix = "segment-"
    private static let formerPrefix = "former-"
    private static let suffix = ".trace"

    /// More than there ever are; what counts on never ends.
    private static let numbers = 1..<1_000_000_000

    /// The number of the recorder that has left it behind; nil for one of the ring that is.
    var former: Int?
    /// Counted from 1 in the recording.
    var number: Int

    init(former: Int? = nil, number: Int) {
        self.former = former
        self.number = number
    }

    /// Nil for a name that is none of a segment.
    init?(_ name: String) {
        var rest = name[...]
        if rest.hasPrefix(Self.formerPrefix) {
            rest.removeFirst(Self.formerPrefix.count)
            guard let end = rest.firstIndex(of: "-"), let former = Int(rest[..<end]), Self.numbers.contains(former)
            else { return nil }
            self.former = former
            rest = rest[rest.index(after: end)...]
        }
        guard rest.hasPrefix(Self.prefix), rest.hasSuffix(Self.suffix),
            let number = Int(rest.dropFirst(Self.prefix.count).dropLast(Self.suffix.count)),
            Self.numbers.contains(number)
        else { return nil }
        self.number = number
        // Signs, and zeros too many or too few.
        guard text == name else { return nil }
    }

    var text: String {
        let digits = String(number)
        let zeros = String(repeating: "0", count: max(0, 8 - digits.utf8.count))
        return (former.map { "\(Self.formerPrefix)\($0)-" } ?? "") + Self.prefix + zeros + digits + Self.suffix
    }
}
