// SPDX-License-Identifier: Apache-2.0

extension IIODataFormat {
    /// Creates a format from a text, for example `be:s12/16>>4` or `le:s32/32X4>>0`; nil if the text is invalid.
    ///
    /// `>>shift` is optional. The sign may be `S` or `U`, which libiio writes if all storage bits are used.
    public init?(_ text: String) {
        guard text.utf8.count <= 64 else { return nil }
        var rest = IIONumber.trimmed(text).utf8[...]
        func consume(_ byte: Character) -> Bool {
            guard let ascii = byte.asciiValue, rest.first == ascii else { return false }
            rest = rest.dropFirst()
            return true
        }
        func number() -> Int? {
            let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            // Numbers with more than three digits exceed all valid ranges.
            guard (1...3).contains(digits.count) else { return nil }
            rest = rest.dropFirst(digits.count)
            return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        let isBigEndian: Bool
        if consume("b") { isBigEndian = true } else if consume("l") { isBigEndian = false } else { return nil }
        guard consume("e"), consume(":") else { return nil }
        let isSigned: Bool
        if consume("s") || consume("S") {
            isSigned = true
        } else if consume("u") || consume("U") {
            isSigned = false
        } else {
            return nil
        }
        guard let bits = number(), consume("/"), let storageBits = number() else { return nil }
        var count = 1
        if consume("X") {
            guard let number = number() else { return nil }
            count = number
        }
        var shift = 0
        if consume(">") {
            guard consume(">"), let number = number() else { return nil }
            shift = number
        }
        guard rest.isEmpty else { return nil }
        self.init(
            isBigEndian: isBigEndian, isSigned: isSigned, bits: bits, storageBits: storageBits, shift: shift,
            count: count)
    }

    /// The format as written by the kernel, for example "be:s12/16>>4".
    public var text: String { text(sign: isSigned ? "s" : "u") }

    /// The format as written by libiio, with an upper-case sign if all storage bits are used.
    public var libiioText: String { bits == storageBits ? text(sign: isSigned ? "S" : "U") : text }

    private func text(sign: String) -> String {
        let times = count > 1 ? "X\(count)" : ""
        return "\(isBigEndian ? "be" : "le"):\(sign)\(bits)/\(storageBits)\(times)>>\(shift)"
    }
}
