// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import TestSupport
import Testing

@Suite("sensorctl publish", .toolIsBuilt, .waiting)
struct PublishTests {
    #if LibMosquitto
    private static let hasTrait = true
    #else
    private static let hasTrait = false
    #endif

    private static let broker = ["/usr/sbin/mosquitto", "/usr/bin/mosquitto", "/usr/local/sbin/mosquitto"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test(
        "Invalid arguments are refused, and a password is not printed",
        arguments: [
            ["h"], ["gpsd://h"], ["mqtt://h/topic"], ["mqtt://name:hunter2@h"], ["mqtt://h", "--motion", "light"],
            ["mqtt://h", "--ca-file", "x"], ["mqtt://h", "--rebase"], ["mqtt://h", "--speed", "2"],
            ["mqtt://h", "--interval", "-1"], ["mqtt://h", "--duration", "0"],
        ])
    func arguments(_ words: [String]) throws {
        let result = try Tool.run(["publish"] + words)
        #expect(result.status == 64)
        #expect(!result.notes.contains("hunter2"))
    }

    @Test("A build without the trait prints how to enable it", .enabled(if: !hasTrait, "this build has the trait"))
    func absent() throws {
        let result = try Tool.run(["publish", "mqtt://127.0.0.1:1", "--user", "u", "--device", "d"])
        #expect(result.status == 69 && result.notes.contains("--traits default,LibMosquitto"))
        #expect(!(result.output + result.notes).contains("publishing on"))
    }

    @Test(
        "An invalid topic, a password file that others may read and a certificate without a key are refused",
        .enabled(if: hasTrait, "this build has the trait LibMosquitto off"))
    func settings() throws {
        let folder = try TemporaryFolder()
        let password = folder.path + "/password"
        try Data("a:hunter2\n".utf8).write(to: URL(fileURLWithPath: password))
        chmod(password, 0o644)
        for words in [
            ["mqtt://h", "--topic", "a/#"], ["mqtt://h", "--user", "a b"], ["mqtts://h", "--certificate-file", "c"],
            ["mqtt://h", "--keep-alive", "1"],
        ] { #expect(try Tool.run(["publish"] + words).status == 64, "\(words)") }
        let result = try Tool.run(["publish", "mqtt://h", "--password-file", password])
        #expect(result.status == 73 && result.notes.contains("chmod 600") && !result.notes.contains("hunter2"))
    }

    @Test(
        "Positions stay in the spool while the broker is unreachable, and the next run adds to them",
        .enabled(if: hasTrait, "this build has the trait LibMosquitto off"))
    func spools() throws {
        let folder = try TemporaryFolder()
        let spool = folder.path + "/spool"
        let words = [
            "publish", "mqtt://127.0.0.1:1", "--user", "u", "--device", "d", "--spool", spool, "--trace", Tool.drive,
            "--speed", "20", "--duration", "2", "--json",
        ]
        for run in 1...2 {
            let result = try Tool.run(words)
            #expect(result.status == 69)
            #expect(result.lines.contains { $0.contains(#""event":"lost""#) && $0.contains("127.0.0.1:1") })
            let end = result.lines.last.flatMap {
                try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
            #expect(end?["event"] as? String == "ended" && end?["delivered"] as? Int == 0)
            let published = end?["published"] as? Int ?? 0
            #expect(published > 0 && end?["waiting"] as? Int ?? 0 >= run * published / 2)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: spool).sorted()
        let texts = try names.map { try String(contentsOfFile: "\(spool)/\($0)", encoding: .utf8) }
        let lines = texts.joined().split(separator: "\n")
        #expect(lines.allSatisfy { $0.contains(#" P owntracks/u/d {"_type":"location","tid":"d","lat":"#) })
    }

    @Test(
        "A drive published by one board is received by another board",
        .enabled(if: hasTrait && broker != nil, "this needs mosquitto, and the trait LibMosquitto"))
    func followed() throws {
        let port = try FreePort.next()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.broker ?? "")
        // Without a configuration, mosquitto accepts local connections only.
        process.arguments = ["-p", "\(port)"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        let address = "mqtt://127.0.0.1:\(port)"
        let subscriber = try RunningTool(
            ["watch", "location", "--json", "--count", "5"],
            environment: ["DEVICE_SERVICES_GPSD": address + "/owntracks/fleet/car7"])
        let board = try RunningTool([
            "publish", address, "--user", "fleet", "--device", "car7", "--trace", Tool.drive, "--rebase", "--json",
        ])
        var fixes: [String] = []
        while fixes.count < 5, let line = subscriber.nextLine() {
            if line.contains(#""callback":"didUpdateLocations""#) { fixes.append(line) }
        }
        // The drive starts at this latitude.
        #expect(fixes.count == 5 && fixes.allSatisfy { $0.contains(#""latitude":46.5"#) })
        #expect(subscriber.status() == 0)
        #expect(board.end() == 0)
    }
}
