// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Testing
import Trace
import TraceEditing

@testable import TraceFormats

/// Unreadable values in each field of each format. The import either fails with an error that names the location, or
/// adds a remark with the line and the text. GPX, NMEA and tables with a column map are tested in `GPXLossTests`,
/// `NMEALossTests` and `TableLossTests`, and members of a trace in `InputDiagnosticsTests`.
@Suite("Reporting of unreadable values")
struct UnreadableFieldTests {
    /// Returns the remarks about an import and the resulting trace, or the error message.
    private func remarks(of bytes: [UInt8], name: String) -> [String] {
        do throws(DeviceError) {
            let file = try RecordingFile.read(bytes, name: name)
            var cursor = TraceCursor(file.trace)
            file.trace.bytes.withUnsafeBytes { bytes in while cursor.next(bytes) != nil {} }
            return file.remarks + ReportDiagnostics(file.trace).remarks + cursor.diagnostics.remarks
        } catch {
            return [error.message]
        }
    }

    private static let reports: [(name: String, whole: String, members: [String])] = [
        (
            "TPV",
            #""device":"a","mode":3,"status":2,"time":"2026-05-01T10:00:00.000Z","leapseconds":18,"ept":0.005,"lat":50.1,"lon":8.2,"altHAE":100.5,"altMSL":50.5,"alt":50.5,"geoidSep":50,"epx":1.5,"epy":1.5,"epv":2.5,"eph":3.5,"sep":4.5,"track":90.5,"magtrack":88.5,"magvar":2.5,"speed":3.5,"climb":0.5,"epd":1.5,"eps":0.5,"epc":0.5,"velN":1.5,"velE":1.5,"velD":1.5,"depth":5.5,"dgpsAge":1.5,"dgpsSta":120"#,
            [
                "mode", "status", "time", "leapseconds", "ept", "lat", "lon", "altHAE", "altMSL", "alt", "geoidSep",
                "epx",
                "epy", "epv", "eph", "sep", "track", "magtrack", "magvar", "speed", "climb", "epd", "eps", "epc",
                "velN",
                "velE", "velD", "depth", "dgpsAge", "dgpsSta",
            ]
        ),
        (
            "SKY",
            #""device":"a","time":"2026-05-01T10:00:00.000Z","hdop":0.9,"vdop":1.1,"pdop":1.4,"nSat":8,"uSat":5,"satellites":[]"#,
            ["time", "hdop", "vdop", "pdop", "nSat", "uSat", "satellites"]
        ),
        (
            "ATT", #""device":"a","heading":10.5,"pitch":1.5,"yaw":2.5,"roll":3.5,"rot":0.5,"mag_x":1.5"#,
            ["heading", "pitch", "yaw", "roll", "rot"]
        ),
    ]

    @Test("A member of the wrong type in a gpsd report is reported", arguments: reports.indices)
    func gpsdReports(index: Int) throws {
        let report = Self.reports[index]
        let whole = "{\"class\":\"\(report.name)\",\(report.whole)}"
        #expect(remarks(of: [UInt8]("\(whole)\n\(whole)\n".utf8), name: "t.json").isEmpty)
        for member in report.members {
            let key = "\"\(member)\":"
            let start = try #require(whole.firstRange(of: key), "\(member)")
            let rest = whole[start.upperBound...]
            let end = rest.firstIndex { $0 == "," || $0 == "}" } ?? rest.endIndex
            let changed = whole[..<start.upperBound] + "{\"rubbish\":1}" + whole[end...]
            let remarks = remarks(of: [UInt8]("\(whole)\n\(changed)\n\(whole)\n".utf8), name: "t.json")
            #expect(remarks.contains { $0.contains("(line 2: ") && $0.contains("rubbish") }, "\(member): \(remarks)")
        }
    }

