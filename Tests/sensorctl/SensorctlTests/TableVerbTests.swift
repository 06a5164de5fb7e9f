// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite(
    "sensorctl with tables of other programs", .toolIsBuilt, .waiting)
struct TableVerbTests {
    private static let table = """
        Zeit;Breite;Laenge;kmh;ax;ay;az
        1700000000000;50,5;6,25;36;0;0;-1
        1700000001000;50,5001;6,25;36;0,5;0;-1

        """
    private static let map =
        "time=zeit:ms,lat=breite,lon=laenge,speed=kmh:km/h,accel.x=ax:-g,accel.y=ay:-g,accel.z=#7:-g,decimal=comma"

    private static func write(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private static func fixes(_ path: String, _ options: [String] = []) throws -> [[String: Any]] {
        let result = try Tool.run(["replay", path, "location", "--json"] + options)
        #expect(result.status == 0, "\(result.notes)")
        return try result.lines.flatMap { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return object?["locations"] as? [[String: Any]] ?? []
        }
    }

    @Test("A table of another program is read with a column map, converted to MCAP and read back")
    func columns() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/t.csv"
        try Self.write(Self.table, path)
        let fixes = try Self.fixes(path, ["--columns", Self.map])
        #expect(fixes.compactMap { $0["latitude"] as? Double } == [50.5, 50.5001])
        // 36 km/h is 10 m/s.
        #expect(fixes.compactMap { $0["speed"] as? Double } == [10, 10])
        let readings = try Tool.run(["replay", path, "accelerometer", "--json", "--columns", Self.map])
        // Core Motion's sign is preserved: −1 g for a device that lies face up.
        #expect(readings.lines.first?.contains("\"z\":-1") == true, "\(readings.output) \(readings.notes)")
        let messages = folder.path + "/t.mcap"
        let converted = try Tool.run(["convert", path, messages, "--columns", Self.map])
        #expect(converted.status == 0, "\(converted.notes)")
        #expect(try Self.fixes(messages).compactMap { $0["latitude"] as? Double } == [50.5, 50.5001])
        let info = try Tool.run(["info", path, "--json", "--columns", Self.map])
        #expect(info.output.contains("\"count\":2"), "\(info.output)")
        let piped = try Tool.run(
            ["replay", "-", "location", "--json", "--columns", Self.map], input: Data(Self.table.utf8))
        #expect(piped.lines.count { $0.contains("didUpdateLocations") } == 2)
    }

    @Test("A drive written as a table has the same locations when the table is replayed")
    func positions() throws {
        let folder = try TemporaryFolder()
        let table = folder.path + "/drive.csv"
        let written = try Tool.run(["convert", Tool.drive, table])
        #expect(written.status == 0, "\(written.notes)")
        let back = try Tool.run(["replay", table, "location", "--json"])
        let whole = try Tool.run(["replay", Tool.drive, "location", "--json"])
        // The table does not contain the name of the receiver, which one message contains.
        let expected = whole.lines.map { $0.replacingOccurrences(of: "receiver /dev/synthetic0", with: "receiver") }
        let difference = zip(back.lines, expected).first { $0 != $1 }
        #expect(back.lines.count == expected.count && difference == nil, "\(String(describing: difference))")
        #expect(whole.lines.count { $0.contains("didUpdateLocations") } > 100)
        let wrong = try Tool.run(["convert", Tool.drive, folder.path + "/drive.gpx", "--table", "positions"])
        #expect(wrong.status == 64 && wrong.notes.contains("--table requires the format csv"), "\(wrong.notes)")
    }

    @Test("An invalid column map is refused, and a missing column is reported with the existing columns")
    func refused() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/t.csv"
        try Self.write(Self.table, path)
        let unknown = try Tool.run(["replay", path, "location", "--columns", "time=zeit:h,lat=a,lon=b"])
        #expect(unknown.status == 64)
        #expect(unknown.notes.contains("h is not a unit of time. Write one of s, ms, us, ns, iso."))
        let missing = try Tool.run(["convert", path, "-", "--columns", "time=zeit:ms,lat=lat,lon=laenge"])
        #expect(missing.status == 65)
        #expect(missing.notes.contains("t.csv, line 1: there is no column \"lat\""), "\(missing.notes)")
        #expect(missing.notes.contains("#2 breite"))
        #expect(try Tool.run(["replay", path, "location", "--platform", "palm"]).status == 64)
    }

    @Test("A Sensor Logger recording without a platform is read with `--platform`")
    func platform() throws {
        let folder = try TemporaryFolder()
        try Self.write("time,z,y,x\n1700000000000000000,-9.80665,0,0\n", folder.path + "/TotalAcceleration.csv")
        #expect(try Tool.run(["replay", folder.path, "accelerometer", "--json"]).status == 65)
        for (platform, expected) in [("ios", "\"z\":-1"), ("android", "\"z\":1")] {
            let result = try Tool.run(["replay", folder.path, "accelerometer", "--json", "--platform", platform])
            #expect(result.lines.first?.contains(expected) == true, "\(result.output) \(result.notes)")
        }
    }

    @Test("A recording of umockdev replays accessories and their data")
    func accessories() throws {
        let path = Tool.traces + "/udev/weigh-scale.umockdev"
        let result = try Tool.run(["replay", path, "accessories", "--json"])
        #expect(result.status == 0, "\(result.notes)")
        #expect(
            result.output.contains("Weigh Scale") && result.output.contains("com.example.scale"), "\(result.output)")
        let native = try Tool.run(["convert", path, "-", "--format", "trace"])
        #expect(
            native.output.contains(#"{"t":0.425000000,"in":"S S     12.5 g\r\n","accessory":"1""#), "\(native.output)")
    }
}
