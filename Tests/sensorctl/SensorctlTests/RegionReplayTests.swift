// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import sensorctl

@Suite("sensorctl replay of regions and visits", .toolIsBuilt, .waiting)
struct RegionReplayTests {
    /// A drive of 600 m to the center at 10 m/s, a stay of seven minutes, and the drive onward.
    private static func trace(in folder: TemporaryFolder) throws -> String {
        let lines = (0..<540).map { second -> String in
            let metres = Double(min(second, 60) + max(0, second - 480)) * 10 - 600
            let time = String(format: "2026-05-01T10:%02d:%02d.000Z", second / 60, second % 60)
            return
                "{\"class\":\"TPV\",\"mode\":3,\"time\":\"\(time)\",\"lat\":\(48.137 + metres / 111_200),\"lon\":11.575,\"eph\":4,\"speed\":\(60..<480 ~= second ? 0 : 10)}"
        }
        let path = folder.path + "/drive.chk"
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func objects(_ arguments: [String]) throws -> [[String: Any]] {
        let folder = try TemporaryFolder()
        let path = try Self.trace(in: folder)
        let result = try Tool.run(["replay", path] + arguments + ["--json"])
        #expect(result.status == 0 && result.notes.isEmpty)
        return try result.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test("Entry and exit of a region have the times of the border crossings", arguments: ["regions", "monitor"])
    func crossings(stream: String) throws {
        let objects = try objects([stream, "--region", "home=48.137,11.575,200"])
        let crossings = objects.filter { $0["callback"] as? String != "didDetermineState" }
        // The device is 200 m before the center at second 40. At second 500 it is 200 m behind the center, exactly on
        // the border, so the exit is at second 501.
        #expect(crossings.map { $0["callback"] as? String } == ["didEnterRegion", "didExitRegion"])
        #expect(crossings.map { $0["state"] as? String } == ["inside", "outside"])
        #expect(
            crossings.map { $0["timestamp"] as? String } == ["2026-05-01T10:00:40.000Z", "2026-05-01T10:08:21.000Z"])
        #expect(objects.allSatisfy { $0["region"] as? String == "home" })
        #expect(objects.first?["callback"] as? String == "didDetermineState")
        #expect(objects.count == (stream == "regions" ? 5 : 3))
    }

    @Test("A visit is delivered on arrival and on departure")
    func visits() throws {
        let visits = try objects(["visits"])
        #expect(visits.map { $0["arrivalDate"] as? String } == Array(repeating: "2026-05-01T10:01:00.000Z", count: 2))
        #expect(visits[0]["departureDate"] is NSNull)
        #expect((visits[1]["departureDate"] as? String)?.hasPrefix("2026-05-01T10:08:0") == true)
        #expect(visits[0]["latitude"] as? Double == 48.137 && visits[0]["horizontalAccuracy"] as? Double == 4)
    }

    @Test("Region arguments are parsed, and invalid arguments are refused")
    func arguments() throws {
        let region = try #require(NamedRegion(argument: "a=b=-48.5,11,2e2"))
        #expect(region.name == "a=b" && region.radius == 200 && region.argument.contains("-48.5"))
        for text in [
            "", "a", "=1,2,3", "a=1,2", "a=1,2,3,4", "a=91,2,3", "a=1,2,0", "a=1,2,nan", "a=1,2,2128001", "a=x,2,3",
        ] { #expect(NamedRegion(argument: text) == nil, "\(text)") }
        for arguments in [
            ["regions"], ["monitor"], ["location", "--region", "a=1,2,3"],
            ["regions", "--region", "a=1,2,3", "--region", "a=1,2,4"],
        ] { try Tool.expect(["replay", Tool.drive] + arguments, 64, "egion") }
    }
}
