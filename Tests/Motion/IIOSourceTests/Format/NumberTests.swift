// SPDX-License-Identifier: Apache-2.0

import IIOFormat
import Testing

@Suite("Numbers in sysfs")
struct NumberTests {
    @Test(
        "A number may have a decimal point and may be surrounded by whitespace and NUL bytes",
        arguments: [
            ("0.000598", 0.000598), ("100\n\u{0}", 100), ("\u{0} -2.5e-3 \r\n", -0.0025), ("+7", 7), (".5", 0.5),
        ])
    func reads(text: String, number: Double) {
        #expect(IIONumber.double(text) == number)
        #expect(IIOAttribute(name: "scale", value: text).number == number)
    }

    @Test(
        "Other text is rejected",
        arguments: [
            "", " ", "0,5", "1.0 dB", "nan", "inf", "0x1p3", "1e999", "--1", "1.2.3", "e", "1\u{0}2", "٣", "½",
            String(repeating: "1", count: 65),
        ])
    func refuses(text: String) {
        #expect(IIONumber.double(text) == nil)
    }
}
