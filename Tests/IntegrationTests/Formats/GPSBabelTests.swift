// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import GPSDProtocol
import Testing
import Trace
import TraceFormats

extension IntegrationTests {
    /// Compares GPX, KML and NMEA with gpsbabel for all recordings of positions in the project.
    @Suite(
        "Agreement with gpsbabel to the last digit", .enabled(if: GPSBabel.path != nil, GPSBabel.missing))
    struct GPSBabelTests {
        /// Receiver logs with sentences that gpsbabel reads.
        private static let logs = [
            "beidou-bd", "bt451", "foretrex-201", "hemi", "humminbird-M37", "isync", "tcp-torture", "ublox-8",
        ]
        /// gpsd's reports of logs, also of receivers with proprietary protocols, and a synthetic route.
        private static let reports =
            (logs + ["bu303-moving", "sirfstarv", "ublox-neo-m8u-hnr"]).map { "gpsd/\($0).log.chk" }
            + ["synthetic/mountain-road.json"]

        private func path(_ name: String) -> String {
            Tools.traces.deletingLastPathComponent().appendingPathComponent(name).path
        }

        /// Returns all positions of a trace, each with the latest sky report.
        private func positions(_ trace: TraceFile) -> [(report: PositionReport, sky: SkyReport?)] {
            trace.bytes.withUnsafeBytes { bytes in
                var found: [(report: PositionReport, sky: SkyReport?)] = []
                var cursor = TraceCursor(trace)
                var decoder = GPSDDecoder()
                var sky: SkyReport?
                while let record = cursor.next(bytes) {
                    guard case .gpsd = record.kind else { continue }
                    switch decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[record.range])) {
                    case .position(let report) where report.hasFix:
                        found.append((report, sky?.time == report.time ? sky : nil))
                    case .sky(let report): sky = report
                    default: break
                    }
                }
                return found
            }
        }

        private func text(_ value: Double, _ decimals: Int) -> String {
            value.isNaN ? "" : String(format: "%.\(decimals)f", value)
        }

        /// Formats a time in milliseconds as gpsbabel does, empty for nil.
        private func text(_ time: WallTime?) -> String {
            guard let time else { return "" }
            let milliseconds = time.nanoseconds / 1_000_000
            let date = Date(timeIntervalSince1970: Double(milliseconds / 1000)).ISO8601Format()
            let fraction = milliseconds % 1000
            return fraction == 0 ? date : date.dropLast() + String(format: ".%03dZ", fraction)
        }

        /// The cells of a position with the precision of reports.
        private func cells(_ report: PositionReport, _ sky: SkyReport?) -> [String: String] {
            var cells = [
                "lat": text(report.latitude, 9), "lon": text(report.longitude, 9), "ele": text(report.altitudeMSL, 4),
                "speed": text(report.speed, 3), "course": text(report.track, 4), "time": text(report.time),
                "geoidheight": text(report.geoidSeparation, 3),
            ]
            if let sky {
                cells["hdop"] = text(sky.hdop, 2)
                cells["vdop"] = text(sky.vdop, 2)
                cells["pdop"] = text(sky.pdop, 2)
                if sky.usedCount > 0 { cells["sat"] = String(sky.usedCount) }
            }
            return cells
        }

        /// Numbers may differ by half the last digit of the less precise one, plus the error of rounding twice.
        private func compare(_ row: [String: String], _ cells: [String: String], _ place: Comment) {
            for (key, value) in row {
                guard let ours = cells[key], !value.isEmpty else { continue }
                if key != "time", let theirs = Double(value), let number = Double(ours) {
                    let digits = [value, ours].map { $0.split(separator: ".").dropFirst().first?.count ?? 0 }
                    let unit = pow(10, -Double(digits.min() ?? 0))
                    #expect((number - theirs).magnitude <= unit * 0.51, "\(key), \(place)")
                } else if key == "time" {
                    // This package spreads points of the same time over a second.
                    #expect(ours.prefix(19) == value.prefix(19), "\(place)")
                } else {
                    #expect(ours == value, "\(key), \(place)")
                }
            }
        }

        /// Orders the points as this package does: by time, and without untimed points if others have times.
        private func inOrder(_ rows: [[String: String]]) -> [[String: String]] {
            let timed = rows.filter { $0["time"]?.isEmpty == false }
            guard !timed.isEmpty else { return rows }
            func key(_ row: [String: String]) -> String {
                let time = row["time"] ?? ""
                return time.contains(".") ? time : time.dropLast() + ".000Z"
            }
            return timed.enumerated().sorted { (key($0.element), $0.offset) < (key($1.element), $1.offset) }
                .map(\.element)
        }

        @Test("gpsbabel and this package read a GPX conversion alike", arguments: logs, ["gpx", "gpx,gpxver=1.1"])
        func reading(log: String, format: String) throws {
            try GPSBabel.withFolder { folder in
                let gpx = folder + "/a.gpx"
                try GPSBabel.convert(path("gpsd/\(log).log"), from: "nmea", to: gpx, format)
                let rows = inOrder(try GPSBabel.points(gpx, from: "gpx"))
                try #require(!rows.isEmpty)
                var options = RecordingOptions()
                options.gpx.derivesMotion = false
                let recording = try RecordingFile.open(gpx, options: options)
                #expect(recording.format == .gpx)
                let found = positions(recording.trace)
                #expect(found.count == rows.count)
                for (index, (row, position)) in zip(rows, found).enumerated() {
                    compare(row, cells(position.report, position.sky), "point \(index)")
                }
            }
        }

        @Test("gpsbabel reads our GPX as in the reports, and our KML draws every point", arguments: reports)
        func writing(name: String) throws {
            let trace = try TraceFile(path: path(name))
            let source = positions(trace)
            try GPSBabel.withFolder { folder in
                _ = try RecordingFormat.gpx.write(trace, to: folder + "/a.gpx")
                let rows = try GPSBabel.points(folder + "/a.gpx", from: "gpx")
                try #require(!rows.isEmpty)
                for (index, row) in rows.enumerated() {
                    let same = source.filter { position in
                        text(position.report.latitude, 9) == row["lat"]
                            && text(position.report.longitude, 9) == row["lon"]
                            && text(position.report.time) == row["time"] ?? ""
                    }
                    // The last report of the epoch, because dilutions of precision may follow it.
                    let report = try #require(same.last?.report, "point \(index) of \(name): \(row)")
                    compare(row, cells(report, nil), "point \(index)")
                }
                _ = try RecordingFormat.kml.write(trace, to: folder + "/a.kml")
                let drawn = try GPSBabel.points(folder + "/a.kml", from: "kml")
                func places(_ rows: [[String: String]]) -> Set<[String?]> { Set(rows.map { [$0["lat"], $0["lon"]] }) }
                #expect(places(drawn) == places(rows))
                // Each segment is a line and, if all positions have times, also a track.
                #expect(drawn.count == rows.count || drawn.count == 2 * rows.count)
            }
        }

        @Test("Our KML of a GPX file draws the same points as gpsbabel's", arguments: reports)
        func drawing(name: String) throws {
            try GPSBabel.withFolder { folder in
                _ = try RecordingFormat.gpx.write(try TraceFile(path: path(name)), to: folder + "/a.gpx")
                try GPSBabel.convert(folder + "/a.gpx", from: "gpx", to: folder + "/their.kml", "kml")
                let trace = try RecordingFile.open(folder + "/a.gpx").trace
                _ = try RecordingFormat.kml.write(trace, to: folder + "/our.kml")
                // gpsbabel writes six decimals.
                func places(_ file: String) throws -> Set<[String]> {
                    Set(
                        try GPSBabel.points(folder + file, from: "kml").map { point in
                            ["lat", "lon"].map { text(Double(point[$0] ?? "") ?? .nan, 6) }
                        })
                }
                // This package places points without a time between their neighbors.
                let source = try GPSBabel.points(folder + "/a.gpx", from: "gpx")
                let times = source.compactMap { $0["time"] }
                let ours = try places("/our.kml")
                let theirs = try places("/their.kml")
                if times.count == source.count, Set(times).count == times.count {
                    #expect(ours == theirs)
                } else {
                    #expect(ours.isSubset(of: theirs) && !ours.isEmpty)
                }
            }
        }

        private typealias Fix = (date: Substring, second: Double, place: [Double])

        /// Returns the dates, seconds of the day and positions in minutes of the RMC sentences in a file.
        private func fixes(nmea path: String) throws -> [Fix] {
            var found: [Fix] = []
            for line in try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline) {
                let fields = line.split(separator: ",", omittingEmptySubsequences: false)
                guard fields.count > 9, fields[0].hasSuffix("RMC"), fields[2] == "A", let time = Double(fields[1]),
                    let latitude = Double(fields[3]), let longitude = Double(fields[5])
                else { continue }
                func minutes(_ value: Double, _ side: Substring) -> Double {
                    let degrees = (value / 100).rounded(.down)
                    return (degrees * 60 + value - degrees * 100) * (side == "S" || side == "W" ? -1 : 1)
                }
                let hours = (time / 10_000).rounded(.down)
                let minute = (time / 100).rounded(.down) - hours * 100
                let second = hours * 3600 + minute * 60 + time.truncatingRemainder(dividingBy: 100)
                found.append((fields[9], second, [minutes(latitude, fields[4]), minutes(longitude, fields[6])]))
            }
            return found
        }

        // Compares gpsbabel's sentences as text, because gpsbabel reads an RMC before a GGA with the previous position.
        @Test("Our NMEA of a GPX file has the same fixes as gpsbabel's", arguments: reports)
        func sentences(name: String) throws {
            try GPSBabel.withFolder { folder in
                _ = try RecordingFormat.gpx.write(try TraceFile(path: path(name)), to: folder + "/a.gpx")
                try GPSBabel.convert(folder + "/a.gpx", from: "gpx", to: folder + "/their.nmea", "nmea")
                let trace = try RecordingFile.open(folder + "/a.gpx").trace
                _ = try RecordingFormat.nmea.write(trace, to: folder + "/our.nmea")
                let ours = try fixes(nmea: folder + "/our.nmea")
                let theirs = try fixes(nmea: folder + "/their.nmea")
                #expect(!ours.isEmpty && !theirs.isEmpty)
                // gpsbabel truncates or rounds minutes to three decimals. This package writes five, and spreads points
                // of the same time over a second.
                func missing(from others: [Fix], _ fixes: [Fix]) -> [Fix] {
                    fixes.filter { fix in
                        !others.contains {
                            $0.date == fix.date && ($0.second - fix.second).magnitude <= 1
                                && (fix.place[0] - $0.place[0]).magnitude < 0.00101
                                && (fix.place[1] - $0.place[1]).magnitude < 0.00101
                        }
                    }
                }
                #expect(missing(from: ours, theirs).isEmpty)
                // This package places points without a time between their neighbors. gpsbabel writes no time for these
                // points.
                let points = try String(contentsOfFile: folder + "/a.gpx", encoding: .utf8)
                let untimed = points.split(separator: "\n").count { $0.hasPrefix("<trkpt") && !$0.contains("<time>") }
                #expect(missing(from: theirs, ours).count <= untimed)
            }
        }

        @Test("gpsd's positions are among those gpsbabel reads from the same NMEA", arguments: ["ublox-8", "hemi"])
        func receivers(log: String) throws {
            try GPSBabel.withFolder { folder in
                try GPSBabel.convert(path("gpsd/\(log).log"), from: "nmea", to: folder + "/a.gpx", "gpx")
                let theirs = positions(try RecordingFile.open(folder + "/a.gpx").trace)
                let places = Set(theirs.map { [text($0.report.latitude, 9), text($0.report.longitude, 9)] })
                let trace = try TraceFile(path: path("gpsd/\(log).log.chk"))
                let ours = positions(trace)
                try #require(!ours.isEmpty)
                // The logs end in the middle of an epoch, which gpsd and gpsbabel handle differently.
                for position in ours where position.report.time != ours.last?.report.time {
                    let place = [text(position.report.latitude, 9), text(position.report.longitude, 9)]
                    #expect(places.contains(place), "\(place)")
                }
            }
        }
    }
}
