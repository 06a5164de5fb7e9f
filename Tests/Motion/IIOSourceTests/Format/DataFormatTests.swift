// SPDX-License-Identifier: Apache-2.0

import IIOFormat
import Testing

@Suite("Text of sample formats")
struct DataFormatTests {
    @Test(
        "Formats are parsed as written by the kernel and by libiio",
        arguments: [
            ("be:s12/16>>4", true, true, 12, 16, 4, 1), ("le:S16/16>>0", false, true, 16, 16, 0, 1),
            ("le:s32/32X4>>0", false, true, 32, 32, 0, 4), ("be:s20/32>>4", true, true, 20, 32, 4, 1),
            ("le:u8/8", false, false, 8, 8, 0, 1), (" le:U64/64>>0\n\u{0}", false, false, 64, 64, 0, 1),
        ])
    func reads(text: String, isBig: Bool, isSigned: Bool, bits: Int, storage: Int, shift: Int, count: Int) throws {
        let format = try #require(IIODataFormat(text))
        #expect(format.isBigEndian == isBig)
        #expect(format.isSigned == isSigned)
        #expect([format.bits, format.storageBits, format.shift, format.count] == [bits, storage, shift, count])
        #expect(format.byteCount == storage / 8 * count)
    }

    @Test(
        "An invalid format is rejected",
        arguments: [
            "", "be", "xe:s16/16>>0", "be:f16/16>>0", "be:s16", "be:s16/", "be:s0/16>>0", "be:s17/16>>0",
            "be:s12/16>>5", "be:s12/24>>0", "be:s16/16X0>>0", "be:s16/16X999>>0", "be:s16/16>0", "be:s16/16>>0x",
            "be:s99999999999999999999/16>>0", "be:s16/16>>-1", "be:s-1/16>>0", "be:s16/128>>0", "be:s16/16>>",
        ])
    func refuses(text: String) {
        #expect(IIODataFormat(text) == nil)
    }

    @Test("The kernel's format uses a lowercase letter, and libiio's an uppercase one if all bits are used")
    func writes() throws {
        let full = try #require(IIODataFormat("be:S16/16>>0"))
        #expect(full.text == "be:s16/16>>0")
        #expect(full.libiioText == "be:S16/16>>0")
        let part = try #require(IIODataFormat("le:u24/32X3>>8"))
        #expect(part.text == "le:u24/32X3>>8")
        #expect(part.libiioText == "le:u24/32X3>>8")
    }
}
