// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import Testing

@Suite("sensorctl simulate gpsd", .toolIsBuilt, .waiting)
struct SimulateGPSDTests {
    private static func simulate(_ more: [String]) throws -> Tool.Result {
        try Tool.run(["simulate", "gpsd", Tool.drive] + more)
    }

    @Test("The program receives the address, and its exit code is returned")
    func program() throws {
        let result = try Self.simulate(["--", "sh", "-c", #"echo "$DEVICE_SERVICES_GPSD"; exit 7"#])
        #expect(result.status == 7)
        #expect(result.lines.first?.hasPrefix("gpsd://127.0.0.1:") == true)
    }

    @Test("With `--pty`, the program receives the path of a terminal")
    func terminal() throws {
        let result = try Self.simulate([
            "--pty", "--speed", "max", "--", "sh", "-c",
            #"head -n 3 <"$NMEA_TERMINAL" | tr -d "\r"; echo "$NMEA_TERMINAL""#,
        ])
        #expect(result.status == 0)
        #expect(result.lines.count == 4)
        #expect(result.lines.prefix(3).allSatisfy { $0.hasPrefix("$") && $0.contains("*") })
        #expect(result.lines.last?.hasPrefix("/dev/pts/") == true)
    }

    @Test("With `--json`, the address is one object")
    func json() throws {
        let object = try #require(try Tool.objects(Self.simulate(["--duration", "0.1", "--json"])).first)
        let port = try #require(object["port"] as? Int)
        #expect(object["event"] as? String == "listening")
        #expect(object["uri"] as? String == "gpsd://127.0.0.1:\(port)")
        let path = try #require(try Tool.objects(Self.simulate(["--duration", "0.1", "--json", "--pty"])).first)
        #expect((path["path"] as? String)?.hasPrefix("/dev/pts/") == true)
    }

    @Test("`watch` receives the locations of a simulated drive")
    func watch() throws {
        let tool = try #require(Tool.path)
        let result = try Self.simulate([
            "--speed", "20", "--rebase", "--", tool, "watch", "location", "--count", "5", "--duration", "60", "--json",
        ])
        #expect(result.status == 0)
        // On a busy machine, a callback may contain several locations.
        let counts = try Tool.objects(result).map { ($0["locations"] as? [Any])?.count ?? 0 }
        #expect(counts.reduce(0, +) == 5)
    }

    @Test("Invalid arguments result in status 64, unusable files in 65 or 66")
    func refusals() throws {
        for more in [
            ["--fault", "nonsense"], ["--fault", "unplug@1d"], ["--speed", "0"], ["--port", "70000"],
            ["--duration", "-1"], ["--json", "--", "true"], ["--pty", "--port", "5"], ["--receiver", "/dev/a"],
        ] {
            let result = try Self.simulate(more)
            #expect(result.status == 64, "\(more)")
            #expect(!result.notes.isEmpty)
        }
        #expect(try Tool.run(["simulate", "gpsd", "/etc/passwd"]).status == 65)
        #expect(try Tool.run(["simulate", "gpsd", "/nonexistent"]).status == 66)
    }

    @Test("A port in use results in status 69")
    func takenPort() throws {
        let first = try RunningTool(["simulate", "gpsd", Tool.drive, "--json"])
        let line = try #require(first.nextLine())
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        let port = try #require(object?["port"] as? Int)
        let second = try Self.simulate(["--port", "\(port)"])
        #expect(second.status == 69)
        #expect(second.notes.contains("port \(port)"))
        #expect(first.end() == 0)
    }
}
