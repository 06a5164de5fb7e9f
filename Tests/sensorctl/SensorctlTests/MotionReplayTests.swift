// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import Testing

@Suite("sensorctl replay of motion", .toolIsBuilt, .waiting)
struct MotionReplayTests {
    /// Core Motion's gravity in each pose, in g. It points down, opposite to the side that is up.
    static let poses: [SIMD3<Double>] = [[0, 0, -1], [0, -1, 0], [-1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]]

    @Test("Each of the six poses measures 1 g downward, with Apple's signs and the device's axes")
    func poses() throws {
        let readings = try Tool.readings(Tool.sixPoses, "accelerometer")
        // 11.6 s at 50 Hz. The trace starts 100 s after boot.
        #expect(readings.count == 579)
        for (number, expected) in Self.poses.enumerated() {
            // The device rests for 1.6 s on each side and moves to the next in 0.4 s.
            let begin = 100 + 2 * Double(number)
            let rest = readings.filter { $0.timestamp > begin + 0.05 && $0.timestamp < begin + 1.55 }
            #expect(rest.count > 70)
            #expect(distance(rest.mean, expected) < 0.005, "pose \(number)")
        }
    }

    @Test("Raising the top edge is a right-handed rotation about x")
    func turn() throws {
        let readings = try Tool.readings(Tool.sixPoses, "gyro")
        let turn = readings.filter { $0.timestamp > 101.5 && $0.timestamp < 102.1 }
        // A quarter turn, integrated at 50 Hz.
        #expect(distance(turn.reduce(.zero) { $0 + $1.vector * 0.02 }, [.pi / 2, 0, 0]) < 0.02)
    }

    @Test("The magnetic field is in microtesla and the pressure in kilopascal")
    func otherUnits() throws {
        let field = try Tool.readings(Tool.sixPoses, "magnetometer").filter { $0.timestamp < 101.5 }
        #expect(distance(field.mean, [0, 20, -43]) < 0.3)
        let pressure = try Tool.readings(Tool.sixPoses, "pressure")
        #expect(pressure.count >= 10)
        #expect(pressure.allSatisfy { abs((($0.object["pressure"] as? Double) ?? 0) - 101.325) < 0.01 })
        #expect(pressure.first?.object["relativeAltitude"] as? Double == 0)
    }

