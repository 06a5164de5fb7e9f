// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import GPSDProtocol
import Testing
import Trace
import TraceFormats

extension IntegrationTests {
    /// Compares our sentences with gpsbabel and gpsdecode.
    @Suite("NMEA exchange with other programs")
    struct NMEAToolTests {
        private static let gpsbabel = Tools.find("gpsbabel")
        /// gpsdecode of gpsd 3.22. Later versions group epochs differently, so the differences below do not apply to
        /// them.
        private static let gpsdecode = Tools.find("gpsdecode").flatMap { path in
            Tools.firstLine(of: path, "-V").contains(" 3.22") ? path : nil
        }
        private static let noDecoder: Comment = "needs the gpsdecode of gpsd 3.22: apt-get install gpsd-clients"
        static let logs = ["ublox-8.log", "isync.log", "hemi.log"]

        /// A position as text.
        private struct Fix: Hashable, CustomStringConvertible {
            var latitude: String
            var longitude: String
            var height: String
            var time: String

            init(_ report: PositionReport, decimals: Int) {
                latitude = String(format: "%.*f", decimals, report.latitude)
                longitude = String(format: "%.*f", decimals, report.longitude)
                height = report.altitudeMSL.isNaN ? "" : String(format: "%.2f", report.altitudeMSL)
                let seconds = (report.time?.nanoseconds ?? 0) / 1_000_000
                time = "\(seconds)"
            }

            var description: String { "\(time) \(latitude) \(longitude) \(height)" }
        }

        private func fixes(_ trace: TraceFile, decimals: Int) -> [Fix] {
            var found: [Fix] = []
            trace.bytes.withUnsafeBytes { bytes in
                var cursor = TraceCursor(trace)
                var decoder = GPSDDecoder()
                while let record = cursor.next(bytes) {
                    let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
                    guard case .position(let report) = decoder.decode(line), report.hasFix else { continue }
                    found.append(Fix(report, decimals: decimals))
                }
            }
            return found
        }

        /// The points of gpsbabel's GPX, which has nine decimals.
        private func points(gpx: String, decimals: Int) throws -> [Fix] {
            func value(_ text: Substring, from start: String, to end: String) -> Substring? {
                guard let first = text.range(of: start), let last = text[first.upperBound...].range(of: end) else {
                    return nil
                }
                return text[first.upperBound..<last.lowerBound]
            }
            return try gpx.components(separatedBy: "<trkpt ").dropFirst().map { point in
                let text = Substring(point)
                var report = PositionReport()
                report.latitude = Double(try #require(value(text, from: "lat=\"", to: "\""))) ?? .nan
                report.longitude = Double(try #require(value(text, from: "lon=\"", to: "\""))) ?? .nan
                report.altitudeMSL = value(text, from: "<ele>", to: "<").flatMap { Double($0) } ?? .nan
                let time = String(try #require(value(text, from: "<time>", to: "<")))
                let date = try #require(
                    try? Date(time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: time.contains("."))))
                report.time = WallTime(nanoseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()) * 1_000_000)
                return Fix(report, decimals: decimals)
            }
        }

        /// Runs a program to its end, with its output in a file.
        private func run(_ arguments: [String], in folder: String) async throws {
            let script = "cd \"$1\"; shift; \"$@\" >out 2>err <in; echo ended $?"
            let child = try ChildProcess("/bin/sh", ["-c", script, "sh", folder] + arguments)
            _ = await child.lines.wait { $0.last?.hasPrefix("ended ") == true }
            #expect(child.lines.elements.last == "ended 0")
        }

        private func withFolder(_ body: (URL) async throws -> Void) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "nmea-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try Data().write(to: folder.appending(path: "in"))
            try await body(folder)
        }

