// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Testing

@Suite("Decoding of scans")
struct ScanDecoderTests {
    @Test("The response of a real iiod is decoded to its values and timestamps")
    func golden() throws {
        let answer = try Fixture.answer("READBUF iio:device0 64")
        // "64\n" and the mask "0000000f\n", followed by four scans of 16 bytes.
        let bench = try ScanBench(
            ["be:s16/16>>0", "be:s16/16>>0", "be:s16/16>>0"], stamp: "le:s64/64>>0",
            scales: [0.000598, 0.000598, 0.000598])
        let (values, stamps) = try bench.decode(Array(answer.dropFirst(12).prefix(64)))
        // Decoded with Python's struct: 0, 1, 2, 3 for x, -16384 for y, 12 for z, and these timestamps.
        #expect(values.map(\.x) == [0, 1, 2, 3].map { $0 * 0.000598 })
        #expect(values.allSatisfy { abs($0.y + 9.797632) < 1e-12 && abs($0.z - 0.007176) < 1e-12 })
        #expect(
            stamps == [
                1_700_000_000_000_000_000, 1_700_000_000_010_000_000, 1_700_000_000_020_000_000,
                1_700_000_000_030_000_000,
            ])
    }

    @Test("The upper 12 bits of a big-endian 16-bit value are decoded")
    func mma8452() throws {
        let bench = try ScanBench(Array(repeating: "be:s12/16>>4", count: 3))
        // 0x400 = 1024; 0x800 has only the sign bit, -2048; 0xFFF = -1. The low four bits are noise.
        let (values, _) = try bench.decode([0x40, 0x00, 0x80, 0x0F, 0xFF, 0xF5])
        #expect(values == [[1024, -2048, -1]])
    }

    @Test("The sign of a value in the lower 12 of 16 bits is extended")
    func lowBits() throws {
        let bench = try ScanBench(Array(repeating: "le:s12/16>>0", count: 3))
        // 0xF800 contains -2048 in its low 12 bits; the bits above are ignored.
        let (values, _) = try bench.decode([0x00, 0xF8, 0xFF, 0x07, 0xFF, 0x0F])
        #expect(values == [[-2048, 2047, -1]])
    }

    @Test("20-bit values in 32 bits are decoded and scaled, as for an ADXL355")
    func adxl355() throws {
        let device = try Fixture.device("adxl355.recorded")
        let sensor = try #require(device.sensors().first)
        let bench = try ScanBench(device: device, channels: [0, 1, 2, 3], axes: sensor.axes)
        // The recorded raw values -4641, -2198 and 257934 are 0xFEDDF, 0xFF76A and 0x3EF8E, shifted by four bits. The
        // topmost byte is ignored.
        var bytes: [UInt8] = [0, 0xFE, 0xDD, 0xF0, 0xFF, 0xFF, 0x76, 0xA0, 0, 0x3E, 0xF8, 0xE0, 0, 0, 0, 0]
        bytes += [0x15, 0xCD, 0x5B, 0x07, 0, 0, 0, 0]
        let (values, stamps) = try bench.decode(bytes)
        let value = try #require(values.first)
        #expect(abs(value.x + 4641 * 0.000038245) < 1e-9)
        #expect(abs(value.y + 2198 * 0.000038245) < 1e-9)
        // Gravity, 9.8647 m/s², within the error of the part.
        #expect(abs(value.z - 9.864685830) < 1e-6)
        #expect(stamps == [123_456_789])
    }

    @Test("Signed and unsigned bytes are decoded")
    func singleBytes() throws {
        #expect(
            try ScanBench(Array(repeating: "le:s8/8>>0", count: 3)).decode([0x80, 0x7F, 0xFF]).values == [
                [-128, 127, -1]
            ])
        #expect(
            try ScanBench(Array(repeating: "le:u8/8>>0", count: 3)).decode([0x80, 0x7F, 0xFF]).values == [
                [128, 127, 255]
            ])
        #expect(
            try ScanBench(Array(repeating: "le:s5/8>>2", count: 3)).decode([0x40, 0x3F, 0x83]).values == [[-16, 15, 0]])
    }

    @Test("64-bit values and mixed widths are decoded")
    func mixed() throws {
        let bench = try ScanBench(["be:u16/16>>0", "le:s64/64>>0", "be:s24/32>>8"], stamp: "be:s64/64>>0")
        // u16 at 0, s64 at 8, s32 at 16, timestamp at 24.
        var bytes = [UInt8](repeating: 0xEE, count: 32)
        bytes.replaceSubrange(0..<2, with: [0xFF, 0xFE])
        bytes.replaceSubrange(8..<16, with: [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        bytes.replaceSubrange(16..<20, with: [0x80, 0x00, 0x00, 0x55])
        bytes.replaceSubrange(24..<32, with: [0, 0, 0, 0, 0, 0, 1, 2])
        let (values, stamps) = try bench.decode(bytes)
        #expect(values == [[65534, -2, -8_388_608]])
        #expect(stamps == [258])
    }

    @Test("The offset is added before the scale is applied, separately for each axis")
    func offsets() throws {
        let bench = try ScanBench(
            Array(repeating: "le:s16/16>>0", count: 3), stamp: "le:s64/64>>0", scales: [1, 10, -0.5], offset: 100)
        let (values, _) = try bench.decode([1, 0, 2, 0, 3, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0])
        // (1 + 100) × 1, (2 + 100) × 10, (3 + 100) × -0.5
        #expect(values == [[101, 1020, -51.5]])
    }

    @Test("A scalar is stored in the first component, and the others are 0")
    func scalar() throws {
        let bench = try ScanBench(["le:u24/32>>0"], scales: [0.5])
        let (values, _) = try bench.decode([0x03, 0, 0, 0xFF, 0x00, 0x00, 0x01, 0])
        #expect(values == [[1.5, 0, 0], [32768, 0, 0]])
    }

    @Test("Only complete scans that fit into the output are decoded")
    func bounds() throws {
        let bench = try ScanBench(Array(repeating: "le:s16/16>>0", count: 3), stamp: "le:s64/64>>0")
        let bytes = [UInt8](repeating: 1, count: 16 * 3)
        #expect(try bench.decode(bytes, capacity: 2).values.count == 2)
        #expect(try bench.decode(Array(bytes.dropLast())).values.count == 2)
        #expect(try bench.decode(bytes, stride: 24).values.count == 2)
        #expect(try bench.decode(bytes, stride: 15).values.isEmpty)
        let decoder = try #require(IIOScanDecoder(layout: bench.layout, axes: bench.axes, timestampChannel: 3))
        var values = [SIMD3<Double>.zero]
        values.withUnsafeMutableBufferPointer { values in
            bytes.withUnsafeBytes { bytes in
                #expect(decoder.decode(bytes, stride: 0, count: 1, values: values, timestamps: nil) == 0)
                #expect(decoder.decode(bytes, stride: -16, count: 1, values: values, timestamps: nil) == 0)
                #expect(decoder.decode(bytes, stride: 16, count: -1, values: values, timestamps: nil) == 0)
                #expect(decoder.decode(bytes, stride: .max, count: .max, values: values, timestamps: nil) == 0)
                #expect(decoder.decode(bytes, stride: 16, count: .max, values: values, timestamps: nil) == 1)
            }
        }
    }

    @Test("Timestamps are decoded to boot times with the clock's offset added")
    func bootTimes() throws {
        let bench = try ScanBench(Array(repeating: "le:s16/16>>0", count: 3), stamp: "le:s64/64>>0")
        let decoder = try #require(IIOScanDecoder(layout: bench.layout, axes: bench.axes, timestampChannel: 3))
        let scan: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0xE8, 3, 0, 0, 0, 0, 0, 0]
        var values = [SIMD3<Double>.zero]
        var times = [BootTime.zero]
        values.withUnsafeMutableBufferPointer { values in
            times.withUnsafeMutableBufferPointer { times in
                scan.withUnsafeBytes { scan in
                    let count = decoder.decode(
                        scan, stride: 16, count: 1, values: values, times: times, clockOffset: -900)
                    #expect(count == 1)
                }
            }
        }
        #expect(times == [BootTime(nanoseconds: 100)])
    }

    @Test("A decoder rejects axes that are missing in the layout or have several values or an invalid scale")
    func refused() throws {
        let bench = try ScanBench(["le:s16/16>>0", "le:s16/16>>0", "le:s16/16X2>>0"])
        #expect(IIOScanDecoder(layout: bench.layout, axes: bench.axes, timestampChannel: nil) == nil)
        let single = [bench.axes[0]]
        #expect(IIOScanDecoder(layout: bench.layout, axes: single, timestampChannel: nil) != nil)
        #expect(IIOScanDecoder(layout: bench.layout, axes: single, timestampChannel: 9)?.hasTimestamps == false)
        #expect(IIOScanDecoder(layout: bench.layout, axes: single, timestampChannel: 1)?.hasTimestamps == false)
        #expect(IIOScanDecoder(layout: bench.layout, axes: [], timestampChannel: nil) == nil)
        #expect(
            IIOScanDecoder(
                layout: bench.layout, axes: [IIOAxis(channel: 9, channelID: "")], timestampChannel: nil) == nil)
        #expect(
            IIOScanDecoder(
                layout: bench.layout, axes: [IIOAxis(channel: 0, channelID: "", scale: 0)], timestampChannel: nil)
                == nil)
    }
}
