// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Testing

@testable import TraceFormats

@Suite("Raw buffer files of libiio")
struct IIORecordingTests {
    private func context(_ name: String) throws -> IIOContext {
        var context = try IIOContext(xml: try Files.bytes(Files.trace("iio/\(name).xml")))
        try context.setValues(json: try Files.bytes(Files.trace("iio/\(name).values.json")))
        return context
    }

    /// Returns a scan of the mpu6050: seven big-endian 16-bit numbers, two bytes of padding and a little-endian
    /// timestamp.
    private func scan(_ numbers: [Int16], _ stamp: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in numbers {
            bytes.append(UInt8(truncatingIfNeeded: number >> 8))
            bytes.append(UInt8(truncatingIfNeeded: number))
        }
        bytes += [0, 0]
        for shift in stride(from: Int64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: stamp >> shift)) }
        return bytes
    }

    private let civil: Int64 = 1_767_620_467_000_000_000

    @Test("Scans are converted to units and keep the driver's timestamps")
    func scans() throws {
        // The channels are accel x y z, temp and anglvel x y z. The scales are 0.000598 and 0.001064724.
        let bytes =
            scan([100, -200, 16_400, -3000, 1000, -1000, 1], civil)
            + scan([0, 0, 16_399, -3000, 0, 0, -32_768], civil + 20_000_000)
        let recording = try Recording(iio: try context("mpu6050"), name: "c.xml") { device in
            device.name == "mpu6050" ? bytes : nil
        }
        let accelerometer = try #require(recording.track(.accelerometer))
        #expect(isClose(accelerometer.values[0], [100 * 0.000598, -200 * 0.000598, 16_400 * 0.000598]))
        #expect(accelerometer.times == [0, 20_000_000])
        let gyroscope = try #require(recording.track(.gyroscope))
        #expect(isClose(gyroscope.values[0], [1.064724, -1.064724, 0.001064724]))
        #expect(isClose(gyroscope.values[1], [0, 0, -32_768 * 0.001064724]))
        #expect(recording.start == WallTime(nanoseconds: civil))
        #expect(accelerometer.sensor.mountMatrix == MountMatrix([0, 1, 0], [1, 0, 0], [0, 0, -1]))
        #expect(accelerometer.sensor.id == "iio:device0/accelerometer")
        #expect(accelerometer.sensor.clock == "realtime")
        #expect(recording.remarks.filter { $0.contains("remain at the end") } == [])
    }

    @Test("Timestamps since boot give no civil time, and trailing bytes are reported")
    func boot() throws {
        let bytes =
            scan([0, 0, 1, 0, 0, 0, 0], 77_000_000_000) + scan([0, 0, 2, 0, 0, 0, 0], 77_010_000_000) + [1, 2, 3]
        let recording = try Recording(iio: try context("mpu6050"), name: "c.xml") { _ in bytes }
        #expect(recording.start == nil)
        #expect(recording.track(.accelerometer)?.times == [0, 10_000_000])
        #expect(recording.remarks.contains { $0.contains("3 bytes remain") })
    }

    @Test("Scans without timestamps are spaced by the sampling frequency")
    func unstamped() throws {
        let bytes = scan([0, 0, 1, 0, 0, 0, 0], 0) + scan([0, 0, 2, 0, 0, 0, 0], 0)
        var context = try context("mpu6050")
        // The sampling frequency in the context is 50 Hz.
        let recording = try Recording(iio: context, name: "c.xml") { _ in bytes }
        #expect(recording.track(.accelerometer)?.times == [0, 20_000_000])
        let received = try Recording(iio: context, name: "c.xml", options: .init(rate: 100)) { _ in bytes }
        #expect(received.track(.accelerometer)?.times == [0, 10_000_000])
        context.setValue("0", for: "iio:device0/sampling_frequency")
        let error = #expect(throws: DeviceError.self) { try Recording(iio: context, name: "c.xml") { _ in bytes } }
        #expect(error?.message.contains("sampling_frequency") == true)
    }

    @Test("A context without buffer files is not a recording")
    func empty() throws {
        let context = try context("mpu6050")
        let error = #expect(throws: DeviceError.self) { try Recording(iio: context, name: "c.xml") { _ in nil } }
        #expect(error?.message.contains("mpu6050_buf0.bin") == true)
    }

    @Test("Files have the names of libiio's emu backend and are always inside the directory")
    func names() {
        var context = IIOContext(devices: [IIODevice(id: "iio:device0", name: "bmi160")])
        #expect(
            IIOBufferFileNames.importNames(of: context.devices[0], in: context) == [
                "bmi160_buf0.bin", "bmi160.bin", "iio_device0_buf0.bin", "iio_device0.bin", "iio:device0.bin",
            ])
        #expect(IIOBufferFileNames.exportName(of: context.devices[0]) == "bmi160_buf0.bin")
        #expect(IIOBufferFileNames.exportName(of: IIODevice(id: "iio:device3")) == "iio_device3_buf0.bin")
        context.devices.append(IIODevice(id: "iio:device1", name: "bmi160"))
        #expect(!IIOBufferFileNames.importNames(of: context.devices[0], in: context).contains("bmi160_buf0.bin"))
        context.devices[1].name = "../../etc/passwd"
        #expect(IIOBufferFileNames.importNames(of: context.devices[1], in: context).allSatisfy { !$0.contains("/") })
        #expect(!IIOBufferFileNames.exportName(of: context.devices[1]).contains("/"))
    }

    @Test("Files written without a context are read back within 1e-6")
    func written() throws {
        var recording = try Recording(
            text: """
                t,gx,gy,gz,ax,ay,az,mx,my,mz,p
                0,0.1,-0.2,0.3,0.5,0.25,9.80665,25,-50,12.5,101.325
                0.01,1,2,3,-4,5,600,1,2,3,101.3
                0.02,1,2,3,4,5,6,,,,

                """)
        recording.start = WallTime(nanoseconds: civil)
        recording.tracks[0].sensor.mountMatrix = MountMatrix([0, 1, 0], [-1, 0, 0], [0, 0, 1])
        try Files.withFolder { folder in
            try recording.writeIIO(folder: folder + "/r")
            let reread = try Recording(path: folder + "/r")
            #expect(reread.start == recording.start)
            for kind in SensorKind.allCases {
                let (read, written) = (try #require(reread.track(kind)), try #require(recording.track(kind)))
                #expect(read.times == written.times)
                for index in 0..<written.count { #expect(isClose(read.values[index], written.values[index], 1e-6)) }
                #expect(read.sensor.mountMatrix == written.sensor.mountMatrix)
            }
            #expect(reread.contexts.count == 1)
            #expect(throws: DeviceError.self) { try recording.writeIIO(folder: folder + "/r") }
            try recording.writeIIO(folder: folder + "/r", overwrite: true)
        }
    }

    @Test("With a chip's context, readings are rounded to its resolution, and its sensors share scans")
    func writtenWithContext() throws {
        let recording = try Recording(
            text: "t,gx,gy,gz,ax,ay,az\n0,,,,0,0,9.8\n0.01,0.5,0,0,0,0,9.9\n0.02,,,,0,0,1e6\n")
        let context = try context("mpu6050")
        let files = try recording.iioFiles(context: context)
        #expect(files.map(\.name) == ["context.xml", "mpu6050_buf0.bin"])
        // 9.8 / 0.000598 = 16387.96, 9.9 / 0.000598 = 16555.18 and 0.5 / 0.001064724 = 469.6. The maximum of 16 bits is
        // 32767.
        #expect(
            files[1].bytes == scan([0, 0, 16_388, 0, 470, 0, 0], 0) + scan([0, 0, 16_555, 0, 470, 0, 0], 10_000_000)
                + scan([0, 0, 32_767, 0, 470, 0, 0], 20_000_000))
        let error = #expect(throws: DeviceError.self) {
            try Recording(text: "t,mx,my,mz\n0,25,25,25\n").iioFiles(context: context)
        }
        #expect(error?.message.contains("magnetometer") == true)
    }

    @Test("Arbitrary bytes are read as scans without a crash")
    func anyBytes() throws {
        for name in ["mpu6050", "bmi160", "lsm6dso", "hid-accel-3d", "mma8452", "msa311", "odd-padding-imu"] {
            let context = try context(name)
            for count in [0, 1, 15, 16, 24, 31, 4097] {
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
                _ = try? Recording(iio: context, name: name) { _ in bytes }
            }
        }
    }
}
