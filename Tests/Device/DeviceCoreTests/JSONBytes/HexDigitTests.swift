// SPDX-License-Identifier: Apache-2.0

import JSONBytes
import Testing

@Suite("Hexadecimal digits")
struct HexDigitTests {
    @Test("Bytes are written as two lowercase digits and read in either case")
    func bytes() {
        #expect(HexDigit.text([0x00, 0x0F, 0xA0, 0xFF]) == "000fa0ff")
        #expect(HexDigit.bytes(Array("000fA0fF".utf8)) == [0x00, 0x0F, 0xA0, 0xFF])
        #expect(HexDigit.bytes([]) == [])
    }

    @Test("Parsing stops before an invalid pair of digits", arguments: ["12", "123", "12g4", "12 34", "12:"])
    func ends(text: String) {
        #expect(HexDigit.bytes(Array(text.utf8)) == [0x12])
    }

    @Test("Characters adjacent to the digit ranges are rejected")
    func neighbours() {
        for character in "/:@G`g+- ".utf8 { #expect(HexDigit.value(character) == nil) }
        #expect("09afAF".utf8.map { HexDigit.value($0) } == [0, 9, 10, 15, 10, 15])
        #expect((0..<16).map { HexDigit.digit($0) } == Array("0123456789abcdef".utf8))
    }
}