        private func text(_ url: URL) throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }

        @Test(
            "gpsbabel reads every position of our export with its time and altitude",
            .enabled(if: NMEAToolTests.gpsbabel != nil, "gpsbabel is not installed: apt-get install gpsbabel"),
            arguments: logs)
        func exported(log: String) async throws {
            let file = try RecordingFile.open(Tools.traces.appending(path: log).path)
            let gpsbabel = try #require(Self.gpsbabel)
            try await withFolder { folder in
                _ = try RecordingFormat.nmea.write(file.trace, to: folder.appending(path: "our.nmea").path)
                let reading = [gpsbabel, "-t", "-i", "nmea", "-f", "our.nmea"]
                try await run(reading + ["-o", "gpx", "-F", "-"], in: folder.path)
                // Five decimals of a minute are 1.7e-7°.
                let theirs = try points(gpx: text(folder.appending(path: "out")), decimals: 6)
                #expect(theirs.count > 10)
                let ours = try RecordingFile.open(folder.appending(path: "our.nmea").path)
                #expect(fixes(ours.trace, decimals: 6) == theirs)
            }
        }

        /// The fixes of the GGA sentences in a text, by time of day in milliseconds.
        private func places(nmea: String) -> [Int: [Double]] {
            var places: [Int: [Double]] = [:]
            for line in nmea.split(whereSeparator: \.isNewline) where line.hasPrefix("$GPGGA,") {
                let fields = line.split(separator: ",", omittingEmptySubsequences: false)
                guard fields.count > 9, fields[6] != "0", let time = Double(fields[1]),
                    let latitude = Double(fields[2]), let longitude = Double(fields[4]), let height = Double(fields[9])
                else { continue }
                func degrees(_ value: Double, _ side: Substring) -> Double {
                    let whole = (value / 100).rounded(.down)
                    return (whole + (value - whole * 100) / 60) * (side == "S" || side == "W" ? -1 : 1)
                }
                let seconds = Int(time) / 10_000 * 3600 + Int(time) / 100 % 100 * 60
                places[Int((time * 1000).rounded()) % 100_000 + seconds * 1000] = [
                    degrees(latitude, fields[3]), degrees(longitude, fields[5]), height,
                ]
            }
            return places
        }

        // Compares gpsbabel's sentences as text. If RMC precedes GGA, as in gpsbabel's output and from many receivers,
        // gpsbabel reads an RMC with the position and altitude of the previous GGA. gpsd reads it as this package does.
        @Test(
            "NMEA written by gpsbabel is read without changes",
            .enabled(if: NMEAToolTests.gpsbabel != nil, "gpsbabel is not installed: apt-get install gpsbabel"),
            arguments: ["hemi.log", "isync.log", "ublox-8.log"])
        func imported(log: String) async throws {
            let gpsbabel = try #require(Self.gpsbabel)
            try await withFolder { folder in
                let path = Tools.traces.appending(path: log).path
                let reading = [gpsbabel, "-t", "-i", "nmea", "-f"]
                try await run(reading + [path, "-o", "nmea", "-F", "their.nmea"], in: folder.path)
                let theirs = places(nmea: try text(folder.appending(path: "their.nmea")))
                #expect(theirs.count > 10)
                let ours = byTimeOfDay(try RecordingFile.open(folder.appending(path: "their.nmea").path).trace)
                #expect(Set(ours.keys) == Set(theirs.keys.map { Int64($0) }))
                for (time, place) in theirs {
                    let report = try #require(ours[Int64(time)])
                    #expect((report.latitude - place[0]).magnitude < 1e-9, "\(time)")
                    #expect((report.longitude - place[1]).magnitude < 1e-9, "\(time)")
                    #expect((report.altitudeMSL - place[2]).magnitude < 1e-4, "\(time)")
                }
            }
        }

        /// The fields in which gpsd 3.22 differs from the sentences, by log.
        private static let differences: [String: Set<String>] = [
            // gpsd computes a speed for a position without one.
            "bt451": ["speed"],
            // GSA reports no fix, RMC and GLL report one: 2D here, 3D in gpsd.
            "foretrex-201": ["mode"],
            // gpsd omits VTG, which has no time, if it cannot determine the cycle.
            "hemi": ["speed", "track"],
            // GLL, VTG, RMC and GGA each arrive in a separate epoch. gpsd keeps the mode of the previous epoch, derives
            // a speed, and adds the geoid separation of its model.
            "humminbird-M37": ["altHAE", "geoidSep", "mode", "speed", "track"],
        ]

        @Test(
            "gpsdecode reports the same positions of a log, except for explained differences",
            .enabled(if: NMEAToolTests.gpsdecode != nil, noDecoder),
            arguments: [
                "beidou-bd", "bt451", "foretrex-201", "hemi", "humminbird-M37", "isync", "ublox-8",
            ])
        func sameDecoding(log: String) async throws {
            let gpsdecode = try #require(Self.gpsdecode)
            let path = Tools.traces.appending(path: "\(log).log").path
            var options = RecordingOptions()
            options.nmea.derivesMotion = false
            let file = try RecordingFile.open(path, options: options)
            try await withFolder { folder in
                try Data(contentsOf: URL(fileURLWithPath: path)).write(to: folder.appending(path: "in"))
                try await run([gpsdecode, "-j"], in: folder.path)
                let decoded = try TraceFile(path: folder.appending(path: "out").path)
                // gpsd guesses the era of dates, so times of day are compared. Each of its reports of an epoch has more
                // fields.
                let theirs = byTimeOfDay(decoded)
                let ours = byTimeOfDay(file.trace)
                #expect(!theirs.isEmpty)
                var different: Set<String> = []
                for (time, report) in theirs {
                    let mine = try #require(ours[time], "\(log) has no fix at \(time)")
                    #expect(text(mine.latitude, 9) == text(report.latitude, 9))
                    #expect(text(mine.longitude, 9) == text(report.longitude, 9))
                    if text(mine.altitudeMSL, 4) != text(report.altitudeMSL, 4) { different.insert("altMSL") }
                    if text(mine.altitudeHAE, 4) != text(report.altitudeHAE, 4) { different.insert("altHAE") }
                    if text(mine.geoidSeparation, 3) != text(report.geoidSeparation, 3) {
                        different.insert("geoidSep")
                    }
                    if text(mine.speed, 3) != text(report.speed, 3) { different.insert("speed") }
                    if text(mine.track, 4) != text(report.track, 4) { different.insert("track") }
                    if mine.mode != report.mode { different.insert("mode") }
                    if mine.status != report.status { different.insert("status") }
                }
                #expect(different.isSubset(of: Self.differences[log] ?? []), "\(log): \(different.sorted())")
            }
        }

        /// The last fix of each time of day, in milliseconds. Fixes without a time are omitted.
        private func byTimeOfDay(_ trace: TraceFile) -> [Int64: PositionReport] {
            var found: [Int64: PositionReport] = [:]
            trace.bytes.withUnsafeBytes { bytes in
                var cursor = TraceCursor(trace)
                var decoder = GPSDDecoder()
                while let record = cursor.next(bytes) {
                    let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
                    guard case .position(let report) = decoder.decode(line), report.hasFix, let time = report.time
                    else {
                        continue
                    }
                    let milliseconds = time.nanoseconds / 1_000_000 % 86_400_000
                    found[milliseconds < 0 ? milliseconds + 86_400_000 : milliseconds] = report
                }
            }
            return found
        }

        private func text(_ value: Double, _ decimals: Int) -> String {
            value.isFinite ? String(format: "%.*f", decimals, value) : ""
        }

        @Test(
            "gpsdecode decodes our export to the same fixes as the log",
            .enabled(if: NMEAToolTests.gpsdecode != nil, noDecoder))
        func decoded() async throws {
            let gpsdecode = try #require(Self.gpsdecode)
            let path = Tools.traces.appending(path: "ublox-8.log").path
            let file = try RecordingFile.open(path)
            try await withFolder { folder in
                _ = try RecordingFormat.nmea.write(file.trace, to: folder.appending(path: "our.nmea").path)
                func decode(_ path: String) async throws -> Set<Fix> {
                    try Data(contentsOf: URL(fileURLWithPath: path)).write(to: folder.appending(path: "in"))
                    try await run([gpsdecode, "-j"], in: folder.path)
                    let trace = try TraceFile(path: folder.appending(path: "out").path)
                    return Set(fixes(trace, decimals: 9))
                }
                let expected = try await decode(path)
                let found = try await decode(folder.appending(path: "our.nmea").path)
                #expect(expected.count > 50)
                #expect(found == expected)
            }
        }
    }
}
