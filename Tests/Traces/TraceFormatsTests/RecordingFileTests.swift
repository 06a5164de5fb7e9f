// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@testable import TraceFormats

@Suite("Identification of recordings")
struct RecordingFileTests {
    /// Returns the number of samples in a trace.
    private func count(_ file: TraceFile) -> Int {
        file.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(file)
            var count = 0
            while let record = cursor.next(bytes) { count += record.sample == nil ? 0 : 1 }
            return count
        }
    }

    @Test("CSV becomes a native trace that contains every reading")
    func csv() throws {
        let recording = try RecordingFile.open(Files.trace("iio/flat-face-up.csv"))
        #expect(recording.format == .csv)
        #expect(recording.trace.format == .native)
        #expect(count(recording.trace) == 1500)
        #expect(recording.trace.header?.sensors.map(\.kind) == [.accelerometer, .gyroscope, .magnetometer])
        #expect(recording.remarks == [])
    }

    @Test("gpsd's text and native traces are opened unchanged")
    func traces() throws {
        #expect(try RecordingFile.open(Files.trace("gpsd/bt451.log.chk")).format == .gpsd)
        try Files.withFolder { folder in
            let bytes = try Array(Recording(text: "t,ax,ay,az\n0,0,0,9.8\n").trace(named: "").bytes)
            try Files.write(bytes, folder + "/a.csv")
            let recording = try RecordingFile.open(folder + "/a.csv")
            #expect(recording.format == .trace)
            #expect(Array(recording.trace.bytes) == bytes)
            #expect(try Recording(path: folder + "/a.csv").tracks[0].values == [[0, 0, 9.8]])
        }
    }

    @Test("Directories are identified by their contents")
    func folders() throws {
        try Files.withFolder { folder in
            let recording = try Recording(text: "t,ax,ay,az,gx,gy,gz\n0,0,0,9.8,1,2,3\n0.5,0,0,9.8,1,2,3\n")
            let rows = "time,seconds_elapsed,z,y,x\n1700000000000000000,0,3,2,1\n1700000000500000000,0.5,3,2,1\n"
            try Folder.write(
                [
                    ("Metadata.csv", [UInt8]("version,platform\n3,android\n".utf8)),
                    ("Gyroscope.csv", [UInt8](rows.utf8)), ("TotalAcceleration.csv", [UInt8](rows.utf8)),
                ], to: folder + "/phone", ExportOptions())
            let phone = try RecordingFile.open(folder + "/phone")
            #expect(phone.format == .sensorLogger)
            #expect(count(phone.trace) == 4)
            try recording.writeIIO(folder: folder + "/chip")
            let chip = try RecordingFile.open(folder + "/chip")
            #expect(chip.format == .iio)
            #expect(count(chip.trace) == 4)
            #expect(try RecordingFile.open(folder + "/chip/context.xml").format == .iio)
            let part = #expect(throws: DeviceError.self) { try RecordingFile.open(folder + "/phone/Gyroscope.csv") }
            #expect(part?.message.contains("Open its directory") == true)
            let nothing = #expect(throws: DeviceError.self) { try RecordingFile.open(folder) }
            #expect(nothing?.message.contains("contains no recording") == true)
        }
    }

    @Test("Values in a file beside a context are read")
    func values() throws {
        try Files.withFolder { folder in
            for name in ["mpu6050.xml", "mpu6050.values.json"] {
                try Files.write(try Files.bytes(Files.trace("iio/\(name)")), "\(folder)/\(name)")
            }
            // The raw value of accel z is 16384, which is 9.797632 m/s² with the scale in the values.
            let scan: [UInt8] = [0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] + [1, 0, 0, 0, 0, 0, 0, 0]
            try Files.write(scan, "\(folder)/mpu6050.bin")
            let recording = try Recording(path: "\(folder)/mpu6050.xml")
            #expect(isClose(recording.track(.accelerometer)?.values[0] ?? .zero, [0, 0, 9.797632]))
        }
    }

    @Test("Data in memory is identified like a file, except for recordings that consist of several files")
    func memory() throws {
        let csv = [UInt8]("t,ax,ay,az\n0,0,0,9.8\n0.5,0,0,9.8\n".utf8)
        let file = try RecordingFile.read(csv, name: "standard input")
        #expect(file.format == .csv)
        #expect(file.trace.name == "standard input")
        #expect(try Recording(trace: file.trace).track(.accelerometer)?.count == 2)
        let path = Files.trace("motion/six-poses.trace")
        #expect(try Array(RecordingFile.read(try Files.bytes(path), name: path).trace.bytes) == Files.bytes(path))
        #expect(throws: DeviceError.self) {
            try RecordingFile.read([UInt8]("<context name=\"local\"/>".utf8), name: "x")
        }
    }

    @Test("Unsupported files are rejected with the reason")
    func refused() throws {
        try Files.withFolder { folder in
            let cases: [(name: String, text: String, expected: String)] = [
                ("a.gpx", "<?xml version=\"1.0\"?><gpx version=\"1.1\"></gpx>", "contains no points"),
                ("a.txt", "hello\n", "is not in a supported format"),
                ("a.csv", "hello,world\n1,2\n", "these columns are unknown"),
                ("b.csv", "", "empty"), ("a.xml", "<html/>", "<html>"),
            ]
            for (name, text, expected) in cases {
                try Files.write([UInt8](text.utf8), "\(folder)/\(name)")
                let error = #expect(throws: DeviceError.self) { try RecordingFile.open("\(folder)/\(name)") }
                #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
            }
            let missing = #expect(throws: DeviceError.self) { try RecordingFile.open(folder + "/no") }
            #expect(missing?.code == .notFound)
        }
    }
}
