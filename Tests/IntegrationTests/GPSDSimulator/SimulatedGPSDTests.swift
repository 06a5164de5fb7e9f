// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import GPSDSimulator
import GPSDSource
import TestSupport
import Testing
import Trace

extension IntegrationTests {
    /// Debian's gpsd clients use the simulated gpsd like a real one.
    @Suite(
        "gpsd's clients with the simulated gpsd",
        .enabled(if: Tools.gpspipe != nil && Tools.python != nil, Tools.gpsfakeMissing))
    struct SimulatedGPSDTests {
        private static let log = "bu303-moving.log.chk"

        /// Runs a client until the server closes the connection.
        private func run(_ name: String, _ arguments: [String], environment: [String: String] = [:]) async throws
            -> [String]
        {
            let path = try #require(Tools.find(name))
            let client = try ChildProcess(path, arguments, environment: environment)
            return await client.output().map { $0.trimmingCharacters(in: .newlines) }
        }

        @Test("gpspipe -w prints every report of the recording unchanged")
        func pipeReports() async throws {
            let simulated = try SimulatedGPSD(Self.log)
            let lines = try await run("gpspipe", ["-w", simulated.address])
            #expect(
                lines.prefix(3).map { $0.prefix(14) } == [#"{"class":"VERS"#, #"{"class":"DEVI"#, #"{"class":"WATC"#])
            #expect(simulated.reports.count > 20)
            #expect(lines.dropFirst(3).map(SimulatedGPSD.withoutReceiver) == simulated.reports)
        }

        @Test("gpspipe -r prints the receiver's own sentences")
        func pipeSentences() async throws {
            let simulated = try SimulatedGPSD(Self.log)
            let lines = try await run("gpspipe", ["-r", simulated.address]).filter { $0.hasPrefix("$") }
            let path = Tools.traces.appendingPathComponent(Self.log).path
            let sentences = try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline)
                .filter { $0.hasPrefix("$") }.map(String.init)
            #expect(sentences.count > 50)
            #expect(lines == sentences)
        }

        @Test("gpspipe -r prints sentences converted from reports if times are moved to the present")
        func pipeMadeSentences() async throws {
            let simulated = try SimulatedGPSD(Self.log) { $0.timestampPolicy = .now }
            let lines = try await run("gpspipe", ["-r", simulated.address]).filter { $0.hasPrefix("$") }
            let fixes = try simulated.rows.filter(\.isFix)
            let places = lines.filter { $0.contains("GGA,") }.compactMap { SentencePlace($0) }
            #expect(places.count == fixes.count)
            for (place, fix) in zip(places, fixes) { place.check(fix) }
        }

        @Test("gpspipe works with -R, and with -w and every other option")
        func pipeSwitches() async throws {
            for arguments in [["-R"], ["-w", "-2", "-S", "-P", "-T", "%s"]] {
                let simulated = try SimulatedGPSD(Self.log)
                let lines = try await run("gpspipe", arguments + [simulated.address])
                #expect(lines.count > 20, "\(arguments)")
            }
        }

        @Test(
            "gpxlogger writes the positions of the recording",
            .enabled(if: Tools.find("gpxlogger") != nil, Tools.gpsfakeMissing))
        func logger() async throws {
            let simulated = try SimulatedGPSD(Self.log)
            let lines = try await run("gpxlogger", ["-i", "1", simulated.address])
            let points = lines.compactMap { line -> (Double, Double)? in
                let words = line.components(separatedBy: "\"")
                guard line.contains("<trkpt"), words.count >= 4, let latitude = Double(words[1]),
                    let longitude = Double(words[3])
                else { return nil }
                return (latitude, longitude)
            }
            let fixes = try simulated.rows.filter(\.isFix)
            #expect(points.count > 3)
            for (latitude, longitude) in points {
                #expect(
                    fixes.contains {
                        abs(($0.number("lat") ?? .nan) - latitude) < 1e-8
                            && abs(($0.number("lon") ?? .nan) - longitude) < 1e-8
                    })
            }
        }

