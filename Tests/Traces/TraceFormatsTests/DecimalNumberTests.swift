// SPDX-License-Identifier: Apache-2.0

import Testing
import Trace

@testable import TraceFormats

@Suite("Decimal numbers")
struct DecimalNumberTests {
    private func number<Result>(_ text: String, _ body: (DecimalNumber) -> Result?) -> Result? {
        [UInt8](text.utf8).withUnsafeBytes { bytes in DecimalNumber(bytes).flatMap(body) }
    }

    @Test("An unsigned number is decimal and finite")
    func unsignedDecimals() {
        #expect(["0", "1.5", "1e3", "007"].map { Double(unsignedDecimal: $0) } == [0, 1.5, 1000, 7])
        for text in ["", "+1", "-1", ".5", "nan", "inf", "0x10", "0X1p3", "1e999", "1 ", "1s"] {
            #expect(Double(unsignedDecimal: text) == nil, "\(text)")
        }
    }

    @Test(
        "Numbers have the same values as in the standard library",
        arguments: [
            "0", "-0", "1", "+1", "9.80665", "-9.80665", ".5", "5.", "007", "1e3", "1E-3", "-1.5e+2", "0.1", "1e22",
            "1e23", "123456789012345678901234567890", "0.00000000000000000000000000012345", "1.7976931348623157e308",
            "5e-324", "9007199254740993", "2.2250738585072014e-308", "1767620467350470700", "1e400",
        ])
    func doubles(text: String) {
        // The standard library does not parse these two forms, which lack a digit.
        let expected = Double(text == "5." ? "5.0" : text == ".5" ? "0.5" : text)
        #expect(number(text) { $0.double } == expected)
    }

    @Test(
        "Invalid numbers are rejected",
        arguments: ["", "-", ".", "e5", "1e", "1e+", "1,5", "1 2", "0x10", "nan", "--1"])
    func refused(text: String) {
        #expect(number(text) { $0.double } == nil)
    }

    @Test("Scaled integers keep every digit and are rounded half away from zero")
    func scaled() {
        #expect(number("1767620467.350470700") { $0.scaled(byPowerOfTen: 9) } == 1_767_620_467_350_470_700)
        #expect(number("1767620467350470700") { $0.scaled(byPowerOfTen: 0) } == 1_767_620_467_350_470_700)
        #expect(number("1.7e18") { $0.scaled(byPowerOfTen: 0) } == 1_700_000_000_000_000_000)
        #expect(number("-0.1234567895") { $0.scaled(byPowerOfTen: 9) } == -123_456_790)
        #expect(number("0.1234567894999") { $0.scaled(byPowerOfTen: 9) } == 123_456_789)
        #expect(number("1e-30") { $0.scaled(byPowerOfTen: 9) } == 0)
        #expect(number("9223372036.854775807") { $0.scaled(byPowerOfTen: 9) } == .max)
        #expect(number("9223372036.854775808") { $0.scaled(byPowerOfTen: 9) } == nil)
        #expect(number("1e40") { $0.scaled(byPowerOfTen: 9) } == nil)
    }
}
