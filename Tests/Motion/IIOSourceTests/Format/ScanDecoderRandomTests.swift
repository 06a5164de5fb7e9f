// SPDX-License-Identifier: Apache-2.0

import IIOFormat
import TestSupport
import Testing

/// Compares the decoder with a bit-by-bit implementation, for all formats and random bytes.
@Suite("Decoding of random scans")
struct ScanDecoderRandomTests {
    private static var formats: [String] {
        var formats: [String] = []
        for order in ["le", "be"] {
            for sign in ["s", "u"] {
                for storage in [8, 16, 32, 64] {
                    for (bits, shift) in [(storage, 0), (storage - 4, 4), (storage - 3, 1), (storage - 5, 0), (1, 2)] {
                        formats.append("\(order):\(sign)\(bits)/\(storage)>>\(shift)")
                    }
                }
            }
        }
        return formats
    }

    /// The definition of a format: order the bytes, drop `shift` bits, take `bits` bits, and interpret the topmost as
    /// the sign if the format is signed.
    private static func value(_ bytes: ArraySlice<UInt8>, _ format: IIODataFormat) -> Double {
        let ordered = format.isBigEndian ? Array(bytes.reversed()) : Array(bytes)
        var value: Int128 = 0
        for bit in format.shift..<format.shift + format.bits {
            let isSet = ordered[bit / 8] & (1 << UInt8(bit % 8)) != 0
            let isSign = format.isSigned && bit == format.shift + format.bits - 1
            let power = Int128(1) << (bit - format.shift)
            if isSet { value += isSign ? -power : power }
        }
        return value < 0 ? Double(Int64(value)) : Double(UInt64(value))
    }

    @Test("Decoded values match the definition of the format", arguments: formats)
    func agrees(text: String) throws {
        let format = try #require(IIODataFormat(text))
        var random = SeededGenerator(seed: 42)
        for stamp in [nil, "le:s64/64>>0", "be:s64/64>>0"] {
            for axisCount in [3, 1] {
                let bench = try ScanBench(Array(repeating: text, count: axisCount), stamp: stamp)
                let size = bench.layout.sampleSize
                let bytes = (0..<size * 33).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                let (values, stamps) = try bench.decode(bytes)
                try #require(values.count == 33)
                for scan in 0..<33 {
                    for axis in 0..<3 {
                        let start = scan * size + axis * format.byteCount
                        let expected =
                            axis < axisCount ? Self.value(bytes[start..<start + format.byteCount], format) : 0
                        #expect(values[scan][axis] == expected)
                    }
                    guard let stamp else { continue }
                    let start = scan * size + bench.layout.elements[axisCount].offset
                    let eight =
                        stamp.hasPrefix("be") ? Array(bytes[start..<start + 8]) : bytes[start..<start + 8].reversed()
                    let expected = eight.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                    #expect(UInt64(bitPattern: stamps[scan]) == expected)
                }
            }
        }
    }
}
