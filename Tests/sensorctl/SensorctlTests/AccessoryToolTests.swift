// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import Testing

@Suite(
    "sensorctl with simulated accessories", .toolIsBuilt, .waiting)
struct AccessoryToolTests {
    private static let scale = Tool.traces + "/udev/weigh-scale"
    /// The bytes that the recorded program wrote, and the scale's answers to them.
    private static let questions = "ID?\r\nTARE\r\nSI\r\nS\r\n"
    private static let answers = "Weigh Scale WS-2024 2.10\r\nOK\r\nS D     12.4 g\r\nS S     12.5 g\r\n"

    /// Every byte value, in more data than the buffers on the way can hold.
    private static let manyBytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    /// Runs sensorctl as the child of `sensorctl simulate accessory`.
    private static func run(
        _ file: String, _ options: [String] = [], _ arguments: [String], input: String = "",
        environment: [String: String] = [:]
    ) throws -> Tool.Result {
        try Tool.run(
            ["simulate", "accessory", file] + options + ["--", Tool.path ?? ""] + arguments, environment: environment,
            input: Data(input.utf8))
    }

    /// Writes a file that declares an accessory. The simulator provides the peer for each protocol.
    private static func declare(_ folder: TemporaryFolder, name: String = "Box", protocols: [String]) throws -> String {
        let path = folder.path + "/\(name).json"
        let nodes = protocols.map { #""\#($0)":{"socket":"unused"}"# }.joined(separator: ",")
        try Data(#"{"name":"\#(name)","serial":"7","protocols":{\#(nodes)}}"#.utf8)
            .write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test("`list` shows a simulated accessory with its protocol and node", arguments: [[], ["--pty"]])
    func list(options: [String]) throws {
        let result = try Self.run(Self.scale + ".umockdev", options, ["list", "--json"])
        #expect(result.status == 0)
        let accessory = try #require(
            try Tool.objects(result).first {
                $0["kind"] as? String == "accessory" && $0["name"] as? String == "Weigh Scale"
            })
        #expect(accessory["serial"] as? String == "WS-2024")
        let offered = try #require((accessory["protocols"] as? [[String: Any]])?.first)
        #expect(offered["name"] as? String == "com.example.scale")
        #expect(offered["origin"] as? String == "configuration")
        #expect((offered["node"] as? String)?.hasPrefix(options.isEmpty ? "/" : "/dev/pts/") == true)
        let text = try Self.run(Self.scale + ".umockdev", options, ["list"])
        #expect(text.output.contains("Weigh Scale"))
        #expect(text.output.contains("com.example.scale"))
    }

    @Test("A recorded dialogue is replayed over a socket and a pseudo-terminal", arguments: [[], ["--pty"]])
    func dialogue(options: [String]) throws {
        let result = try Self.run(
            Self.scale + ".umockdev", options, ["talk", "weigh", "scale", "--wait", "6"], input: Self.questions)
        #expect(result.status == 0)
        #expect(result.output == Self.answers)
        #expect(!result.notes.contains("instead of"))
    }

    @Test("Bytes that differ from the recording are reported at the end without changing the exit status")
    func difference() throws {
        let result = try Self.run(Self.scale + ".umockdev", [], ["talk", "weigh"], input: "ID!\r\n")
        #expect(result.status == 0)
        #expect(result.notes.contains(#"received "ID!\r\n" instead of "ID?\r\n""#))
    }

    @Test("`talk --script` repeats a recorded dialogue and exits with 1 at the first different answer")
    func script() throws {
        let same = try Self.run(Self.scale + ".umockdev", [], ["talk", "weigh", "--script", Self.scale + ".script"])
        #expect(same.status == 0)
        #expect(same.output == Self.answers)
        #expect(!same.notes.contains("instead of"))
        let folder = try TemporaryFolder()
        let path = folder.path + "/other.script"
        try Data("w 0 ID?^M^J\nr 20 Weigh Scale WS-2024 2.10^M^J\nw 0 TARE^M^J\nr 40 ON^M^J\n".utf8)
            .write(to: URL(fileURLWithPath: path))
        let other = try Self.run(Self.scale + ".umockdev", [], ["talk", "weigh", "--script", path])
        #expect(other.status == 1)
        // The first answer has 26 bytes.
        #expect(other.notes.contains(#"Step 4, byte 1 (byte 27 of all answers): received "K\r\n" instead of "N\r\n"."#))
        #expect(try Tool.run(["talk", "weigh", "--script", "/nonexistent.script"]).status == 66)
        #expect(try Tool.run(["talk", "weigh", "--script", Tool.root + "/LICENSE"]).status == 65)
        #expect(try Tool.run(["talk", "weigh", "--script", path, "--raw"]).status == 64)
    }

    @Test("An echo returns bytes of every value unchanged", arguments: [[], ["--pty"]])
    func binary(options: [String]) throws {
        let folder = try TemporaryFolder()
        let file = try Self.declare(folder, protocols: ["com.example.echo"])
        let result = try Tool.run(
            ["simulate", "accessory", file] + options + ["--", Tool.path ?? "", "talk", "Box"], input: Self.manyBytes)
        #expect(result.status == 0)
        #expect(result.bytes == Self.manyBytes)
    }

    @Test("With `--json`, each chunk is an object with its text, or with hex digits if it is not text")
    func json() throws {
        let folder = try TemporaryFolder()
        let file = try Self.declare(folder, protocols: ["com.example.echo"])
        let result = try Self.run(file, [], ["talk", "Box", "--json"], input: "12.5 kg\r\n")
        let objects = try Tool.objects(result)
        #expect(objects.first?["event"] as? String == "opened")
        #expect(objects.first?["protocol"] as? String == "com.example.echo")
        let chunks = objects.dropFirst()
        #expect(Set(chunks.compactMap { $0["event"] as? String }) == ["in", "out"])
        for event in ["in", "out"] {
            let text = chunks.filter { $0["event"] as? String == event }.compactMap { $0["text"] as? String }.joined()
            #expect(text == "12.5 kg\r\n")
        }
        #expect(objects.allSatisfy { ($0["time"] as? String)?.hasSuffix("Z") == true })
        let hex = try Self.run(file, [], ["talk", "Box", "--json"], input: "\u{1}")
        #expect(try Tool.objects(hex).contains { $0["event"] as? String == "in" && $0["hex"] as? String == "01" })
    }

    @Test("With `--hex`, both directions are printed as hex dumps")
    func hex() throws {
        let folder = try TemporaryFolder()
        let file = try Self.declare(folder, protocols: ["com.example.echo"])
        let result = try Self.run(file, [], ["talk", "Box", "--hex"], input: "AT\r\n")
        #expect(result.lines.first?.hasSuffix("-- Box, com.example.echo") == true)
        let row = "41 54 0d 0a" + String(repeating: " ", count: 39) + "AT.."
        #expect(result.lines.contains { $0.hasSuffix("> " + row) })
        #expect(result.lines.contains { $0.hasSuffix("< " + row) })
    }

    @Test("Ambiguous and unknown names are refused, and the available names are listed")
    func refusals() throws {
        let folder = try TemporaryFolder()
        let file = try Self.declare(folder, protocols: ["com.example.a", "com.example.b"])
        let several = try Self.run(file, [], ["talk", "Box"])
        #expect(several.status == 64)
        #expect(several.notes.contains("com.example.a, com.example.b"))
        let missing = try Self.run(file, [], ["talk", "Printer", "a"])
        #expect(missing.status == 69)
        #expect(missing.notes.contains("Box"))
        #expect(try Self.run(file, [], ["talk", "Box", "c"]).status == 69)
        #expect(try Tool.run(["talk", "Box", "--wait", "-1"]).status == 64)
        #expect(try Tool.run(["talk", "Box", "--hex", "--json"]).status == 64)
    }

    @Test("`doctor` and `list` report a file that is not valid JSON", arguments: [["list", "--json"], ["doctor"]])
    func brokenFile(arguments: [String]) throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/a.json"
        // Links to this source file, because a file that was just written may still be incomplete.
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: #filePath)
        let result = try Tool.run(arguments, environment: ["DEVICE_SERVICES_ACCESSORIES": folder.path])
        #expect(result.output.contains("a.json is not valid JSON"), "\(result.output)")
    }

    @Test("`watch` prints the connected accessories and each connection and disconnection")
    func watch() throws {
        let tool = try RunningTool([
            "simulate", "accessory", Self.scale + ".trace", "--loop", "--speed", "4", "--", Tool.path ?? "", "watch",
            "accessories", "--json",
        ])
        var callbacks: [String] = []
        while callbacks.count < 4, let line = tool.nextLine() {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            callbacks.append(object["callback"] as? String ?? "")
            guard let accessory = object["accessory"] as? [String: Any] else { continue }
            #expect(accessory["name"] as? String == "Weigh Scale")
            #expect(accessory["protocols"] as? [String] == ["com.example.scale"])
        }
        #expect(callbacks.first == "connectedAccessories")
        // The accessory may or may not be attached at the start. After that, connections and disconnections alternate.
        let changes = callbacks.dropFirst()
        #expect(Set(changes) == ["EAAccessoryDidConnect", "EAAccessoryDidDisconnect"])
        #expect(zip(changes, changes.dropFirst()).allSatisfy { $0 != $1 })
        #expect(tool.end() == 0)
    }

    @Test("Unplugging the accessory ends `talk` with status 69")
    func unplugged() throws {
        let simulator = try RunningTool(["simulate", "accessory", Self.scale + ".umockdev"])
        let folder = try #require(simulator.nextLine())
        let tool = try RunningTool(
            ["talk", "weigh", "--wait", "60", "--json"], environment: ["DEVICE_SERVICES_ACCESSORIES": folder])
        #expect(tool.nextLine()?.contains("opened") == true)
        // A declared accessory stays attached while its file exists.
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix(".json") {
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
        #expect(tool.nextLine()?.contains(#""event":"ended","reason":"detached","unsentBytes":0"#) == true)
        #expect(tool.status() == 69)
        #expect(simulator.end() == 0)
    }

    @Test("With `--follow`, `talk` resumes when the accessory is attached again")
    func follow() throws {
        let tool = try RunningTool([
            "simulate", "accessory", Self.scale + ".trace", "--loop", "--speed", "4", "--", Tool.path ?? "", "talk",
            "WS-2024", "--follow", "--wait", "60", "--json",
        ])
        var events: [String] = []
        while events.count(where: { $0 == "opened" }) < 2, let line = tool.nextLine() {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            events.append(object["event"] as? String ?? "")
        }
        #expect(events.filter { $0 != "in" } == ["opened", "ended", "opened"])
        #expect(tool.end(SIGINT) == 0)
    }

    @Test("`talk --record` writes a trace that the simulator replays, and refuses to overwrite a file")
    func record() throws {
        let folder = try TemporaryFolder()
        let trace = folder.path + "/scale.trace"
        let first = try Self.run(
            Self.scale + ".umockdev", [], ["talk", "weigh", "--record", trace, "--wait", "6"], input: Self.questions)
        #expect(first.status == 0)
        #expect(first.output == Self.answers)
        let text = try String(contentsOfFile: trace, encoding: .utf8)
        for key in [#""attach":"#, #""open":"#, #""out":"#, #""in":"#] { #expect(text.contains(key), "\(key)") }
        let second = try Self.run(trace, [], ["talk", "weigh", "--follow", "--wait", "6"], input: Self.questions)
        #expect(second.status == 0)
        #expect(second.output == Self.answers)
        #expect(!second.notes.contains("the recording has"))
        #expect(try Tool.run(["replay", trace, "accessories"]).output.contains("Weigh Scale"))
        // The file exists now.
        let third = try Self.run(Self.scale + ".umockdev", [], ["talk", "weigh", "--record", trace])
        #expect(third.status == 73)
    }

    @Test("`replay` prints the callbacks of a trace")
    func replay() throws {
        let result = try Tool.run(["replay", Self.scale + ".trace", "accessories", "--json"])
        #expect(result.status == 0)
        let objects = try Tool.objects(result)
        #expect(
            objects.compactMap { $0["callback"] as? String } == [
                "connectedAccessories", "EAAccessoryDidConnect", "EAAccessoryDidDisconnect",
            ])
        // The trace attaches the accessory 0.2 s and detaches it 3 s after its start at 10:00.
        #expect(
            objects.dropFirst().compactMap { $0["time"] as? String } == [
                "2026-05-01T10:00:00.200Z", "2026-05-01T10:00:03.000Z",
            ])
        let without = try Tool.run(["replay", Tool.sixPoses, "accessories"])
        #expect(without.notes.contains("contains no accessory"))
    }

    @Test("`record` writes attached and detached accessories to a trace")
    func recordChanges() throws {
        let folder = try TemporaryFolder()
        let trace = folder.path + "/changes.trace"
        let tool = try RunningTool([
            "simulate", "accessory", Self.scale + ".trace", "--loop", "--speed", "4", "--", Tool.path ?? "", "record",
            trace, "--parts", "accessories", "--json",
        ])
        var events: [String] = []
        while !events.contains("detached"), let line = tool.nextLine() {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            events.append(object["event"] as? String ?? "")
            if let accessory = object["accessory"] as? String { #expect(accessory.contains("WS-2024")) }
        }
        #expect(tool.end() == 0)
        #expect(events.first == "started")
        let callbacks = try Tool.run(["replay", trace, "accessories", "--json"])
        #expect(callbacks.output.contains("EAAccessoryDidConnect"))
        #expect(callbacks.output.contains("EAAccessoryDidDisconnect"))
    }

    @Test("A closed pipe and a signal end `talk` without an error")
    func ends() throws {
        let folder = try TemporaryFolder()
        let file = try Self.declare(folder, protocols: ["com.example.flood"])
        let pipe = try Tool.shell(
            #""$0" simulate accessory "$1" --peer pattern -- "$0" talk Box --wait 60 | head -c 5 >/dev/null; echo "${PIPESTATUS[0]}""#,
            [file])
        #expect(pipe.output == "0\n")
        #expect(!pipe.notes.contains("error:"))
        let tool = try RunningTool([
            "simulate", "accessory", file, "--peer", "silent", "--", Tool.path ?? "", "talk", "Box", "--json", "--wait",
            "60",
        ])
        #expect(tool.nextLine()?.contains("opened") == true)
        #expect(tool.end(SIGINT) == 0)
    }

    @Test("`simulate` returns the program's exit status and refuses invalid input")
    func exitCodes() throws {
        let file = Self.scale + ".trace"
        let simulate = ["simulate", "accessory"]
        #expect(try Tool.run(simulate + [file, "--", "sh", "-c", "exit 7"]).status == 7)
        #expect(try Tool.run(simulate + [file, "--", "/nonexistent/program"]).status == 127)
        #expect(try Tool.run(simulate + ["/nonexistent.trace"]).status == 66)
        #expect(try Tool.run(simulate + [Tool.root + "/LICENSE"]).status == 65)
        let udev = Tool.root + "/Simulators/Traces/udev/"
        #expect(try Tool.run(simulate + [udev + "umockdev-sony-xperia-mini-pro.umockdev"]).status == 65)
        let folder = try TemporaryFolder()
        try Data(#"{"name":"Lamp"}"#.utf8).write(to: URL(fileURLWithPath: folder.path + "/lamp.json"))
        #expect(try Tool.run(simulate + [folder.path + "/lamp.json"]).status == 65)
        let long = folder.path + "/" + String(repeating: "x", count: 100)
        try FileManager.default.createDirectory(atPath: long, withIntermediateDirectories: true)
        for parent in ["/nonexistent", long] {
            let result = try Tool.run(simulate + [file, "--", "true"], environment: ["TMPDIR": parent])
            #expect(result.status == 73)
            #expect(result.notes.contains("Set TMPDIR"), "\(result.notes)")
        }
        #expect(try Tool.run(simulate + [file, "--json", "--", "true"]).status == 64)
        #expect(try Tool.run(simulate + [file, "--speed", "0"]).status == 64)
        let json = try Tool.run(simulate + [file, "--json", "--duration", "0.1"])
        #expect(json.status == 0)
        #expect(try Tool.objects(json).first?["event"] as? String == "listening")
    }

    @Test("`doctor` reports working protocols, missing nodes and the process that holds a port")
    func doctor() throws {
        let folder = try TemporaryFolder()
        let configuration = folder.path + "/settings.json"
        try Data(
            #"{"accessories":{"declared":[{"name":"Display","protocols":{"com.example.display":{"tty":"/dev/no-such-port"}}}]}}"#
                .utf8
        ).write(to: URL(fileURLWithPath: configuration))
        let simulator = try RunningTool(["simulate", "accessory", Self.scale + ".umockdev", "--pty"])
        let environment = [
            "DEVICE_SERVICES_ACCESSORIES": try #require(simulator.nextLine()), "DEVICE_SERVICES_CONFIG": configuration,
            "DEVICE_SERVICES_PROTOCOLS": "com.example.other",
        ]
        let free = try Tool.run(["doctor", "--json", "--seconds", "0.1"], environment: environment)
        #expect(Self.finding(free, "com.example.scale at /dev/pts/")?["level"] as? String == "good")
        #expect(Self.finding(free, "/dev/no-such-port does not exist")?["level"] as? String == "problem")
        #expect(Self.finding(free, "Programs may not use com.example.scale")?["level"] as? String == "remark")
        let other = try RunningTool(["talk", "weigh", "--wait", "60", "--json"], environment: environment)
        #expect(other.nextLine()?.contains("opened") == true)
        let held = try Tool.run(["doctor", "--json", "--seconds", "0.1"], environment: environment)
        let finding = try #require(Self.finding(held, "is in use by sensorctl (pid "))
        #expect(finding["level"] as? String == "problem")
        #expect(held.status == 69)
        let second = try Tool.run(["talk", "weigh"], environment: environment)
        // Root can open a terminal in exclusive mode, but the lock applies to root as well.
        #expect(second.status == 69)
        #expect(second.notes.contains("in use"))
        #expect(other.end() == 0)
        #expect(simulator.end() == 0)
    }

    @Test("`doctor` and a second program report the process that holds a simulated socket")
    func socketHolder() throws {
        let simulator = try RunningTool(["simulate", "accessory", Self.scale + ".umockdev"])
        let environment = ["DEVICE_SERVICES_ACCESSORIES": try #require(simulator.nextLine())]
        let other = try RunningTool(["talk", "weigh", "--wait", "60", "--json"], environment: environment)
        #expect(other.nextLine()?.contains("opened") == true)
        let held = try Tool.run(["doctor", "--json", "--seconds", "0.1"], environment: environment)
        let finding = try #require(Self.finding(held, " is connected to sensorctl (pid "), "\(held.output)")
        #expect(finding["level"] as? String == "remark")
        let second = try Tool.run(["talk", "weigh"], environment: environment)
        #expect(second.status == 69)
        #expect(second.notes.contains("is in use by sensorctl, process "), "\(second.notes)")
        #expect(other.end() == 0)
        #expect(simulator.end() == 0)
    }

    private static func finding(_ result: Tool.Result, _ text: String) -> [String: Any]? {
        try? Tool.objects(result).first { ($0["message"] as? String)?.contains(text) == true }
    }

    @Test("`rules` prints the rules file in the sources byte for byte")
    func rules() throws {
        let result = try Tool.run(["rules"])
        #expect(result.status == 0)
        let file = Tool.root + "/Sources/Accessories/UdevSource/udev/65-external-accessory.rules"
        #expect(try result.bytes == Data(contentsOf: URL(fileURLWithPath: file)))
    }
}
