// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import JSONBytes

@Suite("Fixed-point numbers")
struct FixedDecimalTests {
    static func text(_ value: Double, _ decimals: Int) -> String? {
        var bytes: [UInt8] = []
        return FixedDecimal.append(value, decimals: decimals, to: &bytes) ? String(decoding: bytes, as: UTF8.self) : nil
    }

    @Test("The text equals that of C's printf")
    func agreesWithPrintf() {
        var generator = TestRandom()
        var values = [
            0, -0.0, 0.5, 1.5, 2.5, -0.5, 0.125, 0.375, 0.0005, 0.9995, 0.99999999999, 1e-300, .leastNonzeroMagnitude,
            1e14, 0.1,
            1 / 3.0,
            999_999_999_999_999, 123_456_789.987654321, 4.35, 0.045, 179.9999999995, -89.99999999949,
        ]
        for _ in 0..<Thoroughness.rounds(2000, quick: 200) {
            values.append(Double.random(in: -180...180, using: &generator))
            values.append(Double.random(in: -1e-6...1e-6, using: &generator))
            values.append(Double(Int.random(in: -4000...4000, using: &generator)) / 8)
        }
        for value in values {
            for decimals in 0...9 {
                #expect(Self.text(value, decimals) == String(format: "%.\(decimals)f", value))
            }
        }
    }

    @Test("Numbers that are not finite or too large are rejected")
    func refuses() {
        for value in [Double.nan, .infinity, -.infinity, 1e15, -1e300] { #expect(Self.text(value, 3) == nil) }
    }

    @Test("Numbers are padded with leading zeros")
    func width() {
        var bytes: [UInt8] = []
        FixedDecimal.append(7.25, decimals: 4, width: 2, to: &bytes)
        #expect(bytes == [UInt8]("07.2500".utf8))
    }

    @Test("The writer writes null for a number that is not finite")
    func writer() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.fixed(1.0005, decimals: 3)
        writer.fixed(.nan, decimals: 3)
        writer.fixed(-2, decimals: 0)
        writer.endArray()
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "[1.000,null,-2]")
    }
}