    @Test("Orientations are printed in the order of the poses")
    func orientation() throws {
        let changes = try Tool.readings(Tool.sixPoses, "orientation").map { $0.object["orientation"] as? String }
        #expect(changes == ["faceUp", "portrait", "landscapeLeft", "portraitUpsideDown", "landscapeRight", "faceDown"])
        let turning = try Tool.readings(Tool.csv("rotate-about-z-upright"), "orientation")
        #expect(
            turning.map { $0.object["orientation"] as? String } == [
                "portrait", "landscapeLeft", "portraitUpsideDown", "landscapeRight", "portrait",
            ])
    }

    @Test(
        "CSV recordings of rest, spin, free fall and shaking have the expected readings")
    func csv() throws {
        let flat = try Tool.readings(Tool.csv("flat-face-up"), "accelerometer")
        #expect(flat.count == 500)
        #expect(distance(flat.mean, [0, 0, -1]) < 0.001)
        #expect(distance(try Tool.readings(Tool.csv("flat-face-up"), "magnetometer").mean, [0, 20, -43]) < 0.001)
        #expect(distance(try Tool.readings(Tool.csv("spin-flat-90dps"), "gyro").mean, [0, 0, .pi / 2]) < 0.001)
        let falling = try Tool.readings(Tool.csv("free-fall"), "accelerometer").map { distance($0.vector, .zero) }
        #expect((falling.min() ?? 1) < 0.02)
        let shaken = try Tool.readings(Tool.csv("shake"), "accelerometer").map { distance($0.vector, .zero) }
        #expect((shaken.max() ?? 0) > 2)
    }

    @Test("A Sensor Logger recording of an iPhone keeps Apple's signs")
    func sensorLogger() throws {
        let folder = try TemporaryFolder()
        try Self.write("platform,standardisation\nios,false\n", folder.path + "/Metadata.csv")
        let row = "time,seconds_elapsed,z,y,x\n1700000000000000000,0,"
        try Self.write(row + "0,0,0.980665\n", folder.path + "/Accelerometer.csv")
        try Self.write(row + "-9.80665,0,0\n", folder.path + "/Gravity.csv")
        let readings = try Tool.readings(folder.path, "accelerometer")
        #expect(readings.count == 1)
        #expect(distance(readings.mean, [0.1, 0, -1]) < 1e-12)
    }

    @Test("A buffer of libiio is scaled according to the XML context next to it")
    func rawBuffer() throws {
        let folder = try TemporaryFolder()
        var xml = "<?xml version=\"1.0\" encoding=\"utf-8\"?><context name=\"xml\" description=\"test\">"
        xml += "<device id=\"iio:device0\" name=\"chip\">"
        for (index, axis) in ["x", "y", "z"].enumerated() {
            xml += "<channel id=\"accel_\(axis)\" type=\"input\">"
            xml += "<scan-element index=\"\(index)\" format=\"be:s12/16&gt;&gt;4\" scale=\"0.00980665\" />"
            xml += "<attribute name=\"raw\" filename=\"in_accel_\(axis)_raw\" value=\"0\" />"
            xml += "<attribute name=\"scale\" filename=\"in_accel_scale\" value=\"0.00980665\" /></channel>"
        }
        xml += "<attribute name=\"sampling_frequency\" value=\"10\" /></device></context>"
        try Self.write(xml, folder.path + "/board.xml")
        // Two big-endian scans: 0, 0, 1000 and 500, −1000, 0. Each value has 12 bits above 4 unused bits.
        let numbers: [Int16] = [0, 0, 1000, 500, -1000, 0]
        let bytes = numbers.flatMap { number -> [UInt8] in
            let shifted = UInt16(bitPattern: number << 4) | 0xF
            return [UInt8(shifted >> 8), UInt8(shifted & 0xFF)]
        }
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/chip_buf0.bin"))
        for path in [folder.path, folder.path + "/board.xml"] {
            let readings = try Tool.readings(path, "accelerometer")
            try #require(readings.count == 2)
            #expect(distance(readings[0].vector, [0, 0, -1]) < 1e-12)
            #expect(distance(readings[1].vector, [-0.5, 1, 0]) < 1e-12)
            #expect(abs(readings[1].timestamp - readings[0].timestamp - 0.1) < 1e-9)
        }
    }

    @Test("CSV is accepted on standard input, libiio's XML is not")
    func standardInput() throws {
        let text = "t,ax,ay,az\n0.5,0,0,9.80665\n"
        let result = try Tool.run(["replay", "-", "accelerometer", "--json"], input: Data(text.utf8))
        #expect(result.lines == [#"{"callback":"accelerometer","timestamp":0.5,"x":0.0,"y":0.0,"z":-1.0}"#])
        let xml = try Tool.run(["replay", "-", "accelerometer"], input: Data("<context/>".utf8))
        #expect(xml.status == 66)
        #expect(xml.notes.contains("Specify the path of the XML file"))
    }

    @Test("Readings are decimated to the requested interval")
    func interval() throws {
        let all = try Tool.readings(Tool.csv("flat-face-up"), "accelerometer")
        let some = try Tool.readings(Tool.csv("flat-face-up"), "accelerometer", ["--interval", "0.1"])
        // The recording lasts 5 s.
        #expect((49...51).contains(some.count))
        let times = Set(all.map(\.timestamp))
        #expect(some.allSatisfy { times.contains($0.timestamp) })
    }

    @Test("The text output contains the axes, the magnitude and the unit")
    func lines() throws {
        let text = "t,ax,ay,az\n0.5,0,4.903325,9.80665\n"
        let result = try Tool.run(["replay", "-", "accelerometer"], input: Data(text.utf8))
        let words = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words == "0.500 s x 0.0000 y -0.5000 z -1.0000 | 1.1180 g")
    }

    @Test("A recording without the requested stream is reported with the streams that it contains")
    func otherStream() throws {
        let pressure = try Tool.run(["replay", Tool.csv("shake"), "pressure", "--json"])
        #expect(pressure.status == 0)
        #expect(pressure.notes.contains("no readings of a barometer; it contains accelerometer, gyro, magnetometer."))
        let location = try Tool.run(["replay", Tool.csv("shake"), "location", "--json"])
        #expect(location.notes.contains("contains no positions; it contains accelerometer"))
        let motion = try Tool.run(["replay", Tool.drive, "gyro", "--json"])
        #expect(motion.notes.contains("it contains no motion at all"))
        #expect(motion.output.isEmpty)
    }

    @Test("A closed pipe is not an error, and a full disk is one")
    func outputs() throws {
        let pipe = try Tool.shell(
            #""$0" replay "$1" accelerometer --json | head -n 1; echo "${PIPESTATUS[0]}""#, [Tool.csv("shake")])
        #expect(pipe.lines.count == 2)
        #expect(pipe.lines.last == "0")
        #expect(pipe.notes.isEmpty)
        let disk = try Tool.shell(#""$0" replay "$1" gyro --json > /dev/full; echo $?"#, [Tool.csv("shake")])
        #expect(disk.lines == ["74"])
    }

    @Test("A signal ends a real-time replay after a complete line", arguments: [SIGINT, SIGTERM])
    func signals(number: Int32) throws {
        let tool = try RunningTool(["replay", Tool.sixPoses, "accelerometer", "--json", "--speed", "1"])
        for _ in 0..<4 { #expect(tool.nextLine()?.hasPrefix("{\"callback\":\"accelerometer\"") == true) }
        tool.send(signal: number)
        while tool.nextLine() != nil {}
        #expect(tool.unfinishedLine.isEmpty)
        #expect(tool.status() == 0)
    }

    @Test("The speed changes the duration of a replay, but not its output")
    func speed() throws {
        let atOnce = try Tool.run(["replay", Tool.sixPoses, "gyro", "--json", "--speed", "max"])
        let slower = try Tool.run(["replay", Tool.sixPoses, "gyro", "--json", "--speed", "20"])
        #expect(atOnce.output == slower.output)
        #expect(atOnce.status == 0)
    }

    @Test(
        "Damaged and hostile files end the program with a message and an exit code",
        arguments: [
            "t,ax,ay,az\n0,0,0,\(String(repeating: "9", count: 1_000_000))\n",
            "t,ax,ay,az\n0,\"0,0,0\n" + String(repeating: "x", count: 100_000),
            "t,ax,ay,az\n0,0;0;0\n", "t,ax,ay,az\n1e300,0,0,9.8\n", "t,ax,ay\n0,0,0\n", "t,ax,ay,az\n",
            String(repeating: "c,", count: 100_000) + "\n",
            "{\"format\":\"device-services-trace\",\"version\":1,\"x\":" + String(repeating: "[", count: 200_000),
            "\u{1F}\u{8B}\u{8}\u{0}\u{0}\u{0}", "\u{0}\u{0}\u{0}\u{0}",
        ])
    func hostile(text: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/hostile.csv"
        // Each character is written as one byte.
        try Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }).write(to: URL(fileURLWithPath: path))
        let result = try Tool.run(["replay", path, "accelerometer", "--json"])
        #expect([65, 66].contains(result.status))
        #expect(result.output.isEmpty)
        #expect(result.notes.hasPrefix("sensorctl: error: ") && result.notes.utf8.count < 2000)
    }

    @Test("Exponential entities and deeply nested elements in XML are refused")
    func hostileXML() throws {
        let folder = try TemporaryFolder()
        let entities = (1...9).map { level in
            "<!ENTITY l\(level) \"\(String(repeating: "&l\(level - 1);", count: 10))\">"
        }
        let bomb = "<!DOCTYPE c [<!ENTITY l0 \"lol\">\(entities.joined())]><context name=\"&l9;\"/>"
        for text in [bomb, "<context>" + String(repeating: "<a>", count: 100_000)] {
            try Self.write(text, folder.path + "/board.xml")
            let result = try Tool.run(["replay", folder.path + "/board.xml", "accelerometer"])
            #expect(result.status == 65)
        }
    }

    private static func write(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
}
