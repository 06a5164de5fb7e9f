// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONBytes
import TestSupport
import Testing

@Suite("JSON numbers")
struct NumberTests {
    /// Reads the table written by numbers.py, which contains each text with the bits of Python's float().
    private static func table() throws -> [(text: String, bits: UInt64)] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "numbers.tsv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { row in
            let columns = row.split(separator: "\t")
            return (String(columns[0]), try #require(UInt64(columns[1], radix: 16)))
        }
    }

    @Test("Every number is rounded as by Python's float()")
    func roundsAsPython() throws {
        let table = try Self.table()
        #expect(table.count > 1500)
        for (text, bits) in table {
            for padded in [text, " \(text) ", "\(text)\n\t"] {
                let value = try padded.reading { reader throws(JSONError) in try reader.readDouble() }
                #expect(value.bitPattern == bits, "\(padded)")
            }
            let lenient = try text.reading { reader throws(JSONError) in try reader.doubleIfPresent() }
            #expect(lenient.bitPattern == bits, "\(text)")
            let raw = try " [1,\(text) ]".reading { reader throws(JSONError) in
                try reader.beginArray()
                _ = try reader.nextElement()
                try reader.skipValue()
                _ = try reader.nextElement()
                let raw = try String(decoding: reader.readRawValue(), as: UTF8.self)
                _ = try reader.nextElement()
                return raw
            }
            #expect(raw == text)
        }
    }

    @Test("Numbers with up to 20 digits are rounded as by the standard library")
    func roundsLongNumbers() throws {
        var random = TestRandom()
        for _ in 0..<Thoroughness.rounds(20_000, quick: 2_000) {
            let digits = UInt64.random(in: (1 << 53)...UInt64.max, using: &random)
            let shift = UInt64.random(in: 0..<10, using: &random)
            let text = String(digits >> shift)
            // With leading zeros, with a decimal point inside, and with an exponent.
            let point = Int.random(in: 1..<text.count, using: &random)
            let zeros = String(repeating: "0", count: Int.random(in: 0..<9, using: &random))
            let texts = [
                "0.\(zeros)\(text)", "-\(text.prefix(point)).\(text.dropFirst(point))", "\(text)e-\(point)",
                "\(text.prefix(point)).\(text.dropFirst(point))e-7", "\(text)e\(point - 9)",
            ]
            for text in texts {
                let value = try text.reading { reader throws(JSONError) in try reader.readDouble() }
                #expect(value == Double(text), "\(text)")
            }
        }
    }

    @Test("Halfway cases of long numbers round to even, and adjacent values round to the nearest double")
    func roundsHalfway() throws {
        // 2^53 + 1, 2^54 + 2 and similar numbers lie halfway between two neighbouring doubles.
        for (text, value) in [
            ("9007199254740993.0", 9_007_199_254_740_992.0), ("9007199254740993.001", 9_007_199_254_740_994),
            ("9007199254740992.999", 9_007_199_254_740_992), ("9007199254740995.0", 9_007_199_254_740_996),
            ("18014398509481986.0", 18_014_398_509_481_984), ("18014398509481990.0", 18_014_398_509_481_992),
        ] {
            #expect(try text.reading { reader throws(JSONError) in try reader.readDouble() } == value, "\(text)")
        }
    }

    @Test(
        "An invalid number is rejected at the offending byte",
        arguments: [
            ("-", JSONError(.truncated, at: 1)), ("01", JSONError(.invalidNumber, at: 1)),
            ("-01", JSONError(.invalidNumber, at: 2)), ("1.", JSONError(.truncated, at: 2)),
            ("1.e5", JSONError(.invalidNumber, at: 2)), ("1e", JSONError(.truncated, at: 2)),
            ("1e+", JSONError(.truncated, at: 3)), ("1e+x", JSONError(.invalidNumber, at: 3)),
            ("-x", JSONError(.invalidNumber, at: 1)), (".5", JSONError(.unexpectedByte, at: 0)),
            ("+1", JSONError(.unexpectedByte, at: 0)), ("0x10", JSONError(.unexpectedByte, at: 1)),
            ("1_000", JSONError(.unexpectedByte, at: 1)), ("1 2", JSONError(.unexpectedByte, at: 2)),
            ("--1", JSONError(.invalidNumber, at: 1)), ("", JSONError(.truncated, at: 0)),
            ("nil", JSONError(.unexpectedByte, at: 0)), ("1,5", JSONError(.unexpectedByte, at: 1)),
            ("\"1\"", JSONError(.wrongType, at: 0)), ("true", JSONError(.wrongType, at: 0)),
            ("[1]", JSONError(.wrongType, at: 0)),
        ]
    )
    func refusesOthers(text: String, error: JSONError) {
        #expect(throws: error) { try text.reading { reader throws(JSONError) in try reader.readDouble() } }
    }

    @Test("NaN and null are read as NaN", arguments: ["NaN", "nan", "-nan", "-NaN", "null"])
    func readsNaN(text: String) throws {
        #expect(try text.reading { reader throws(JSONError) in try reader.readDouble() }.isNaN)
        #expect(try text.reading { reader throws(JSONError) in try reader.doubleIfPresent() }.isNaN)
    }

    @Test("Spellings of infinity are read", arguments: ["Infinity", "inf", "-Infinity", "-inf"])
    func readsInfinity(text: String) throws {
        let value = try text.reading { reader throws(JSONError) in try reader.readDouble() }
        #expect(value == (text.hasPrefix("-") ? -Double.infinity : Double.infinity))
    }

    @Test(
        "Integers are exact up to the limits of Int64",
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-12", -12), ("9223372036854775807", Int64.max),
            ("-9223372036854775808", Int64.min), ("9007199254740993", 9_007_199_254_740_993), ("3.0", 3), ("2e3", 2000),
            ("120e-1", 12),
        ]
    )
    func readsWholeNumbers(text: String, value: Int64) throws {
        #expect(try text.reading { reader throws(JSONError) in try reader.int64IfPresent() } == value)
    }

    @Test(
        "Fractions, large exponents and integers beyond Int64 are out of range",
        arguments: ["9223372036854775808", "-9223372036854775809", "1.5", "1e300", "99999999999999999999999", "1e18"]
    )
    func refusesOutOfRange(text: String) throws {
        #expect(try text.reading { reader throws(JSONError) in try reader.int64IfPresent() } == nil)
    }
}
