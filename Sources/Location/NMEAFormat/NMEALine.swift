// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// A scanner for the sentences of a line: `$…*hh` and `!…*hh`, each optionally preceded by a tag block `\…*hh\`.
///
/// Text before and after a sentence, such as a timestamp, is skipped. If another sentence begins within a sentence, the
/// scanner returns `Part.broken` for the incomplete one and continues with the other.
struct NMEALine {
    /// An element of a line.
    enum Part {
        /// The range between the dollar sign and the checksum of a sentence. The checksum is valid, or missing if it is
        /// optional.
        case sentence(Range<Int>, hasChecksum: Bool)
        /// The range between the backslash and the checksum of a tag block. The checksum is valid.
        case tagBlock(Range<Int>)
        /// A sentence or a tag block with an invalid or missing checksum.
        case broken
    }

    /// The maximum length of a sentence, in bytes. The standard allows 82; receivers with many digits and systems write
    /// longer sentences.
    static let maximumLength = 1024

    let bytes: UnsafeRawBufferPointer
    /// True to accept a sentence at the end of the line without a checksum.
    let allowsMissingChecksum: Bool
    /// The offset of the next byte to scan.
    private(set) var at = 0

    init(_ bytes: UnsafeRawBufferPointer, allowsMissingChecksum: Bool = false) {
        self.bytes = bytes
        self.allowsMissingChecksum = allowsMissingChecksum
    }

    /// Returns the next element; nil at the end of the line.
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
            // The byte does not belong to the sentence. It may start another one, so it is not consumed.
            guard byte >= 0x20, byte < 0x7f, byte != UInt8(ascii: "$"), byte != UInt8(ascii: "!") else {
                return .broken
            }
            sum ^= byte
            at &+= 1
        }
        guard allowsMissingChecksum, at == bytes.count else { return .broken }
        return .sentence(start..<at, hasChecksum: false)
    }

    /// Reads a tag block, which has its own checksum. Returns nil if the text after the backslash is not a tag block.
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

    /// Returns the value of two hexadecimal digits; nil if there are none.
    private func checksum(_ at: Int) -> UInt8? {
        guard at &+ 1 < bytes.count, let high = HexDigit.value(bytes[at]), let low = HexDigit.value(bytes[at &+ 1])
        else { return nil }
        return high << 4 | low
    }
}

/// The contents of a tag block: `s:` for the source, `c:` for a time in seconds or milliseconds since 1970.
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

    /// Returns the time of an unsigned integer of seconds or milliseconds since 1970; nil for other text or if the time
    /// is out of range.
    package static func time(_ value: UnsafeRawBufferPointer) -> WallTime? {
        var digits = DecimalDigits()
        guard digits.readWhole(value) else { return nil }
        // 100,000,000,000 s would be in the year 5138, so numbers from this one on are milliseconds.
        let isMilliseconds = digits.mantissa >= 100_000_000_000
        let unit: Int64 = isMilliseconds ? 1_000_000 : 1_000_000_000
        guard let count = Int64(exactly: digits.mantissa), count <= Int64.max / unit else { return nil }
        return WallTime(nanoseconds: count * unit)
    }
}