        @Test("The Python client reads every report", .enabled(if: hasPythonClient, "python3-gps is not installed"))
        func python() async throws {
            let simulated = try SimulatedGPSD(Self.log)
            let program = """
                import gps, sys
                session = gps.gps(host="127.0.0.1", port=sys.argv[1], mode=gps.WATCH_ENABLE | gps.WATCH_NEWSTYLE)
                try:
                    for report in session:
                        if report["class"] == "TPV" and "lat" in report.keys():
                            print("%.9f %.9f" % (report["lat"], report["lon"]))
                except BrokenPipeError:
                    pass
                """
            let lines = try await run("/usr/bin/python3", ["-c", program, "\(simulated.port)"])
            let expected = try simulated.rows.filter { $0.number("lat") != nil }.map {
                String(format: "%.9f %.9f", $0.number("lat") ?? .nan, $0.number("lon") ?? .nan)
            }
            #expect(lines == expected)
        }

        static let hasPythonClient = FileManager.default.fileExists(
            atPath: "/usr/lib/python3/dist-packages/gps/__init__.py")

        @Test("gpscsv and gps2udp receive reports", .enabled(if: Tools.find("gpscsv") != nil, Tools.gpsfakeMissing))
        func others() async throws {
            var simulated = try SimulatedGPSD(Self.log)
            let expected = try simulated.rows.filter { $0.number("lat") != nil }.prefix(5).compactMap {
                $0.number("lat")
            }
            let lines = try await run("gpscsv", ["-c", "TPV", "-f", "lat,lon", "-n", "5", simulated.address])
            #expect(lines.first == "lat,lon")
            #expect(lines.dropFirst().compactMap { $0.split(separator: ",").first.flatMap { Double($0) } } == expected)
            guard Tools.find("gps2udp") != nil else { return }
            simulated = try SimulatedGPSD(Self.log)
            let port = try FreePort.next(datagrams: true)
            let sent = try await run(
                "gps2udp", ["-t", "-d", "1", "-u", "127.0.0.1:\(port)", "-c", "5", simulated.address])
            #expect(sent.contains { $0.contains(#"{"class":"TPV""#) }, "\(sent)")
        }

        /// The position that a client displays in its fields, nil if it displays none.
        @Sendable private static func shownPlace(_ client: String, _ screen: TerminalScreen) -> (Double, Double)? {
            guard client == "gpsmon" else {
                guard let latitude = screen.field(behind: "Latitude:").flatMap({ Double($0) }),
                    let longitude = screen.field(behind: "Longitude:").flatMap({ Double($0) })
                else { return nil }
                return (latitude, longitude)
            }
            // "Lat: 46 29.899170' N   Lon:   7 34.044130' E"
            func degrees(_ label: String) -> Double? {
                guard let row = screen.rows.first(where: { $0.contains("Lat:") && $0.contains("Lon:") }),
                    let start = row.range(of: label)?.upperBound
                else { return nil }
                let words = row[start...].split(separator: " ").prefix(2)
                guard words.count == 2, let whole = Double(words[0]), let minutes = Double(words[1].dropLast()),
                    words[1].hasSuffix("'")
                else { return nil }
                return whole + minutes / 60
            }
            guard let latitude = degrees("Lat:"), let longitude = degrees("Lon:") else { return nil }
            return (latitude, longitude)
        }

