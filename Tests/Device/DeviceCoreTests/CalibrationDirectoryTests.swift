// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import LiveDevice

@Suite("Calibration files")
struct CalibrationDirectoryTests {
    private static let sensor = SensorIdentity(key: "magnetometer|i2c-1/1-001e|hmc5843")

    private static var sample: SensorCalibration {
        var calibration = SensorCalibration()
        calibration.offset = [0.25, -0.4, 0.15]
        calibration.matrix = ([1.12, 0.05, 0], [0.05, 0.9, -0.02], [0, -0.02, 1])
        calibration.sigma = 0.001
        calibration.quality = 2
        calibration.residual = 0.015
        calibration.coverage = 0.75
        calibration.fieldStrength = 0.485
        calibration.dip = 1.1
        calibration.upDirections = [[0, 0, 1], [0, -1, 0]]
        calibration.date = WallTime(nanoseconds: 1_800_000_000_500_000_000)
        return calibration
    }

    /// Runs the body with a store whose directory does not exist yet.
    private func withDirectory(_ body: (CalibrationDirectory, URL) throws -> Void) throws {
        let parent = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: parent) }
        let folder = parent.appending(path: "state/device-services")
        try body(CalibrationDirectory(path: folder.path), folder)
    }

    @Test("A stored calibration is read back, and no other file remains in the directory")
    func roundTrip() throws {
        try withDirectory { store, folder in
            #expect(store.load(Self.sensor) == nil)
            #expect(store.problems.isEmpty)
            try store.store(Self.sample, for: Self.sensor)
            #expect(store.load(Self.sensor) == Self.sample)
            // A second store, as in another process, reads the same calibration.
            #expect(CalibrationDirectory(path: folder.path).load(Self.sensor) == Self.sample)
            #expect(store.load(SensorIdentity(key: "magnetometer|other")) == nil)
            var second = Self.sample
            second.quality = 1
            try store.store(second, for: Self.sensor)
            #expect(store.load(Self.sensor)?.quality == 1)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.count == 1)
            #expect(names.first?.hasPrefix("magnetometer-") == true)
            try store.remove(Self.sensor)
            try store.remove(Self.sensor)
            #expect(store.load(Self.sensor) == nil)
        }
    }

    @Test("The next write removes stale temporary files of interrupted writes and keeps all other files")
    func staleFiles() throws {
        try withDirectory { store, folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let old = Date(timeIntervalSinceNow: -7200)
            func make(_ name: String, _ date: Date) throws {
                let path = folder.appending(path: name).path
                try Data("{".utf8).write(to: URL(fileURLWithPath: path))
                try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
            }
            for name in [".123-4.tmp", ".2147483647-4294967295.tmp"] { try make(name, old) }
            // The date is in the future, as after a write with a wrong clock.
            try make(".7-7.tmp", Date(timeIntervalSinceNow: 7200))
            // A recent file may still be in use by its writer.
            try make(".9-9.tmp", Date())
            let others = [
                ".123-.tmp", ".-4.tmp", ".1-2-3.tmp", ".01-2.tmp", ".+1-2.tmp", ".x-2.tmp", "1-2.tmp", ".1-2.tmpx",
                ".tmp",
                "notes.json",
            ]
            for name in others { try make(name, old) }
            let inside = folder.appending(path: ".5-6.tmp")
            try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: inside.path)
            try store.store(Self.sample, for: Self.sensor)
            let names = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
            let file = try #require(store.file(of: Self.sensor).map { URL(fileURLWithPath: $0).lastPathComponent })
            #expect(names == Set(others + [".9-9.tmp", ".5-6.tmp", file]))
        }
    }

    @Test("Concurrent writers of different files do not affect each other")
    func concurrentWriters() throws {
        try withDirectory { store, folder in
            let problems = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { writer in
                let file = StateFile(path: folder.appending(path: "\(writer).json").path) { problem in
                    problems.withLock { $0.append(problem) }
                }
                for number in 0..<20 {
                    if writer == 0 {
                        do {
                            try store.store(Self.sample, for: Self.sensor)
                        } catch {
                            problems.withLock { $0.append("\(error)") }
                        }
                    } else {
                        let error = file.write(Array("\(writer) \(number)".utf8))
                        if let error { file.report(error) }
                    }
                    if writer > 0, file.read() != Array("\(writer) \(number)".utf8) {
                        problems.withLock { $0.append("\(writer) has something else") }
                    }
                }
            }
            #expect(problems.withLock { $0 } == [])
            #expect(store.load(Self.sensor) == Self.sample)
        }
    }

    @Test("Unknown values are still unknown after a round trip")
    func unknown() throws {
        try withDirectory { store, _ in
            let sensor = SensorIdentity(key: "gyroscope|mpu6050")
            var bias = SensorCalibration()
            bias.offset = [0.01, 0.02, 0.03]
            try store.store(bias, for: sensor)
            let read = try #require(store.load(sensor))
            #expect(read.offset == bias.offset)
            #expect(read.sigma.isNaN)
            #expect(read.fieldStrength.isNaN)
            #expect(read.matrix == bias.matrix)
        }
    }

    @Test(
        "A damaged or foreign file is reported and not used",
        arguments: [
            "", "{", "[]", "null", "{}", "\u{0}\u{1}\u{2}", String(repeating: "[", count: 10_000),
            String(repeating: " ", count: 20_000),
            #"{"format":"device-services-calibration","version":1,"sensor":"magnetometer|i2c-1/1-001e|hmc5843"}"#,
            #"{"format":"device-services-calibration","version":2,"sensor":"magnetometer|i2c-1/1-001e|hmc5843","offset":[0,0,0],"matrix":[[1,0,0],[0,1,0],[0,0,1]]}"#,
            #"{"format":"device-services-calibration","version":1,"sensor":"magnetometer|other","offset":[0,0,0],"matrix":[[1,0,0],[0,1,0],[0,0,1]]}"#,
            #"{"format":"device-services-calibration","version":1,"sensor":"magnetometer|i2c-1/1-001e|hmc5843","offset":[0,0,1e300],"matrix":[[1,0,0],[0,1,0],[0,0,1]]}"#,
            #"{"format":"device-services-calibration","version":1,"sensor":"magnetometer|i2c-1/1-001e|hmc5843","offset":[0,0,null],"matrix":[[1,0,0],[0,1,0],[0,0,1]]}"#,
            #"{"format":"device-services-calibration","version":1,"sensor":"magnetometer|i2c-1/1-001e|hmc5843","offset":[0,0],"matrix":[[1,0,0],[0,1,0],[0,0,1]]}"#,
            #"{"format":"device-services-calibration","version":1,"sensor":"magnetometer|i2c-1/1-001e|hmc5843","offset":[0,0,0],"matrix":[[1,0,0],[0,1,0]]}"#,
            #"{"format":"device-services-calibration","version":1,"sensor":"magnetometer|i2c-1/1-001e|hmc5843","offset":[0,0,0],"matrix":[[1,0,0],[0,1,0],[0,0,-1]]}"#,
            #"{"format":"device-services-calibration","version":1,"sensor":"magnetometer|i2c-1/1-001e|hmc5843","offset":[0,0,0],"matrix":[[1,0,0],[0,1,0],[0,0,1]],"quality":9}"#,
        ])
    func damaged(_ text: String) throws {
        try withDirectory { store, folder in
            let file = try #require(store.file(of: Self.sensor))
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            #expect(store.load(Self.sensor) == nil)
            #expect(store.problems.count == 1)
            #expect(store.problems.first?.message.contains(file) == true)
            // The sensor's next calibration replaces the file.
            try store.store(Self.sample, for: Self.sensor)
            #expect(store.load(Self.sensor) == Self.sample)
            #expect(store.problems.isEmpty)
        }
    }

    @Test("A truncated file is not used")
    func truncated() throws {
        try withDirectory { store, _ in
            try store.store(Self.sample, for: Self.sensor)
            let file = URL(fileURLWithPath: try #require(store.file(of: Self.sensor)))
            let whole = try Data(contentsOf: file)
            for count in 0..<(whole.count - 2) {
                try whole.prefix(count).write(to: file)
                #expect(store.load(Self.sensor) == nil)
            }
        }
    }

    @Test("An invalid calibration is not stored, and the reason is listed as a problem")
    func invalid() throws {
        try withDirectory { store, _ in
            var calibration = Self.sample
            calibration.quality = 9
            let error = #expect(throws: DeviceError.self) { try store.store(calibration, for: Self.sensor) }
            #expect(store.problems.map(\.message) == [error?.message])
            #expect(store.load(Self.sensor) == nil)
        }
    }

    @Test("Storing without a usable directory throws an error with the directory's path")
    func notWritable() throws {
        try withDirectory { store, folder in
            // A regular file at the directory's path makes writing fail even for root.
            try FileManager.default.createDirectory(
                at: folder.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("x".utf8).write(to: folder)
            let error = #expect(throws: DeviceError.self) { try store.store(Self.sample, for: Self.sensor) }
            #expect(error?.message.contains(folder.path) == true)
            #expect(store.problems.count == 1)
            #expect(store.load(Self.sensor) == nil)
        }
        let unlocated = CalibrationDirectory(path: nil)
        #expect(!unlocated.isWritable)
        #expect(unlocated.load(Self.sensor) == nil)
        #expect(throws: DeviceError.self) { try unlocated.store(Self.sample, for: Self.sensor) }
    }

    @Test("The directory follows the XDG specification, except that root uses a system-wide one")
    func locations() {
        func path(_ variables: [String: String], isRoot: Bool = false) -> String? {
            CalibrationDirectory.path(environment: { variables[$0] }, isRoot: isRoot)
        }
        #expect(path(["XDG_STATE_HOME": "/s", "HOME": "/h"]) == "/s/device-services")
        #expect(path(["XDG_STATE_HOME": "s", "HOME": "/h"]) == "/h/.local/state/device-services")
        #expect(path(["HOME": "/h"]) == "/h/.local/state/device-services")
        #expect(path(["HOME": "/root"], isRoot: true) == "/var/lib/device-services")
        #expect(path(["XDG_STATE_HOME": "/s"], isRoot: true) == "/s/device-services")
        #expect(path([:]) == nil)
        // DEVICE_SERVICES_STATE is the directory itself, for a single program.
        #expect(path(["DEVICE_SERVICES_STATE": "/d", "XDG_STATE_HOME": "/s"], isRoot: true) == "/d")
        #expect(path(["DEVICE_SERVICES_STATE": "d", "XDG_STATE_HOME": "/s"]) == "/s/device-services")
    }

    @Test("A sensor is identified by its serial number, or else by its device path and names")
    func identity() {
        var sensor = SensorDescription(id: "local:/iio:device0/accel", kind: .accelerometer)
        sensor.source = "local:"
        #expect(SensorIdentity(sensor).key == "accelerometer|local:/iio:device0/accel")
        sensor.name = "mpu6050"
        sensor.label = "accel-display"
        #expect(SensorIdentity(sensor).key == "accelerometer|mpu6050|accel-display")
        sensor.path = "platform/soc/i2c-1/1-0068"
        #expect(SensorIdentity(sensor).key == "accelerometer|platform/soc/i2c-1/1-0068|mpu6050|accel-display")
        var moved = sensor
        moved.id = "local:/iio:device3/accel"
        #expect(SensorIdentity(moved) == SensorIdentity(sensor))
        sensor.serial = "A17"
        #expect(SensorIdentity(sensor).key == "accelerometer|mpu6050|serial A17")
        sensor.serial = "\u{1b}[2J\n" + String(repeating: "x", count: 4000)
        #expect(SensorIdentity(sensor).key.utf8.count <= SensorIdentity.maximumLength)
        #expect(!SensorIdentity(sensor).key.unicodeScalars.contains { $0.value < 32 })
        #expect(SensorIdentity(sensor).kind == .accelerometer)
    }

    @Test("A calibration converts to device axes and back")
    func axes() {
        let mount = MountMatrix([0, -1, 0], [0.1, 0, 0.995], [-0.995, 0, 0.1])
        let inSensor = Self.sample
        let inDevice = inSensor.convertedToDeviceAxes(by: mount)
        let reading = SIMD3(0.31, -0.22, 0.4)
        let one = mount.apply(to: inSensor.apply(to: reading))
        let other = inDevice.apply(to: mount.apply(to: reading))
        #expect(((one - other) * (one - other)).sum() < 1e-20)
        #expect(inDevice.upDirections == [[0, 0.995, 0.1], [1, 0, 0]])
        let difference = inDevice.convertedToSensorAxes(by: mount).apply(to: reading) - inSensor.apply(to: reading)
        #expect((difference * difference).sum() < 1e-20)
        #expect(inSensor.convertedToDeviceAxes(by: MountMatrix([1, 0, 0], [1, 0, 0], [0, 0, 1])) == inSensor)
    }
}
