// SPDX-License-Identifier: Apache-2.0

import JSONBytes
import TestSupport
import Testing

@Suite("JSON writer")
struct WriterTests {
    @Test("Commas are written only between members and between elements")
    func placesCommas() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("a")
        writer.int(Int64.min)
        writer.key(text: "é\"\n")
        writer.beginArray()
        writer.beginArray()
        writer.endArray()
        writer.beginObject()
        writer.endObject()
        writer.bool(true)
        writer.bool(false)
        writer.null()
        writer.raw("{\"x\":[".utf8)
        writer.endArray()
        writer.key("b")
        writer.string("[")
        writer.key("c")
        writer.int(0)
        writer.endObject()
        writer.newline()
        writer.int(Int32(-120))
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"a":-9223372036854775808,"é\"\n":[[],{},true,false,null,{"x":[],"b":"[","c":0}"# + "\n-120"
        )
    }

    @Test("Numbers have the standard library's shortest form for any number of digits")
    func shortestNumbers() {
        var generator = SeededGenerator(seed: 5)
        var values: [Double] = [
            0, -0.0, 1, 0.1, 1e-4, 0.9e-4, 1e-9, 3_999_999.999_999_999, 4e6, 1e15, 1e16, .leastNonzeroMagnitude,
        ]
        for power in -20...20 {
            let unit = Double(sign: .plus, exponent: 3 * power, significand: 1)
            for _ in 0..<200 { values.append(Double.random(in: -unit...unit, using: &generator)) }
        }
        // Numbers with few digits, and their neighbours, which have many.
        for decimals in 0...12 {
            for _ in 0..<500 {
                let whole = Double(Int64.random(in: -9_999_999_999...9_999_999_999, using: &generator))
                let value = whole / (0..<decimals).reduce(1) { unit, _ in unit * 10 }
                values += [value, value.nextUp, value.nextDown]
            }
        }
        for _ in 0..<2000 {
            let value = Double(bitPattern: generator.next())
            if value.isFinite { values.append(value) }
        }
        let wrong = values.filter { value in
            var writer = JSONWriter()
            writer.double(value)
            return writer.bytes != [UInt8](value.description.utf8)
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    }

    @Test("Strings are escaped as required by RFC 8259")
    func escapesStrings() {
        var writer = JSONWriter()
        writer.string("\0\u{1}\u{8}\t\n\u{b}\u{c}\r\u{1f} \"\\/\u{7f}é€😀")
        let expected = #""\u0000\u0001\b\t\n\u000b\f\r\u001f \"\\/\u007fé€😀""#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    }

    @Test(
        "Numbers have the shortest form that reads back, and non-finite numbers are null",
        arguments: [
            (0.1, "0.1"), (-0.0, "-0.0"), (100, "100.0"), (1e16, "1e+16"), (.leastNonzeroMagnitude, "5e-324"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1.7976931348623157e308, "1.7976931348623157e+308"), (.nan, "null"), (.infinity, "null"),
            (-.infinity, "null"),
            (44.068897833, "44.068897833"),
        ]
    )
    func writesNumbers(value: Double, text: String) throws {
        var writer = JSONWriter()
        writer.double(value)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
        let back = try text.reading { reader throws(JSONError) in try reader.readDouble() }
        #expect(value.isFinite ? back.bitPattern == value.bitPattern : back.isNaN)
    }

    @Test("A written integer reads back", arguments: [0, 1, -1, 9, 10, 99, 100, 1_000_000_007, Int64.max, Int64.min])
    func readsBack(value: Int64) throws {
        var writer = JSONWriter(appendingTo: [UInt8(ascii: " ")])
        writer.int(value)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(text == " \(value)")
        #expect(try text.reading { reader throws(JSONError) in try reader.int64IfPresent() } == value)
        writer.removeAll()
        #expect(writer.bytes.isEmpty)
    }

    @Test("Terminal controls and bidirectional formatting are escaped and read back unchanged")
    func terminal() throws {
        let text = "a\u{1b}\u{9b}m\u{85}\u{7f}é秤👩‍🔬\u{202e}\u{2066}\u{200f}\u{61c}\u{feff}\u{e0041}z"
        var writer = JSONWriter()
        writer.string(text)
        let json = String(decoding: writer.bytes, as: UTF8.self)
        #expect(
            json
                == #""a\u001b\u009bm\u0085\u007fé秤👩‍🔬\u202e\u2066\u200f\u061c\ufeff\udb40\udc41z""#)
        #expect(
            try writer.bytes.withUnsafeBytes { bytes in
                var reader = JSONReader(bytes)
                return try reader.readText().string()
            } == text)
    }
}
