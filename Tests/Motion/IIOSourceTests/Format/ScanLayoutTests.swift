// SPDX-License-Identifier: Apache-2.0

import IIOFormat
import Testing

@Suite("Layout of scans")
struct ScanLayoutTests {
    private static func layout(_ formats: [(index: Int, text: String)]) throws -> IIOScanLayout {
        var channels: [(channel: Int, scan: IIOScanElement)] = []
        for (place, format) in formats.enumerated() {
            channels.append(
                (place, IIOScanElement(index: format.index, format: try #require(IIODataFormat(format.text)))))
        }
        return IIOScanLayout(channels)
    }

    @Test("Three numbers of 32 bits and one of 16 fill 16 bytes, of which libiio 0.24 counts 14")
    func oddPadding() throws {
        let device = try Fixture.device("odd-padding-imu")
        let bare = try #require(device.layout(of: 0..<4))
        #expect(bare.elements.map(\.offset) == [0, 4, 8, 12])
        #expect(bare.sampleSize == 16)
        #expect(bare.unpaddedSize == 14)
        // 14 bytes, then two to align the stamp: 16 + 8.
        let stamped = try #require(device.layout(of: 0..<5))
        #expect(stamped.elements.map(\.offset) == [0, 4, 8, 12, 16])
        #expect(stamped.sampleSize == 24)
        #expect(stamped.unpaddedSize == 24)
    }

    // What iio_device_get_sample_size() of libiio 0.24 says of these descriptions, all channels enabled.
    @Test(
        "Recorded and written descriptions give the size that libiio gives",
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

    @Test("Channels lie in the order of their scan indexes, and indexes that are not there take no room")
    func gaps() throws {
        let device = try Fixture.device("bmi160")
        let accelerometer = try ["timestamp", "accel_z", "accel_x", "accel_y"].map { id in
            try #require(device.channels.firstIndex { $0.id == id })
        }
        let layout = try #require(device.layout(of: accelerometer))
        #expect(layout.elements.map(\.index) == [7, 8, 9, 10])
        // 3 × 2 bytes, two of padding, 8 of the stamp.
        #expect(layout.elements.map(\.offset) == [0, 2, 4, 8])
        #expect(layout.sampleSize == 16)
    }

    @Test("20 bits in 32 with a gap before the stamp: the stamp is aligned to 16")
    func adxl355() throws {
        let device = try Fixture.device("adxl355.recorded")
        let layout = try #require(device.layout(of: [0, 1, 2, 3]))
        #expect(layout.elements.map(\.offset) == [0, 4, 8, 16])
        #expect(layout.sampleSize == 24)
    }

    @Test("A lone byte is followed by padding up to the alignment of what comes next")
    func bytes() throws {
        let layout = try Self.layout([(0, "le:s8/8>>0"), (1, "le:s16/16>>0"), (2, "le:s8/8>>0")])
        // 1, padding, 2, 1: 5 bytes, filled up to 6.
        #expect(layout.elements.map(\.offset) == [0, 2, 4])
        #expect(layout.sampleSize == 6)
        #expect(layout.unpaddedSize == 5)
        #expect(try Self.layout([(0, "le:s8/8>>0"), (1, "le:s8/8>>0"), (2, "le:s8/8>>0")]).sampleSize == 3)
    }

    @Test("An element of four values is aligned to the whole of it")
    func repeated() throws {
        let layout = try Self.layout([(0, "le:s16/16>>0"), (1, "le:s32/32X4>>0"), (2, "le:s64/64>>0")])
        // 2 bytes, up to 16; 16 bytes; the stamp at 32; 40 filled up to a multiple of 16.
        #expect(layout.elements.map(\.offset) == [0, 16, 32])
        #expect(layout.sampleSize == 48)
        #expect(layout.unpaddedSize == 40)
    }

    @Test("A channel that is not there or cannot be captured gives no layout")
    func missing() throws {
        let device = try Fixture.device("adxl355.recorded")
        #expect(device.layout(of: [0, 99]) == nil)
        #expect(device.layout(of: [-1]) == nil)
        let temperature = try #require(device.channels.firstIndex { $0.id == "temp" })
        #expect(device.layout(of: [temperature]) == nil)
        #expect(device.layout(of: [])?.sampleSize == 0)
        #expect(device.layout(of: [0, 0])?.sampleSize == 4)
    }

    @Test("Scan indexes at the ends of Int do no harm")
    func extremeIndexes() throws {
        let layout = try Self.layout([(.max, "le:s16/16>>0"), (.min, "le:s8/8>>0"), (.max, "le:s64/64>>0")])
        #expect(layout.elements.map(\.offset) == [0, 2, 2])
        #expect(layout.sampleSize >= 10)
    }

    @Test("The time stamp is found by its id")
    func timestamp() throws {
        #expect(try Fixture.device("mpu6050").timestampChannel == 7)
        #expect(try Fixture.device("adxl355.recorded").timestampChannel == 3)
        #expect(try Fixture.device("raw-only-accel-magn-baro").timestampChannel == nil)
    }
}
