// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import Testing
import Trace

private let canMount: Bool = {
    guard geteuid() == 0 else { return false }
    let result = try? Tool.shell("exec unshare -m mount -t tmpfs none /mnt")
    return result?.status == 0
}()

@Suite("sensorctl record --ring", .toolIsBuilt, .waiting)
struct BlackBoxToolTests {
    /// A simulated gpsd that repeats a drive at ten reports per second, and a factory of recorders for it.
    private final class Board {
        let folder: TemporaryFolder
        private let server: RunningTool
        let uri: String

        init() throws {
            folder = try TemporaryFolder()
            server = try RunningTool(["simulate", "gpsd", Tool.drive, "--speed", "10", "--loop"])
            uri = try #require(server.nextLine())
        }

        deinit { server.send(signal: SIGTERM) }

        var environment: [String: String] { ["DEVICE_SERVICES_GPSD": uri] }

        func record(_ more: [String], to name: String = "", isOutputFull: Bool = false) throws -> RunningTool {
            try RunningTool(
                ["record", folder.path + name, "--parts", "position", "--ring", "60s", "--json"] + more,
                environment: environment, isOutputFull: isOutputFull)
        }

        var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted() }

        /// The total size of all segments, in bytes.
        var ringSize: Int {
            let ring = folder.path + "/.ring"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: ring)) ?? []
            return names.reduce(0) { sum, name in
                sum + ((try? FileManager.default.attributesOfItem(atPath: ring + "/" + name)[.size] as? Int) ?? 0)
            }
        }

        /// Waits until the ring has at least `count` bytes.
        func wait(forBytes count: Int) throws { try wait(in: "/.ring") { ringSize >= count } }

        /// Waits until the directory contains a matching file name.
        func wait(forName isExpected: (String) -> Bool) throws { try wait { names.contains(where: isExpected) } }

        /// Checks the condition after each change in a directory. Fails after 60 s without a change.
        private func wait(in name: String = "", until isDone: () -> Bool) throws {
            let descriptor = inotify_init1(Int32(IN_CLOEXEC))
            defer { close(descriptor) }
            let changes = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)
            try #require(inotify_add_watch(descriptor, folder.path + name, changes) >= 0)
            var received = [UInt8](repeating: 0, count: 4096)
            while !isDone() {
                var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                try #require(poll(&event, 1, 60_000) == 1, "nothing happens in \(folder.path)\(name)")
                _ = read(descriptor, &received, received.count)
            }
        }
    }

    private static func event(_ tool: RunningTool, _ name: String) throws -> [String: Any] {
        while let line = tool.nextLine() {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            if object?["event"] as? String == name { return object ?? [:] }
        }
        Issue.record("no event \(name)")
        return [:]
    }

    /// The number of events in a trace. The trace must parse without warnings.
    private static func events(_ path: String) throws -> Int {
        let file = try TraceFile(path: path)
        #expect(file.format == .native)
        return file.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(file)
            var count = 0
            while cursor.next(bytes) != nil { count += 1 }
            #expect(cursor.warningCount == 0)
            return count
        }
    }

    @Test("SIGUSR1 saves a trace each time, and SIGTERM deletes the ring")
    func signal() throws {
        let board = try Board()
        let tool = try board.record(["--after", "1s"])
        _ = try Self.event(tool, "started")
        try board.wait(forBytes: 3000)
        var traces: [String] = []
        for _ in 0..<2 {
            tool.send(signal: SIGUSR1)
            #expect(try Self.event(tool, "triggered")["trigger"] as? String == "signal")
            let saved = try Self.event(tool, "saved")
            #expect(saved["leftover"] as? Bool == false)
            #expect(saved["triggers"] as? [String] == ["signal"])
            let path = try #require(saved["file"] as? String)
            #expect(try Self.events(path) > 0)
            traces.append(path)
        }
        #expect(Set(traces).count == 2)
        #expect(tool.end() == 0)
        #expect(board.names.count == 2)
        #expect(board.names.allSatisfy { $0.hasSuffix(".trace") && $0.contains("Z-signal") })
        // The saved trace replays like any other.
        let replayed = try Tool.run(["replay", traces[0], "location", "--json"])
        #expect(replayed.status == 0)
        #expect(replayed.lines.count { $0.contains("didUpdateLocations") } > 0)
    }

    @Test("SIGTERM right after SIGUSR1 still saves the requested trace", arguments: 1...8)
    func signalAndEnd(round: Int) throws {
        let board = try Board()
        let tool = try board.record(["--after", "1s"])
        _ = try Self.event(tool, "started")
        try board.wait(forBytes: 3000)
        tool.send(signal: SIGUSR1)
        #expect(tool.end() == 0)
        #expect(board.names.count == 1 && board.names.allSatisfy { $0.contains("Z-signal") }, "\(board.names)")
    }

    @Test("A full pipe on standard output delays neither saving nor the exit")
    func withoutReader() throws {
        let board = try Board()
        let tool = try board.record(["--after", "1s"], isOutputFull: true)
        try board.wait { $0 == ".ring" }
        try board.wait(forBytes: 3000)
        tool.send(signal: SIGUSR1)
        try board.wait { $0.hasSuffix("Z-signal.trace") }
        #expect(tool.end() == 0)
        #expect(board.names.count == 1)
    }

    @Test("After a SIGKILL, the next run saves the contents of the ring")
    func killed() throws {
        let board = try Board()
        let first = try board.record(["--sync", "never"])
        _ = try Self.event(first, "started")
        try board.wait(forBytes: 20_000)
        first.send(signal: SIGKILL)
        #expect(first.status() == -SIGKILL)
        let left = board.ringSize
        #expect(left >= 20_000)
        let second = try board.record(["--on", "end"])
        // Recording starts before the leftover ring is saved.
        _ = try Self.event(second, "started")
        let saved = try Self.event(second, "saved")
        #expect(saved["leftover"] as? Bool == true)
        let path = try #require(saved["file"] as? String)
        #expect(path.hasSuffix("-leftover.trace"))
        // The trace contains all events; only segment headers are missing.
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        #expect(size > left * 3 / 4)
        #expect(try Self.events(path) == saved["events"] as? Int)
        try board.wait(forBytes: 3000)
        second.send(signal: SIGINT)
        #expect(try Self.event(second, "saved")["triggers"] as? [String] == ["end"])
        #expect(second.status() == 0)
        #expect(board.names.count == 2)
    }

    @Test("A lost fix saves a trace to the given file")
    func lostFix() async throws {
        let folder = try TemporaryFolder()
        let server = try RunningTool(["simulate", "gpsd", Tool.drive, "--speed", "10", "--fault", "kill@3s", "--json"])
        let line = try #require(server.nextLine())
        let uri = (try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["uri"] as? String ?? ""
        let tool = try RunningTool(
            [
                "record", folder.path + "/drive.trace", "--parts", "position", "--ring", "1m", "--on", "lost-fix",
                "--after", "1s", "--json",
            ], environment: ["DEVICE_SERVICES_GPSD": uri])
        #expect(try Self.event(tool, "triggered")["trigger"] as? String == "lost-fix")
        #expect(try Self.event(tool, "saved")["file"] as? String == folder.path + "/drive.trace")
        #expect(tool.end() == 0)
        server.send(signal: SIGTERM)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["drive.trace"])
        let text = try String(contentsOfFile: folder.path + "/drive.trace", encoding: .utf8)
        #expect(text.contains(#""event":"lost-fix""#))
        #expect(text.contains(#""lost":{"code""#))
    }

    @Test("A receiver that falls silent triggers `lost-fix` after the given time, whether or not gpsd reports it")
    func silentReceiver() throws {
        let folder = try TemporaryFolder()
        let server = try RunningTool(["simulate", "gpsd", Tool.drive, "--speed", "10", "--fault", "unplug@3s"])
        let uri = try #require(server.nextLine())
        let tool = try RunningTool(
            [
                "record", folder.path, "--parts", "battery", "--ring", "1m", "--on", "lost-fix>2s,speed>1km/h",
                "--after", "1s", "--json",
            ], environment: ["DEVICE_SERVICES_GPSD": uri])
        #expect(try Self.event(tool, "triggered")["trigger"] as? String == "speed>1km/h")
        #expect(try Self.event(tool, "triggered")["trigger"] as? String == "lost-fix>2s")
        #expect(tool.end() == 0)
        server.send(signal: SIGTERM)
    }

    @Test("An acceleration above the threshold saves a trace", .enabled(if: Tool.readsSensors, "built without libiio"))
    func impact() throws {
        let folder = try TemporaryFolder()
        let server = try RunningTool(["simulate", "iio", Tool.csv("flat-face-up"), "--loop"])
        let uri = try #require(server.nextLine())
        let tool = try RunningTool(
            [
                "record", folder.path, "--parts", "motion", "--ring", "1m", "--on", "fall,impact>5m/s2", "--after",
                "1s", "--json",
            ], environment: ["DEVICE_SERVICES_IIO": uri])
        // A device at rest measures 9.8 m/s² and does not fall.
        #expect(try Self.event(tool, "triggered")["trigger"] as? String == "impact>5m/s2")
        let path = try #require(try Self.event(tool, "saved")["file"] as? String)
        #expect(path.hasSuffix("-impact-5m-s2.trace"))
        #expect(try Self.events(path) > 0)
        #expect(tool.end() == 0)
        #expect(server.end() == 0)
    }

    @Test(
        "SIGUSR1 during the search for sensors also triggers", .enabled(if: Tool.readsSensors, "built without libiio"))
    func earlySignal() throws {
        let folder = try TemporaryFolder()
        // A server that accepts connections without answering, which delays the search for sensors.
        let server = try SilentServer()
        let tool = try RunningTool(
            ["record", folder.path, "--parts", "motion", "--ring", "60s", "--json"],
            environment: ["DEVICE_SERVICES_IIO": "ip:127.0.0.1:\(server.port)"])
        try server.waitForClient()
        tool.send(signal: SIGUSR1)
        server.end()
        _ = try Self.event(tool, "started")
        #expect(try Self.event(tool, "triggered")["trigger"] as? String == "signal")
        #expect(tool.end() == 0)
    }

    @Test("Triggers that depend on the position need location permission", arguments: ["speed>1km/h", "lost-fix"])
    func denied(event: String) throws {
        let folder = try TemporaryFolder()
        let result = try Tool.run(
            ["record", folder.path, "--parts", "battery", "--ring", "1m", "--on", event, "--duration", "60"],
            environment: ["DEVICE_SERVICES_LOCATION": "deny"])
        #expect(result.status == 77)
        #expect(result.notes.contains("does not allow the use of the position"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("Triggers without a matching sensor are reported at the start")
    func noAccelerometer() throws {
        let folder = try TemporaryFolder()
        let result = try Tool.run(
            [
                "record", folder.path, "--parts", "battery", "--ring", "1m", "--on", "unplugged,shake,impact>4g",
                "--duration", "0.1",
            ], environment: ["DEVICE_SERVICES_IIO": "ip:127.0.0.1:1"])
        #expect(result.notes.contains("There is no accelerometer: until one is found, shake, impact>4g cannot"))
    }

    @Test("A file size limit ends the recording with one error, and the next run saves the ring")
    func fullDisk() throws {
        let board = try Board()
        // The limit is 8 blocks of 1024 bytes per file. SIGXFSZ is ignored, as in services.
        let line = """
            trap '' XFSZ; ulimit -f 8; exec "$0" record "$1" --parts position --ring 1h --sync never
            """
        let limited = try Tool.shell("export DEVICE_SERVICES_GPSD='\(board.uri)'; " + line, [board.folder.path])
        #expect(limited.status == 74)
        #expect(limited.notes.split(separator: "\n").count { $0.contains("error:") } == 1, "\(limited.notes)")
        #expect(limited.notes.contains("has reached the maximum file size"))
        #expect(board.ringSize >= 8192)
        let next = try board.record(["--on", "end"])
        let saved = try Self.event(next, "saved")
        #expect(saved["leftover"] as? Bool == true)
        #expect(try Self.events(try #require(saved["file"] as? String)) > 5)
        #expect(next.end() == 0)
    }

    @Test(
        "A full disk ends the recording with one error and keeps the segments",
        .enabled(if: canMount, "no tmpfs can be mounted"))
    func fullFileSystem() throws {
        let board = try Board()
        let line = """
            export DEVICE_SERVICES_GPSD='\(board.uri)'
            exec unshare -m sh -c 'mount -t tmpfs -o size=64k none "$1" &&
                "$0" record "$1" --parts position --ring 1h --ring-size 1M; s=$?; ls "$1/.ring" | wc -l; exit $s' "$0" "$1"
            """
        let result = try Tool.shell(line, [board.folder.path])
        #expect(result.status == 74)
        #expect(result.notes.split(separator: "\n").count { $0.contains("error:") } == 1, "\(result.notes)")
        #expect(result.notes.contains("There is no space left"))
        #expect(Int(result.lines.last ?? "") == 1)
    }

    @Test(
        "A full disk delays only the saving of a leftover ring, not the recording",
        .enabled(if: canMount, "no tmpfs can be mounted"))
    func noRoom() throws {
        let board = try Board()
        let former = board.folder.path + "/former"
        var text = #"{"format":"device-services-trace","version":1,"ring":{"segment":1,"state":0}}"# + "\n"
        for second in 0..<20_000 { text += #"{"t":\#(second).000000000,"accelerometer":[0.5,0.25,9.8]}"# + "\n" }
        try Data(text.utf8).write(to: URL(fileURLWithPath: former))
        // A file system of 4 MiB with a filler of 2 MiB and a leftover ring of 1 MiB.
        let line = """
            export DEVICE_SERVICES_GPSD='\(board.uri)'
            exec unshare -m sh -c 'mkdir "$1/disk" && mount -t tmpfs -o size=4m none "$1/disk" && cd "$1/disk" &&
                mkdir .ring && cp ../former .ring/segment-00000001.trace && head -c 2097152 /dev/zero > filler &&
                "$0" record . --parts position --ring 1h --duration 1 --json; echo "status $?"; ls -A . .ring
                rm filler; "$0" record . --parts position --ring 1h --duration 1 --json; ls -A' "$0" "$1"
            """
        let result = try Tool.shell(line, [board.folder.path])
        let (start, end) = try #require(
            result.lines.firstIndex(of: ".:").map { (result.lines[..<$0], result.lines[$0...]) })
        #expect(start.contains { $0.contains(#""event":"started""#) })
        #expect(start.contains { $0.contains(#""event":"ended""#) })
        #expect(!start.contains { $0.contains(#""event":"saved""#) })
        #expect(end.contains("former-1-segment-00000001.trace"))
        #expect(end.contains { $0.contains(#""leftover":true"#) && $0.contains(#""events":20000"#) })
        #expect(end.last == "undated-leftover.trace")
        #expect(result.notes.contains("There is not enough free space to save an earlier recording: one segment in "))
    }

    @Test("A second recorder of the same ring exits with status 69, and invalid arguments with 64")
    func refusals() throws {
        let board = try Board()
        let tool = try board.record([])
        _ = try Self.event(tool, "started")
        let second = try Tool.run(
            ["record", board.folder.path, "--parts", "position", "--ring", "60s"], environment: board.environment)
        #expect(second.status == 69)
        #expect(second.notes.contains("Another recorder uses the ring"))
        #expect(tool.end() == 0)
        for more in [
            ["--on", "shake"], ["--after", "3s"], ["--ring-size", "4M"], ["--sync", "never"], ["--ring", "never"],
            ["--ring", "10m", "--on", "impact"], ["--ring", "10m", "--sync", "always"], ["--ring", "0s"],
            ["--ring", "0x10m"], ["--ring", "10m", "--ring-size", "1K"], ["--ring", "10m", "--overwrite"],
        ] {
            let result = try Tool.run(["record", "/nonexistent/x"] + more)
            #expect(result.status == 64, "\(more)")
            #expect(!result.notes.isEmpty)
        }
        #expect(try Tool.run(["record", "-", "--ring", "10m"]).status == 64)
        #expect(try Tool.run(["record", "/nonexistent/x.trace", "--ring", "10m"]).status == 73)
    }
}
