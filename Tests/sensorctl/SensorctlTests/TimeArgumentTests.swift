// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import Testing

@testable import sensorctl

@Suite("Times, durations and places on the command line", .toolIsBuilt, .waiting)
struct TimeArgumentTests {
    /// The number of locations in a part of the drive, which begins at 09:30:00 and has two positions each second.
    private static func count(_ arguments: [String]) throws -> Int {
        let result = try Tool.run(["replay", Tool.drive, "location", "--json"] + arguments)
        #expect(result.status == 0, "\(result.notes)")
        return result.lines.count { $0.contains("didUpdateLocations") }
    }

    @Test("A part of a recording is the same in every form of its times")
    func forms() throws {
        let expected = try Self.count(["--from", "60", "--to", "90"])
        #expect(expected > 50)
        for (from, to) in [
            ("60s", "1:30"), ("1:00", "1.5m"), ("0:01:00", "90000ms"), ("2026-06-21T09:31:00Z", "90"),
            ("2026-06-21T11:31:00+02:00", "2026-06-21T09:31:30Z"),
        ] { #expect(try Self.count(["--from", from, "--to", to]) == expected, "\(from) \(to)") }
        let folder = try TemporaryFolder()
        let parts = try [("60", "90"), ("2026-06-21T09:31:00Z", "1:30")].enumerated().map { index, times in
            let path = "\(folder.path)/\(index).trace"
            let result = try Tool.run(
                [
                    "cut", Tool.drive, path, "--from", times.0, "--to", times.1, "--fault", "nofix@5s+0:02", "--seed",
                    "1",
                ])
            #expect(result.status == 0, "\(result.notes)")
            return try Data(contentsOf: URL(fileURLWithPath: path))
        }
        #expect(parts[0] == parts[1])
    }

    @Test("A fault begins at a date in the recording, also in an extracted part")
    func faultDates() throws {
        let losses = try ["nofix@1:00+10s", "nofix@2026-06-21T09:31:00Z+10s"].map {
            try Tool.run(["replay", Tool.drive, "location", "--json", "--fault", $0, "--seed", "1"]).lines
        }
        #expect(losses[0] == losses[1])
        #expect(losses[0].contains { $0.contains("locationUnknown") })
        let folder = try TemporaryFolder()
        let part = folder.path + "/part.trace"
        let cut = try Tool.run(
            ["cut", Tool.drive, part, "--from", "30", "--fault", "nofix@2026-06-21T09:31:00Z+10s", "--seed", "1"])
        #expect(cut.status == 0, "\(cut.notes)")
        // 09:31:00 is 30 s after the start of the part.
        #expect(try String(contentsOfFile: part, encoding: .utf8).contains("nofix@30.0s+10.0s"))
    }

    @Test(
        "Invalid times and places are refused with the accepted forms",
        arguments: [
            (["replay", Tool.drive, "location", "--from", "1d"], "Use 90, 90s, 1:30, 2m or a date like"),
            (["cut", Tool.drive, "-", "--to", "soon"], "Use 90, 90s, 1:30, 2m or a date like"),
            (["cut", Tool.drive, "-", "--from", "2m", "--to", "90"], "The end (--to) is before the start (--from)"),
            (["plot", Tool.drive, "-o", "-", "--from", "90", "--to", "1:00"], "Exchange the two times"),
            (["cut", Tool.drive, "-", "--from", "2m", "--to", "2026-06-21T09:31:00Z"], "Exchange the two times"),
            (["cut", Tool.drive, "-", "--from", "2026-06-20"], "begins at 2026-06-21T09:30:00.000Z, after 2026-06-20"),
            (
                ["cut", Tool.traces + "/iio/shake.csv", "-", "--from", "2026-06-20"],
                "has no start time for the date"
            ),
            (["watch", "location", "--duration", "1d"], "Use 90, 90s, 1:30 or 2m"),
            (["record", "-", "--ring", "0.5"], "--ring and --after must be from 1"),
            (["demo", Tool.drive, "--seconds", "1,x"], "--seconds must be times from 0.5s to 24h"),
            (["watch", "regions", "--region", "home=48,11"], "as in home=48.137,11.575,200"),
            (["scrub", Tool.drive, "-", "--place", "48"], "as in 48.1,11.6"),
            (["synthesize", "-", "-", "--start", "yesterday"], "Use now, or a date like"),
            (["field", "--place", "91,0"], "as in 48.1,11.6"), (["field", "--latitude", "50"], "Use --place"),
        ] as [([String], String)])
    func refused(arguments: [String], part: String) throws {
        let result = try Tool.run(arguments)
        #expect(result.status == 64 && result.notes.contains(part), "\(result.status) \(result.notes)")
    }

    @Test("A coordinate is the same in every form")
    func places() throws {
        let expected = try Tool.run(["field", "--latitude", "-33.9", "--longitude", "151.2", "--date", "2026"]).output
        #expect(expected.contains("151.2"))
        for place in ["-33.9,151.2", "-33.9 151.2", "-33.9; 151.2"] {
            #expect(try Tool.run(["field", "--place", place, "--date", "2026"]).output == expected)
        }
        let region = try #require(NamedRegion(argument: "home=-33.9, 151.2, 200"))
        #expect(region.center.latitude == -33.9 && region.center.longitude == 151.2 && region.radius == 200)
    }
}
