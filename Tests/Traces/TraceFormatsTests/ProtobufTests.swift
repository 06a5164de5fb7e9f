// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TraceFormats

@Suite("Wire format of Protocol Buffers")
struct ProtobufTests {
    /// Returns the fields of a message as "number:value", with "broken" at the end if a field is invalid.
    private static func fields(_ bytes: [UInt8]) -> [String] {
        bytes.withUnsafeBytes { bytes in
            var reader = ProtobufReader(bytes)
            var fields: [String] = []
            while let (number, value) = reader.next() {
                switch value {
                case .varint(let value): fields.append("\(number):\(value)")
                case .fixed64(let bits): fields.append("\(number):\(Double(bitPattern: bits))")
                case .fixed32(let bits): fields.append("\(number):\(Float(bitPattern: bits))")
                case .bytes(let bytes): fields.append("\(number):\(String(decoding: bytes, as: UTF8.self))")
                }
            }
            return fields + (reader.isBroken ? ["broken"] : [])
        }
    }

    @Test("The examples in the format's documentation are read")
    func examples() {
        // message Test1 { int32 a = 1; } with a = 150, and Test2 { string b = 2; } with b = "testing".
        #expect(Self.fields([0x08, 0x96, 0x01]) == ["1:150"])
        #expect(Self.fields([0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67]) == ["2:testing"])
        // -2 as an int64 has ten bytes.
        let minusTwo: [UInt8] = [0x08, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]
        #expect(Self.fields(minusTwo) == ["1:18446744073709551614"])
    }

    @Test("Fixed-length numbers are little-endian at any alignment")
    func fixed() {
        // 1.5 is 0x3FF8000000000000, and 0.25 as a float is 0x3E800000.
        #expect(Self.fields([0x09, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0x15, 0, 0, 0x80, 0x3e]) == ["1:1.5", "2:0.25"])
        #expect(Self.fields([]) == [])
    }

    @Test(
        "An invalid field ends the message",
        arguments: [
            // A field 0, a group, and the unused types 6 and 7.
            [0x00, 0x01], [0x0b], [0x0e], [0x0f],
            // Truncated in the key, in a number and in text.
            [0x80], [0x08, 0x80], [0x09, 1, 2, 3], [0x0d, 1], [0x12, 0x05, 0x61],
            // Numbers of more than 64 bits, and texts longer than the address space.
            [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],
            [0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
            [0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            [0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
        ] as [[UInt8]])
    func broken(_ bytes: [UInt8]) {
        #expect(Self.fields(bytes) == ["broken"])
        #expect(Self.fields([0x08, 0x01] + bytes) == ["1:1", "broken"])
    }
}
