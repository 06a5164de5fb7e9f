// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Selection of data in sensorctl replay", .toolIsBuilt, .waiting)
struct ReplayControlTests {
    /// Returns the timestamps of all locations.
    private func times(_ arguments: [String]) throws -> [String] {
        let result = try Tool.run(["replay", Tool.drive, "location", "--json"] + arguments)
        #expect(result.status == 0)
        return try ReplayTests.locations(result.lines).map { try #require($0["timestamp"] as? String) }
    }

    @Test("A part of a trace gives the same locations as the whole trace in that interval")
    func part() throws {
        let all = try times([])
        let part = try times(["--from", "60", "--to", "90"])
        #expect(!part.isEmpty && part.count < all.count)
        let first = try #require(all.firstIndex(of: part[0]))
        #expect(Array(all[first..<first + part.count]) == part)
    }

    @Test("Each repetition gives the same number of locations, with increasing timestamps")
    func loop() throws {
        let once = try times(["--to", "20"])
        let thrice = try times(["--to", "20", "--loop", "3"])
        #expect(thrice.count == 3 * once.count)
        // ISO 8601 text sorts by time.
        #expect(thrice == thrice.sorted())
        #expect(Set(thrice).count == thrice.count)
        #expect(Array(thrice.prefix(once.count)) == once)
    }

    @Test("Only the selected streams are replayed")
    func streams() throws {
        #expect(try times(["--streams", "motion,battery"]).isEmpty)
        #expect(try times(["--streams", "positions"]) == times([]))
    }

    @Test("With `--at-end fail`, the end of the trace is an error")
    func failure() throws {
        try Tool.expect(
            ["replay", Tool.drive, "location", "--to", "3", "--fault", "nofix@4s"], 64, "begins after --to")
        let result = try Tool.run(["replay", Tool.drive, "location", "--json", "--to", "3", "--at-end", "fail"])
        #expect(result.output.contains("didFailWithError"))
        let plain = try Tool.run(["replay", Tool.drive, "location", "--json", "--to", "3"])
        #expect(!plain.output.contains("didFailWithError"))
    }

    @Test(
        "Invalid arguments are refused",
        arguments: [
            ["--from", "-1"], ["--from", "5", "--to", "4"], ["--max-gap", "0"], ["--loop", "0"], ["--loop", "often"],
            ["--streams", "positions,,motion"], ["--streams", "sounds"], ["--streams", "gyroscope,sensor:a"],
            ["--at-end", "explode"], ["--from", "nan"], ["--to", "nan"],
        ]
    )
    func refuses(arguments: [String]) throws {
        #expect(try Tool.run(["replay", Tool.drive, "location"] + arguments).status == 64)
    }

    @Test("Unknown names are refused with a list of the known names")
    func unknownNames() throws {
        let poses = Tool.traces + "/motion/six-poses.trace"
        for (arguments, part) in [
            ([poses, "accelerometer", "--streams", "sensor:zzz"], "It contains sensor:accelerometer"),
            ([Tool.drive, "location", "--streams", "sensor:zzz"], "It contains no sensors"),
            ([poses, "accelerometer", "--rename", "nosuch=x"], "It contains accelerometer"),
            ([Tool.drive, "location", "--rename", "/dev/other=x"], "It contains /dev/synthetic0"),
        ] {
            let result = try Tool.run(["replay"] + arguments)
            #expect(result.status == 64 && result.notes.contains(part), "\(arguments): \(result.notes)")
        }
        let renamed = try Tool.run(["replay", Tool.drive, "location", "--json", "--rename", "/dev/synthetic0=/dev/gps"])
        #expect(renamed.status == 0 && !renamed.lines.isEmpty)
    }
}
