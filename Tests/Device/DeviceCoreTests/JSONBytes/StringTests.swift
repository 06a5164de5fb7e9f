// SPDX-License-Identifier: Apache-2.0

import JSONBytes
import Testing

@Suite("JSON strings")
struct StringTests {
    @Test(
        "Escape sequences are decoded",
        arguments: [
            (#""""#, ""), (#""a""#, "a"), (#""1234567""#, "1234567"), (#""12345678""#, "12345678"),
            (#""123456789 123456789""#, "123456789 123456789"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
            (#""\u0041\u00e9\u20AC""#, "Aé€"), (#""\ud83d\ude00""#, "😀"), (#""\uD83D\uDE00x""#, "😀x"),
            (#""\ud83d""#, "\u{fffd}"), (#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"), (#""\ud83d\n""#, "\u{fffd}\n"),
            (#""\ud83dA""#, "\u{fffd}A"), (#""\ud83d\u0041""#, "\u{fffd}A"), (#""\u0000""#, "\0"), ("\"é€😀\"", "é€😀"),
            ("\"\u{7f}\"", "\u{7f}"),
        ]
    )
    func resolvesEscapes(text: String, value: String) throws {
        #expect(try text.reading { reader throws(JSONError) in try reader.readString() } == value)
        #expect(try text.reading { reader throws(JSONError) in try reader.readText().string() } == value)
    }

    @Test(
        "Invalid strings are rejected at the offending byte",
        arguments: [
            ("\"", JSONError(.truncated, at: 1)), ("\"abc", JSONError(.truncated, at: 4)),
            ("\"12345678", JSONError(.truncated, at: 9)), ("\"\\", JSONError(.truncated, at: 2)),
            ("\"\\\"", JSONError(.truncated, at: 3)), ("\"\\u12", JSONError(.truncated, at: 5)),
            ("\"\\u12x4\"", JSONError(.invalidString, at: 5)), ("\"\\x41\"", JSONError(.invalidString, at: 1)),
            ("\"a\nb\"", JSONError(.invalidString, at: 2)), ("\"\0\"", JSONError(.invalidString, at: 1)),
            ("\"0123456789\u{1f}\"", JSONError(.invalidString, at: 11)), ("'a'", JSONError(.unexpectedByte, at: 0)),
            ("12", JSONError(.wrongType, at: 0)),
        ]
    )
    func refusesBadStrings(text: String, error: JSONError) {
        #expect(throws: error) { try text.reading { reader throws(JSONError) in try reader.readString() } }
    }

    @Test("Invalid UTF-8 is replaced by U+FFFD")
    func replacesInvalidUTF8() throws {
        let bytes: [UInt8] = [0x22, 0x61, 0xff, 0xe2, 0x82, 0x62, 0xc3, 0x22]
        let value = try bytes.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            return try reader.readString()
        }
        // Unicode 16, section 3.9: one U+FFFD for each maximal subpart of an ill-formed sequence.
        #expect(value == "a\u{fffd}\u{fffd}b\u{fffd}")
    }

    @Test("A string over the limit is rejected before it is copied, and can be skipped")
    func limitsLength() throws {
        let value = try "[\"12345\", 6]".reading { reader throws(JSONError) in
            try reader.beginArray()
            _ = try reader.nextElement()
            do throws(JSONError) {
                _ = try reader.readString(limit: 4)
                Issue.record("a string of 5 bytes was read")
            } catch {
                #expect(error == JSONError(.tooLong, at: 1))
            }
            try reader.skipValue()
            _ = try reader.nextElement()
            let value = try reader.int64IfPresent()
            _ = try reader.nextElement()
            return value
        }
        #expect(value == 6)
    }

    @Test("Keys compare by packed word or by literal, with or without escapes")
    func comparesKeys() throws {
        let text =
            #"{"lat":1,"l\u0061t":2,"lat\u0000":3,"":4,"geoidSep":5,"leapseconds":6,"leap\u0073econds":7,"latx":8}"#
        var words: [UInt64] = []
        var long: [Bool] = []
        try text.reading { reader throws(JSONError) in
            try reader.beginObject()
            while let key = try reader.nextKey() {
                words.append(key.word)
                long.append(key.equals("leapseconds"))
                try reader.skipValue()
            }
        }
        let lat = JSONText.word("lat")
        // "l" is 0x6c, "a" 0x61 and "t" 0x74. The first byte is the least significant.
        #expect(lat == 0x74_61_6c)
        #expect(words == [lat, lat, 0, 0, JSONText.word("geoidSep"), 0, 0, lat | 0x78 << 24])
        #expect(long == [false, false, false, false, false, true, true, false])
        #expect(JSONText.word("leapseconds") == 0)
    }
}
