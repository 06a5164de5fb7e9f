// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// Finds the sentences of a line: `$…*hh` and `!…*hh`, each perhaps behind a tag block `\…*hh\`.
///
/// Text in front of a sentence, such as a stamp, and behind it is passed over. A sentence into which another one was
/// written is lost, and the other one is found.
struct NMEALine {
    /// What was found.
    enum Part {
        /// What stands between the dollar sign and the checksum, which was right.
        case sentence(Range<Int>, hasChecksum: Bool)
        /// The same of a tag block.
        case tagBlock(Range<Int>)
        /// A sentence whose checksum was wrong or missing.
        case broken
    }

    /// The longest sentence, in bytes. The standard has 82; receivers with many digits and systems write more.
    static let maximumLength = 1024

    let bytes: UnsafeRawBufferPointer
    /// True when a sentence that a line end follows may have no checksum.
    let allowsMissingChecksum: Bool
    /// Where the search goes on.
    private(set) var at = 0

    init(_ bytes: UnsafeRawBufferPointer, allowsMissingChecksum: Bool = false) {
        self.bytes = bytes
        self.allowsMissingChecksum = allowsMissingChecksum
    }

    /// The next part; nil at the end.
    mutating func next() -> Part? {
        while at < bytes.count {
            let byte = bytes[at]
            at &+= 1
            switch byte {
            case UInt8(ascii: "$"), UInt8(ascii: "!"): return sentence()
            case UInt8(ascii: "\\"):
                if let block = tagBlock() { return block }
            default: break
            }
        }
        return nil
    }

    private mutating func sentence() -> Part {
        let start = at
        var sum: UInt8 = 0
        let limit = min(bytes.count, start + Self.maximumLength)
        while at < limit {
            let byte = bytes[at]
            if byte == UInt8(ascii: "*") {
                guard checksum(at &+ 1) == sum else {
                    at &+= 1
                    return .broken
                }
                let end = at
                at &+= 3
                return .sentence(start..<end, hasChecksum: true)
            }
            // Another sentence begins, or this is none: both are looked at again.
            guard byte >= 0x20, byte < 0x7f, byte != UInt8(ascii: "$"), byte != UInt8(ascii: "!") else {
                return .broken
            }
            sum ^= byte
            at &+= 1
        }
        guard allowsMissingChecksum, at == bytes.count else { return .broken }
        return .sentence(start..<at, hasChecksum: false)
    }

    /// A tag block has a checksum of its own. Anything else behind a backslash is text.
    private mutating func tagBlock() -> Part? {
        let start = at
        var sum: UInt8 = 0
        var index = start
        let limit = min(bytes.count, start + Self.maximumLength)
        while index < limit {
            let byte = bytes[index]
            if byte == UInt8(ascii: "*") {
                guard index &+ 3 < bytes.count, bytes[index &+ 3] == UInt8(ascii: "\\"),
                    let stated = checksum(index &+ 1)
                else { return nil }
                at = index &+ 4
                return stated == sum ? .tagBlock(start..<index) : .broken
            }
            guard byte >= 0x20, byte < 0x7f, byte != UInt8(ascii: "$"), byte != UInt8(ascii: "\\") else { return nil }
            sum ^= byte
            index &+= 1
        }
        return nil
    }

    /// The two hexadecimal digits that stand there.
    private func checksum(_ at: Int) -> UInt8? {
        guard at &+ 1 < bytes.count, let high = HexDigit.value(bytes[at]), let low = HexDigit.value(bytes[at &+ 1])
        else { return nil }
        return high << 4 | low
    }
}

/// What a tag block says: `s:` the source, `c:` seconds or milliseconds since 1970.
package struct NMEATagBlock {
    private(set) var source: UnsafeRawBufferPointer?
    private(set) var time: WallTime?

    init(_ bytes: UnsafeRawBufferPointer) {
        for field in bytes.split(separator: UInt8(ascii: ",")) {
            guard field.count > 2, field[field.startIndex + 1] == UInt8(ascii: ":") else { continue }
            let value = UnsafeRawBufferPointer(rebasing: field.dropFirst(2))
            switch field[field.startIndex] {
            case UInt8(ascii: "s"): source = value
            case UInt8(ascii: "c"): time = Self.time(value)
            default: break
            }
        }
    }

    /// An instant of seconds or milliseconds since 1970: digits and nothing else. Nil for other text, and for what no
    /// clock can show.
    package static func time(_ value: UnsafeRawBufferPointer) -> WallTime? {
        var digits = DecimalDigits()
        // Beyond this, in the year 5138, they are milliseconds.
        guard digits.readWhole(value) else { return nil }
        let isMilliseconds = digits.mantissa >= 100_000_000_000
        let unit: Int64 = isMilliseconds ? 1_000_000 : 1_000_000_000
        guard let count = Int64(exactly: digits.mantissa), count <= Int64.max / unit else { return nil }
        return WallTime(nanoseconds: count * unit)
    }
}
