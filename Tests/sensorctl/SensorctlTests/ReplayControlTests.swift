// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("sensorctl replay, what is played", .toolIsBuilt, .waiting)
struct ReplayControlTests {
    /// The times of all locations.
    private func times(_ arguments: [String]) throws -> [String] {
        let result = try Tool.run(["replay", Tool.drive, "location", "--json"] + arguments)
        #expect(result.status == 0)
        return try ReplayTests.locations(result.lines).map { try #require($0["timestamp"] as? String) }
    }

    @Test("A part of a trace is what its whole holds there")
    func part() throws {
        let all = try times([])
        let part = try times(["--from", "60", "--to", "90"])
        #expect(!part.isEmpty && part.count < all.count)
        let first = try #require(all.firstIndex(of: part[0]))
        #expect(Array(all[first..<first + part.count]) == part)
    }

    @Test("Each round has as many locations, at times that rise")
    func loop() throws {
        let once = try times(["--to", "20"])
        let thrice = try times(["--to", "20", "--loop", "3"])
        #expect(thrice.count == 3 * once.count)
        // Text in ISO 8601 sorts like time.
        #expect(thrice == thrice.sorted())
        #expect(Set(thrice).count == thrice.count)
        #expect(Array(thrice.prefix(once.count)) == once)
    }

    @Test("What was not chosen is not there")
    func streams() throws {
        #expect(try times(["--streams", "motion,battery"]).isEmpty)
        #expect(try times(["--streams", "positions"]) == times([]))
    }

    @Test("The end of the trace can be a failure")
    func failure() throws {
        let late = try Tool.run(["replay", Tool.drive, "location", "--to", "3", "--fault", "nofix@4s"])
        #expect(late.status == 64 && late.notes.contains("begins behind --to"))
        let result = try Tool.run(["replay", Tool.drive, "location", "--json", "--to", "3", "--at-end", "fail"])
        #expect(result.output.contains("didFailWithError"))
        let plain = try Tool.run(["replay", Tool.drive, "location", "--json", "--to", "3"])
        #expect(!plain.output.contains("didFailWithError"))
    }

    @Test(
        "What makes no sense is refused",
        arguments: [
            ["--from", "-1"], ["--from", "5", "--to", "4"], ["--max-gap", "0"], ["--loop", "0"], ["--loop", "often"],
            ["--streams", "positions,,motion"], ["--streams", "sounds"], ["--streams", "gyroscope,sensor:a"],
            ["--at-end", "explode"], ["--from", "nan"], ["--to", "nan"],
        ]
    )
    func refuses(arguments: [String]) throws {
        #expect(try Tool.run(["replay", Tool.drive, "location"] + arguments).status == 64)
    }

    @Test("A name that the trace does not have is refused, and those that it has are told")
    func unknownNames() throws {
        let poses = Tool.traces + "/motion/six-poses.trace"
        for (arguments, part) in [
            ([poses, "accelerometer", "--streams", "sensor:zzz"], "it has sensor:accelerometer"),
            ([Tool.drive, "location", "--streams", "sensor:zzz"], "it has none"),
            ([poses, "accelerometer", "--rename", "nosuch=x"], "it has accelerometer"),
            ([Tool.drive, "location", "--rename", "/dev/other=x"], "it has /dev/synthetic0"),
        ] {
            let result = try Tool.run(["replay"] + arguments)
            #expect(result.status == 64 && result.notes.contains(part), "\(arguments): \(result.notes)")
        }
        let renamed = try Tool.run(["replay", Tool.drive, "location", "--json", "--rename", "/dev/synthetic0=/dev/gps"])
        #expect(renamed.status == 0 && !renamed.lines.isEmpty)
    }
}
