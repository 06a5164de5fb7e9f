// SPDX-License-Identifier: Apache-2.0

import IIOFormat
import TestSupport
import Testing

@Suite("Encoding of scans")
struct ScanEncoderTests {
    @Test("Encoded values match the bytes computed by hand")
    func bytes() throws {
        let bench = try ScanBench(
            Array(repeating: "be:s12/16>>4", count: 3), stamp: "le:s64/64>>0", scales: [0.5, 0.5, 0.5], offset: 10)
        let scan = IIOScanEncoder(layout: bench.layout).encode(
            [(bench.axes, [517, -1019, 4.5])], timestamp: 0x0102_0304_0506_0708, timestampChannel: 3)
        // 517 / 0.5 - 10 = 1024 = 0x400; -2048 = 0x800; -1 = 0xFFF; each is shifted by four bits.
        #expect(scan == [0x40, 0, 0x80, 0, 0xFF, 0xF0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1])
    }

    @Test("Values outside the range are clamped, and NaN is encoded as 0")
    func clamps() throws {
        let signed = try ScanBench(Array(repeating: "le:s12/16>>4", count: 3))
        let encoder = IIOScanEncoder(layout: signed.layout)
        #expect(encoder.encode([(signed.axes, [9999, -9999, .nan])]) == [0xF0, 0x7F, 0x00, 0x80, 0, 0])
        #expect(
            encoder.encode([(signed.axes, [.infinity, -.infinity, 1e300])]) == [0xF0, 0x7F, 0x00, 0x80, 0xF0, 0x7F])
        let unsigned = try ScanBench(Array(repeating: "be:u8/8>>0", count: 3))
        #expect(IIOScanEncoder(layout: unsigned.layout).encode([(unsigned.axes, [256, -1, 254.6])]) == [255, 0, 255])
        let wide = try ScanBench(["le:s64/64>>0", "le:u64/64>>0", "le:u64/64>>0"])
        let bytes = IIOScanEncoder(layout: wide.layout).encode([(wide.axes, [1e30, 1e30, -1e30])])
        #expect(Array(bytes.prefix(8)) == [255, 255, 255, 255, 255, 255, 255, 127])
        #expect(Array(bytes.dropFirst(8).prefix(8)) == Array(repeating: 255, count: 8))
        #expect(Array(bytes.dropFirst(16)) == Array(repeating: 0, count: 8))
    }

    @Test("A channel outside the layout or a small buffer is reported, and nothing is written out of bounds")
    func refused() throws {
        let bench = try ScanBench(Array(repeating: "le:s16/16>>0", count: 3))
        let encoder = IIOScanEncoder(layout: bench.layout)
        var scan: [UInt8] = [0, 0, 0, 0, 0]
        scan.withUnsafeMutableBytes { scan in
            #expect(!encoder.write([1, 2, 3], of: bench.axes, into: scan))
            #expect(!encoder.write(raw: 1, of: 17, into: scan))
            #expect(encoder.write(raw: -2, of: 1, into: scan))
        }
        #expect(scan == [1, 0, 0xFE, 0xFF, 0])
    }

    @Test(
        "Decoding restores encoded values to within half a step",
        arguments: ["be:s16/16>>0", "le:s16/16>>0", "be:s12/16>>4", "le:s20/32>>4", "be:s32/32>>0", "le:s8/8>>0"])
    func roundTrip(text: String) throws {
        let bench = try ScanBench(
            Array(repeating: text, count: 3), stamp: "le:s64/64>>0", scales: [0.25, 0.5, 1], offset: -3)
        let encoder = IIOScanEncoder(layout: bench.layout)
        var random = SeededGenerator(seed: 7)
        var bytes: [UInt8] = []
        var sent: [SIMD3<Double>] = []
        for index in 0..<50 {
            let value = SIMD3<Double>.random(in: -30...30, using: &random)
            sent.append(value)
            bytes += encoder.encode([(bench.axes, value)], timestamp: Int64(index) * 1_000_003, timestampChannel: 3)
        }
        let (values, stamps) = try bench.decode(bytes)
        try #require(values.count == 50)
        for (value, original) in zip(values, sent) {
            let error = value - original
            #expect(abs(error.x) <= 0.125 && abs(error.y) <= 0.25 && abs(error.z) <= 0.5)
        }
        #expect(stamps == (0..<50).map { $0 * 1_000_003 })
    }
}
