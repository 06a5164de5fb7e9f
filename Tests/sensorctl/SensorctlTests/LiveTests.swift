// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("sensorctl with a gpsd server", .toolIsBuilt, .waiting)
struct LiveTests {
    private static let path = Tool.traces + "/gpsd/" + "humminbird-M37.log.chk"

    private static func reports() throws -> [String] {
        try String(contentsOfFile: path, encoding: .isoLatin1).split(whereSeparator: \.isNewline).map(String.init)
            .filter { $0.hasPrefix("{") }
    }

    private func locations(_ lines: [String]) -> [String] { lines.filter { $0.contains("didUpdateLocations") } }

    @Test("`watch` prints the same locations as `replay`")
    func watch() throws {
        let replayed = try Tool.run(["replay", Self.path, "location", "--json", "--every-report"])
        let count = locations(replayed.lines).count
        try #require(count == 31)
        // A callback may contain several locations. Each location is compared separately.
        let split = { (lines: [String]) in try ReplayTests.locations(lines).map { $0["timestamp"] as? String } }
        let all = try split(replayed.lines)
        var watched: [String?] = []
        // If a busy machine delays the tool by two seconds, only the newest locations are delivered, as intended. The
        // test tries again.
        for _ in 1...5 where watched != all {
            let server = try FakeGPSD(lines: try Self.reports())
            let result = try Tool.run(
                ["watch", "location", "--json", "--every-report", "--count", "\(count)", "--duration", "20"],
                environment: server.environment)
            // Fewer locations than the requested count were delivered.
            if result.status == 69 { continue }
            #expect(result.status == 0)
            watched = try split(result.lines)
        }
        #expect(watched == all)
    }

    @Test("A recording replays like the original")
    func record() throws {
        let server = try FakeGPSD(lines: try Self.reports())
        let folder = try TemporaryFolder()
        let file = folder.path + "/drive.trace"
        let recorded = try Tool.run(["record", file, "--duration", "5", "--json"], environment: server.environment)
        #expect(recorded.status == 0)
        #expect(recorded.lines.first?.hasPrefix(#"{"event":"started""#) == true)
        #expect(recorded.lines.last?.hasPrefix(#"{"event":"ended""#) == true)
        let original = try Tool.run(["replay", Self.path, "location", "--json", "--every-report"])
        let again = try Tool.run(["replay", file, "location", "--json", "--every-report"])
        #expect(again.status == 0)
        #expect(locations(again.lines) == locations(original.lines))
        // The file exists now.
        let second = try Tool.run(["record", file, "--duration", "0.2"], environment: server.environment)
        #expect(second.status == 73)
        let third = try Tool.run(["record", file, "--duration", "3", "--overwrite"], environment: server.environment)
        #expect(third.status == 0)
    }

    @Test("A recording without data from gpsd exits with status 69")
    func nothingToRecord() throws {
        let folder = try TemporaryFolder()
        let result = try Tool.run(["record", folder.path + "/empty.trace", "--duration", "0.3"])
        #expect(result.status == 69)
    }

    @Test("`list` prints the receivers of a gpsd that answers")
    func list() throws {
        let server = try FakeGPSD(lines: [])
        let result = try Tool.run(["list", "--json"], environment: server.environment)
        #expect(result.status == 0)
        #expect(result.lines.first?.contains(#""reachable":true,"reason":null,"release":"3.22""#) == true)
        #expect(result.lines.contains { $0.hasPrefix(#"{"kind":"receiver","path":"/dev/ttyTest","driver":"Test""#) })
        let text = try Tool.run(["list"], environment: server.environment)
        #expect(text.output.contains("gpsd 3.22 responds"))
        #expect(text.output.contains("environment variable DEVICE_SERVICES_GPSD"))
    }

    @Test("`list` prints the reason if gpsd does not answer, and exits with 0")
    func listWithoutService() throws {
        let result = try Tool.run(["list", "--json"])
        #expect(result.status == 0)
        #expect(result.lines.first?.contains(#""reachable":false"#) == true)
    }

    @Test("`list` prints the problems of the configuration")
    func problems() throws {
        let result = try Tool.run(["list", "--json"], environment: ["DEVICE_SERVICES_GPSD": "ftp://nowhere"])
        #expect(result.status == 0)
        #expect(result.lines.contains { $0.hasPrefix(#"{"kind":"problem","message":"#) })
    }
}