    @Test(
        "An unreadable cell in any column of a phyphox table is reported",
        arguments: [
            "Time (s)", "Acceleration x (m/s^2)", "Gyroscope x (rad/s)", "Magnetic Field x (µT)", "Pressure (hPa)",
            "Latitude (°)", "Longitude (°)", "Altitude (m)", "Velocity (m/s)", "Direction (°)",
            "Horizontal Accuracy (m)", "Vertical Accuracy (m)", "Satellites",
        ])
    func phyphox(column: String) throws {
        let tables = [
            ["Time (s)", "Acceleration x (m/s^2)", "Acceleration y (m/s^2)", "Acceleration z (m/s^2)"],
            ["Time (s)", "Gyroscope x (rad/s)", "Gyroscope y (rad/s)", "Gyroscope z (rad/s)"],
            ["Time (s)", "Magnetic Field x (µT)", "Magnetic Field y (µT)", "Magnetic Field z (µT)"],
            ["Time (s)", "Pressure (hPa)"],
            [
                "Time (s)", "Latitude (°)", "Longitude (°)", "Altitude (m)", "Velocity (m/s)", "Direction (°)",
                "Horizontal Accuracy (m)", "Vertical Accuracy (m)", "Satellites",
            ],
        ]
        let columns = try #require(tables.first { $0.contains(column) })
        let header = columns.map { "\"\($0)\"" }.joined(separator: ",")
        let rows = (0..<4).map { row in
            columns.enumerated().map { index, name in
                row == 2 && name == column ? "rubbish" : index == 0 ? "\(row)" : "\(5 + row)"
            }.joined(separator: ",")
        }
        let remarks = remarks(of: [UInt8](([header] + rows).joined(separator: "\n").utf8) + [10], name: "t.csv")
        #expect(remarks.contains { $0.contains("line 4") && $0.contains("rubbish") }, "\(remarks)")
    }

    @Test(
        "An unreadable cell in any column of a Sensor Logger file is reported",
        arguments: [
            ("Gyroscope.csv", "time"), ("Gyroscope.csv", "x"), ("TotalAcceleration.csv", "y"),
            ("Magnetometer.csv", "z"),
            ("Location.csv", "latitude"), ("Location.csv", "longitude"), ("Location.csv", "altitude"),
            ("Location.csv", "speed"), ("Location.csv", "bearing"), ("Location.csv", "horizontalAccuracy"),
            ("Location.csv", "verticalAccuracy"), ("Battery.csv", "batteryLevel"),
        ])
    func sensorLogger(file: String, column: String) {
        func table(_ name: String, _ columns: [String]) -> String {
            let rows = (0..<4).map { row in
                columns.map { column_ in
                    if name == file, column_ == column, row == 2 { return "rubbish" }
                    switch column_ {
                    case "time": return "\(1_714_557_600_000_000_000 + row * 100_000_000)"
                    case "seconds_elapsed": return "\(Double(row) / 10)"
                    case "batteryLevel": return "0.5"
                    case "batteryState": return "unplugged"
                    default: return "\(5 + row)"
                    }
                }.joined(separator: ",")
            }
            return ([columns.joined(separator: ",")] + rows).joined(separator: "\n") + "\n"
        }
        let axes = ["time", "seconds_elapsed", "z", "y", "x"]
        var files: [String: [UInt8]] = [:]
        for name in ["Gyroscope.csv", "TotalAcceleration.csv", "Magnetometer.csv"] {
            files[name] = [UInt8](table(name, axes).utf8)
        }
        files["Location.csv"] = [UInt8](
            table(
                "Location.csv",
                [
                    "time", "seconds_elapsed", "latitude", "longitude", "altitude", "speed", "bearing",
                    "horizontalAccuracy",
                    "verticalAccuracy",
                ]
            ).utf8)
        files["Battery.csv"] = [UInt8](
            table("Battery.csv", ["time", "seconds_elapsed", "batteryLevel", "batteryState"]).utf8)
        var remarks: [String]
        do throws(DeviceError) {
            remarks = try Recording(sensorLogger: files, name: "t", options: .init(platform: .android)).remarks
        } catch {
            remarks = [error.message]
        }
        #expect(remarks.contains { $0.contains("line 4") && $0.contains("rubbish") }, "\(file) \(column): \(remarks)")
    }
}