        @Test(
            "cgps and gpsmon display the recording's positions in their position fields",
            .enabled(if: Tools.script != nil, "script is not installed"), arguments: ["cgps", "gpsmon"])
        func screens(name: String) async throws {
            let path = try #require(Tools.find(name))
            let simulated = try SimulatedGPSD(Self.log) { options in
                options.pace = .realTime(speed: 20)
                options.end = .loop
            }
            let places = try simulated.rows.filter(\.isFix).map {
                ($0.number("lat") ?? .nan, $0.number("lon") ?? .nan)
            }
            // cgps displays degrees with eight decimals, gpsmon the minutes of sentences with five.
            let tolerance = name == "cgps" ? 0.6e-8 : 0.6e-5 / 60
            let script = try #require(Tools.script)
            let client = try ChildProcess(
                script, ["-q", "-f", "-c", "stty rows 40 cols 100; \(path) \(simulated.address)", "/dev/null"],
                environment: ["TERM": "vt100"])
            let screen = TerminalScreen(rows: 40, columns: 100)
            let isShown = await client.lines.wait { lines in
                screen.take(lines)
                guard let (latitude, longitude) = Self.shownPlace(name, screen) else { return false }
                return places.contains { abs($0 - latitude) < tolerance && abs($1 - longitude) < tolerance }
            }
            #expect(isShown, "\(screen.rows.joined(separator: "\n"))")
            await client.kill()
        }

        @Test("Our own clients deliver every fix with gpsd's values")
        func sources() async throws {
            let start = Date()
            var schemes = ["gpsd"]
            #if LibGPS
            schemes.append("libgps")
            #endif
            for scheme in schemes {
                let simulated = try SimulatedGPSD(Self.log) { $0.end = .silence }
                let recorder = try Recorder("\(scheme)://\(simulated.address)", everyReport: true)
                recorder.manager.startUpdatingLocation()
                let fixes = try simulated.rows.filter(\.isFix)
                await recorder.settle(locations: fixes.count)
                recorder.manager.stopUpdatingLocation()
                #expect(recorder.locations.count == fixes.count, "\(scheme)")
                for (number, (location, row)) in zip(recorder.locations, fixes).enumerated() {
                    row.check(location, during: start...Date(), "\(scheme), fix \(number)")
                }
                recorder.manager.delegate = nil
            }
        }

        @Test("Our client reconnects to a server that was killed and restarted")
        func comesBack() async throws {
            let simulated = try SimulatedGPSD(Self.log) { options in
                options.pace = .realTime(speed: 20)
                options.end = .loop
                options.faults = try GPSDFault.list("kill@1s,restart@2s")
            }
            let recorder = try Recorder("gpsd://\(simulated.address)", everyReport: true)
            recorder.manager.startUpdatingLocation()
            _ = await recorder.events.wait { events in
                events.contains { if case .error = $0 { true } else { false } }
            }
            let count = recorder.locations.count
            #expect(!recorder.errors.isEmpty)
            await recorder.settle(locations: count + 5)
            #expect(recorder.locations.count >= count + 5)
            recorder.manager.stopUpdatingLocation()
            recorder.manager.delegate = nil
        }
    }
}

/// The position in a GGA sentence.
struct SentencePlace {
    let latitude: Double
    let longitude: Double

    init?(_ sentence: String) {
        let fields = sentence.components(separatedBy: ",")
        guard fields.count > 6, fields[6] != "0", let latitude = Self.degrees(fields[2], fields[3]),
            let longitude = Self.degrees(fields[4], fields[5])
        else { return nil }
        (self.latitude, self.longitude) = (latitude, longitude)
    }

    /// Returns the degrees of a field such as 4807.038.
    private static func degrees(_ text: String, _ side: String) -> Double? {
        guard let number = Double(text) else { return nil }
        let whole = (number / 100).rounded(.towardZero)
        let degrees = whole + (number - whole * 100) / 60
        return side == "S" || side == "W" ? -degrees : degrees
    }

    /// Compares the positions to half of the fifth digit of the minutes.
    func check(_ row: ReportRow) {
        #expect(abs(latitude - (row.number("lat") ?? .nan)) < 0.6e-5 / 60)
        #expect(abs(longitude - (row.number("lon") ?? .nan)) < 0.6e-5 / 60)
    }
}
