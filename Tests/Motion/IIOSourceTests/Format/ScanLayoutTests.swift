// SPDX-License-Identifier: Apache-2.0

import IIOFormat
import Testing

@Suite("Scan layouts")
struct ScanLayoutTests {
    private static func layout(_ formats: [(index: Int, text: String)]) throws -> IIOScanLayout {
        var channels: [(channel: Int, scan: IIOScanElement)] = []
        for (index, format) in formats.enumerated() {
            channels.append(
                (index, IIOScanElement(index: format.index, format: try #require(IIODataFormat(format.text)))))
        }
        return IIOScanLayout(channels)
    }

    @Test("Three 32-bit channels and one 16-bit channel occupy 16 bytes, of which libiio 0.24 counts 14")
    func oddPadding() throws {
        let device = try Fixture.device("odd-padding-imu")
        let bare = try #require(device.layout(of: 0..<4))
        #expect(bare.elements.map(\.offset) == [0, 4, 8, 12])
        #expect(bare.sampleSize == 16)
        #expect(bare.unpaddedSize == 14)
        // 14 bytes plus two to align the timestamp: 16 + 8.
        let stamped = try #require(device.layout(of: 0..<5))
        #expect(stamped.elements.map(\.offset) == [0, 4, 8, 12, 16])
        #expect(stamped.sampleSize == 24)
        #expect(stamped.unpaddedSize == 24)
    }

    // The expected sizes are those of iio_device_get_sample_size() of libiio 0.24 with all channels enabled.
    @Test(
        "The scan size of each fixture equals that of libiio",
        arguments: [
            ("mpu6050", 24), ("bmi160", 24), ("adxl355.recorded", 24), ("mma8452", 16), ("hid-accel-3d", 24),
            ("odd-padding-imu", 24),
        ])
    func sizes(name: String, size: Int) throws {
        let device = try Fixture.device(name)
        let layout = try #require(device.layout(of: device.channels.indices.filter { device.channels[$0].scan != nil }))
        #expect(layout.sampleSize == size)
        #expect(layout.unpaddedSize == size)
    }

    @Test("Channels are ordered by scan index, and missing indexes occupy no space")
    func gaps() throws {
        let device = try Fixture.device("bmi160")
        let accelerometer = try ["timestamp", "accel_z", "accel_x", "accel_y"].map { id in
            try #require(device.channels.firstIndex { $0.id == id })
        }
        let layout = try #require(device.layout(of: accelerometer))
        #expect(layout.elements.map(\.index) == [7, 8, 9, 10])
        // 3 × 2 bytes, two bytes of padding, 8 bytes of timestamp.
        #expect(layout.elements.map(\.offset) == [0, 2, 4, 8])
        #expect(layout.sampleSize == 16)
    }

    @Test("With 20-bit values in 32 bits, the timestamp is aligned to offset 16")
    func adxl355() throws {
        let device = try Fixture.device("adxl355.recorded")
        let layout = try #require(device.layout(of: [0, 1, 2, 3]))
        #expect(layout.elements.map(\.offset) == [0, 4, 8, 16])
        #expect(layout.sampleSize == 24)
    }

    @Test("A single byte is followed by padding up to the alignment of the next element")
    func bytes() throws {
        let layout = try Self.layout([(0, "le:s8/8>>0"), (1, "le:s16/16>>0"), (2, "le:s8/8>>0")])
        // 1 byte, padding, 2 bytes, 1 byte: 5 bytes, padded to 6.
        #expect(layout.elements.map(\.offset) == [0, 2, 4])
        #expect(layout.sampleSize == 6)
        #expect(layout.unpaddedSize == 5)
        #expect(try Self.layout([(0, "le:s8/8>>0"), (1, "le:s8/8>>0"), (2, "le:s8/8>>0")]).sampleSize == 3)
    }

    @Test("An element with four values is aligned to its total size")
    func repeated() throws {
        let layout = try Self.layout([(0, "le:s16/16>>0"), (1, "le:s32/32X4>>0"), (2, "le:s64/64>>0")])
        // 2 bytes, padded to 16; 16 bytes; the timestamp at 32; 40 bytes, padded to a multiple of 16.
        #expect(layout.elements.map(\.offset) == [0, 16, 32])
        #expect(layout.sampleSize == 48)
        #expect(layout.unpaddedSize == 40)
    }

    @Test("A missing channel or one without a scan index has no layout")
    func missing() throws {
        let device = try Fixture.device("adxl355.recorded")
        #expect(device.layout(of: [0, 99]) == nil)
        #expect(device.layout(of: [-1]) == nil)
        let temperature = try #require(device.channels.firstIndex { $0.id == "temp" })
        #expect(device.layout(of: [temperature]) == nil)
        #expect(device.layout(of: [])?.sampleSize == 0)
        #expect(device.layout(of: [0, 0])?.sampleSize == 4)
    }

    @Test("Extreme scan indexes cause no overflow")
    func extremeIndexes() throws {
        let layout = try Self.layout([(.max, "le:s16/16>>0"), (.min, "le:s8/8>>0"), (.max, "le:s64/64>>0")])
        #expect(layout.elements.map(\.offset) == [0, 2, 2])
        #expect(layout.sampleSize >= 10)
    }

    @Test("The timestamp channel is found by its ID")
    func timestamp() throws {
        #expect(try Fixture.device("mpu6050").timestampChannel == 7)
        #expect(try Fixture.device("adxl355.recorded").timestampChannel == 3)
        #expect(try Fixture.device("raw-only-accel-magn-baro").timestampChannel == nil)
    }
}
