// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// Finds the sentences in a line. A sentence has the form `$…*hh` or `!…*hh`, and may be preceded by a tag block,
/// `\…*hh\`. Any other text, such as a timestamp, is skipped. If a sentence is interrupted by the start of another one,
/// the scanner returns `Element.invalid` for the incomplete sentence.
struct NMEALineScanner {
    enum Element {
        /// The range between a sentence's start character and its checksum. A sentence without a checksum is accepted
        /// only if `allowsMissingChecksum` is true. A sentence with an invalid checksum is never accepted.
        case sentence(Range<Int>, hasChecksum: Bool)
        /// The range between a tag block's backslash and its valid checksum.
        case tagBlock(Range<Int>)
        /// A sentence or a tag block with an invalid or missing checksum.
        case invalid
    }

    /// The maximum sentence length in bytes. Some receivers exceed the standard's maximum of 82 characters.
    static let maximumLength = 1024

    let bytes: UnsafeRawBufferPointer
    let allowsMissingChecksum: Bool
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer, allowsMissingChecksum: Bool = false) {
        (self.bytes, self.allowsMissingChecksum) = (bytes, allowsMissingChecksum)
    }

    mutating func nextElement() -> Element? {
        while offset < bytes.count {
            let byte = bytes[offset]
            offset &+= 1
            switch byte {
            case UInt8(ascii: "$"), UInt8(ascii: "!"): return readSentence()
            case UInt8(ascii: "\\"):
                if let block = readTagBlock() { return block }
            default: break
            }
        }
        return nil
    }

    private mutating func readSentence() -> Element {
        let start = offset
        var sum: UInt8 = 0
        let limit = min(bytes.count, start + Self.maximumLength)
        while offset < limit {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "*") {
                guard checksum(offset &+ 1) == sum else {
                    offset &+= 1
                    return .invalid
                }
                let end = offset
                offset &+= 3
                return .sentence(start..<end, hasChecksum: true)
            }
            // The byte is not part of this sentence, but may start the next one, so it is not consumed.
            guard byte >= 0x20, byte < 0x7f, byte != UInt8(ascii: "$"), byte != UInt8(ascii: "!") else {
                return .invalid
            }
            sum ^= byte
            offset &+= 1
        }
        guard allowsMissingChecksum, offset == bytes.count else { return .invalid }
        return .sentence(start..<offset, hasChecksum: false)
    }

    /// Reads a tag block. Returns nil if the text after the backslash is not a tag block.
    private mutating func readTagBlock() -> Element? {
        let start = offset
        var sum: UInt8 = 0
        var index = start
        let limit = min(bytes.count, start + Self.maximumLength)
        while index < limit {
            let byte = bytes[index]
            if byte == UInt8(ascii: "*") {
                guard index &+ 3 < bytes.count, bytes[index &+ 3] == UInt8(ascii: "\\"),
                    let expectedChecksum = checksum(index &+ 1)
                else { return nil }
                offset = index &+ 4
                return expectedChecksum == sum ? .tagBlock(start..<index) : .invalid
            }
            guard byte >= 0x20, byte < 0x7f, byte != UInt8(ascii: "$"), byte != UInt8(ascii: "\\") else { return nil }
            sum ^= byte
            index &+= 1
        }
        return nil
    }

    /// Returns the value of two hexadecimal digits, or nil if either character is not a hexadecimal digit.
    private func checksum(_ at: Int) -> UInt8? {
        guard at &+ 1 < bytes.count, let high = HexDigit.value(bytes[at]), let low = HexDigit.value(bytes[at &+ 1])
        else { return nil }
        return high << 4 | low
    }
}

/// The contents of a tag block: `s:` for the source, and `c:` for a time in seconds or milliseconds since 1970.
package struct NMEATagBlock {
    /// The name of the receiver. The pointer is valid only as long as the line's bytes are.
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

    /// Parses an integer number of seconds or milliseconds since 1970. Returns nil if the time is out of range.
    package static func time(_ value: UnsafeRawBufferPointer) -> WallTime? {
        var digits = ParsedDecimal()
        guard digits.readInteger(value) else { return nil }
        // As seconds, 100,000,000,000 would be a time in the year 5138, so this and larger numbers are treated as
        // milliseconds.
        let isMilliseconds = digits.mantissa >= 100_000_000_000
        let unit: Int64 = isMilliseconds ? 1_000_000 : 1_000_000_000
        guard let count = Int64(exactly: digits.mantissa), count <= Int64.max / unit else { return nil }
        return WallTime(nanoseconds: count * unit)
    }
}
