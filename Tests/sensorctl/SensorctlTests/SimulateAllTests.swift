// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import Testing

@Suite(
    "sensorctl simulate TRACE...", .toolIsBuilt, .waiting,
    .timeLimit(.minutes(10)))
struct SimulateAllTests {
    private static let scale = Tool.traces + "/udev/weigh-scale.trace"

    /// Runs `simulate` with its own temporary directory, which must be empty afterwards.
    private static func simulate(
        _ files: [String], _ more: [String] = [], environment: [String: String] = [:], input: Data? = nil
    ) throws -> Tool.Result {
        let folder = try TemporaryFolder()
        let result = try Tool.run(
            ["simulate"] + files + more, environment: environment.merging(["TMPDIR": folder.path]) { $1 }, input: input)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        return result
    }

    @Test("The exit code of the program is returned", arguments: [0, 7, 255])
    func exitCode(code: Int32) throws {
        #expect(try Self.simulate([Tool.sixPoses], ["--", "sh", "-c", "exit \(code)"]).status == code)
    }

    @Test("A program ended by a signal results in 128 plus the signal number, a missing program in 127")
    func otherEnds() throws {
        #expect(try Self.simulate([Tool.sixPoses], ["--", "sh", "-c", "kill -9 $$"]).status == 137)
        let none = try Self.simulate([Tool.sixPoses], ["--", "/nonexistent/program"])
        #expect(none.status == 127)
        #expect(none.notes.contains("cannot be started"))
    }

    @Test("The program receives all addresses, its own arguments and standard input")
    func environment() throws {
        let result = try Self.simulate(
            [Tool.sixPoses, Self.scale],
            [
                "--align", "start", "--", "sh", "-c", #"env | grep ^DEVICE_SERVICES_ | sort; echo "$@"; cat"#, "sh",
                "-x",
            ], input: Data("input\n".utf8))
        #expect(result.status == 0)
        let starts = [
            "DEVICE_SERVICES_ACCESSORIES=/", "DEVICE_SERVICES_CONFIG=/", "DEVICE_SERVICES_GPSD=gpsd://127.0.0.1:",
            "DEVICE_SERVICES_IIO=ip:127.0.0.1:", "DEVICE_SERVICES_STATE=/", "DEVICE_SERVICES_UDEV=off", "-x", "input",
        ]
        #expect(result.lines.count == starts.count)
        for (line, start) in zip(result.lines, starts) { #expect(line.hasPrefix(start), "\(line)") }
    }

    @Test("A configuration that is already set is kept")
    func configuration() throws {
        let result = try Self.simulate(
            [Tool.sixPoses], ["--", "sh", "-c", "echo $DEVICE_SERVICES_CONFIG"],
            environment: ["DEVICE_SERVICES_CONFIG": "/etc/mine.json"])
        #expect(result.lines == ["/etc/mine.json"])
    }

    // The shells end their background process with SIGKILL, because a process that was just forked may lose any other
    // signal.
    @Test("Each signal is forwarded to the program", arguments: ["INT", "TERM", "HUP", "QUIT", "USR1", "USR2"])
    func signals(name: String) throws {
        let numbers = [
            "INT": SIGINT, "TERM": SIGTERM, "HUP": SIGHUP, "QUIT": SIGQUIT, "USR1": SIGUSR1, "USR2": SIGUSR2,
        ]
        let tool = try RunningTool([
            "simulate", Tool.sixPoses, "--", "sh", "-c",
            "trap 'echo received; kill -9 $!; exit 3' \(name); echo ready; sleep 60 & wait",
        ])
        #expect(tool.nextLine() == "ready")
        tool.send(signal: try #require(numbers[name]))
        #expect(tool.nextLine() == "received")
        #expect(tool.status() == 3)
    }

    @Test("A signal that the program handles without exiting leaves both processes running")
    func survivedSignal() throws {
        let tool = try RunningTool([
            "simulate", Tool.sixPoses, "--", "sh", "-c",
            "trap 'echo again' HUP; trap 'kill -9 $!; exit 9' TERM; echo ready; while :; do sleep 60 & wait; kill -9 $! 2>/dev/null; done",
        ])
        #expect(tool.nextLine() == "ready")
        for _ in 0..<2 {
            tool.send(signal: SIGHUP)
            #expect(tool.nextLine() == "again")
        }
        #expect(tool.isRunning)
        tool.send(signal: SIGTERM)
        #expect(tool.status() == 9)
    }

    @Test("The program ends with sensorctl, even if sensorctl is killed")
    func killed() throws {
        let tool = try RunningTool(["simulate", Tool.sixPoses, "--", "sh", "-c", "echo $$; exec sleep 600"])
        let program = try #require(pid_t(tool.nextLine() ?? ""))
        tool.send(signal: SIGKILL)
        #expect(tool.status() == -SIGKILL)
        // The output ends when its last writer has exited.
        #expect(tool.nextLine() == nil)
        // A zombie process has no /proc/PID/exe.
        #expect(realpath("/proc/\(program)/exe", nil) == nil)
    }

    @Test("The program inherits neither ignored signals nor signal handlers from sensorctl")
    func dispositions() throws {
        let result = try Self.simulate(
            [Tool.sixPoses], ["--", "sed", "-n", "s/^Sig[IC][gn].:\\t//p", "/proc/self/status"])
        // SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE and SIGTERM.
        for line in result.lines {
            let mask = try #require(UInt64(line, radix: 16))
            #expect(mask & 0x5A07 == 0)
        }
    }

    @Test("Signals that are ignored at the start stay ignored in sensorctl and in the program")
    func inheritedDispositions() throws {
        let result = try Tool.shell(
            #"trap '' HUP INT QUIT; exec "$0" simulate "$1" -- sed -n "s/^SigIgn:\t//p" /proc/self/status"#,
            [Tool.sixPoses])
        #expect(result.status == 0)
        let mask = try #require(UInt64(result.lines.first ?? "", radix: 16))
        // Bits 1, 2 and 3: SIGHUP, SIGINT and SIGQUIT.
        #expect(mask & 7 == 7)
        // The signals that sensorctl, the parent of the program, catches.
        let parent = try Tool.shell(
            #"trap '' HUP INT QUIT; exec "$0" simulate "$1" -- sh -c 'sed -n "s/^SigCgt:.//p" /proc/$PPID/status'"#,
            [Tool.sixPoses])
        let caught = try #require(UInt64(parent.lines.first ?? "", radix: 16))
        // Of the forwarded signals, only SIGUSR1, SIGUSR2 and SIGTERM are caught: bits 10, 12 and 15.
        #expect(caught & 0x4A07 == 0x4A00)
    }

    @Test(
        "A hang-up of the terminal reaches the program if sensorctl is the session leader",
        .enabled(if: TerminalTool.canRun))
    func hangUp() throws {
        let tool = try TerminalTool(
            [
                "simulate", Tool.sixPoses, "--", "sh", "-c",
                "trap 'echo received; kill -9 $!; exit 5' HUP; echo ready; sleep 60 & wait",
            ], isLeader: true)
        #expect(tool.nextLine() == "ready")
        try tool.hangUp()
        #expect(tool.nextLine() == "received")
        #expect(tool.leaderStatus() == 5)
    }

    @Test("Ctrl-C in the terminal reaches a program in a process group of its own", .enabled(if: TerminalTool.canRun))
    func ownGroup() throws {
        let tool = try TerminalTool([
            "simulate", Tool.sixPoses, "--", TerminalTool.launcher, "sh", "-c",
            "trap 'echo received; kill -9 $!; exit 6' INT; echo ready; sleep 60 & wait",
        ])
        #expect(tool.nextLine() == "ready")
        // Ctrl-C.
        try tool.press([3])
        #expect(tool.nextLine() == "received")
        #expect(tool.end().status == 6)
    }

    @Test("Ctrl-C in the terminal reaches a program in the same process group once", .enabled(if: TerminalTool.canRun))
    func oneGroup() throws {
        let tool = try TerminalTool([
            "simulate", Tool.sixPoses, "--", "sh", "-c",
            // Signals are forwarded in order, so a forwarded SIGINT would arrive before SIGUSR1.
            "count=0; trap 'count=$((count + 1)); kill -USR1 $PPID' INT; trap 'echo $count; kill -9 $!; exit 7' USR1; echo ready; while :; do sleep 60 & wait; done",
        ])
        #expect(tool.nextLine() == "ready")
        try tool.press([3])
        #expect(tool.nextLine() == "1")
        #expect(tool.end().status == 7)
    }

    @Test("`--duration` ends the simulation, with or without a program", arguments: [[], ["--", "sleep", "60"]])
    func duration(program: [String]) throws {
        #expect(try Self.simulate([Tool.sixPoses], ["--duration", "0.5"] + program).status == 0)
    }

    @Test("Without a program, the variables are printed as shell exports or as JSON")
    func announcement() throws {
        let plain = try Self.simulate([Tool.sixPoses], ["--duration", "0.1"])
        #expect(plain.lines.count == 6)
        #expect(plain.lines.allSatisfy { $0.hasPrefix("export DEVICE_SERVICES_") })
        #expect(plain.notes.contains("Playing motion for "))
        let object = try #require(try Tool.objects(Self.simulate([Self.scale], ["--duration", "0.1", "--json"])).first)
        #expect(object["event"] as? String == "listening")
        #expect((object["environment"] as? [String: String])?.count == 6)
        #expect(object["sources"] as? [String] == ["accessories"])
        #expect(object["seconds"] as? Double == 3.001)
    }

    @Test("`watch` receives the locations of a simulated drive")
    func watch() throws {
        let tool = try #require(Tool.path)
        let result = try Self.simulate(
            [Tool.drive],
            [
                "--speed", "20", "--rebase", "--", tool, "watch", "location", "--count", "5", "--duration", "60",
                "--json",
            ])
        #expect(result.status == 0)
        // On a busy machine, a callback may contain several locations.
        let locations = try Tool.objects(result).compactMap { $0["locations"] as? [Any] }
        #expect(locations.reduce(0) { $0 + $1.count } == 5)
    }

    @Test("Only sensors in the recording are simulated", .enabled(if: Tool.readsSensors, "built without libiio"))
    func list() throws {
        let tool = try #require(Tool.path)
        let list = ["--", tool, "list", "--json"]
        let drive = try Tool.objects(try Self.simulate([Tool.drive], list))
        #expect(!drive.contains { ["sensor", "accessory"].contains($0["kind"] as? String) })
        let poses = try Tool.objects(try Self.simulate([Tool.sixPoses], list))
        #expect(poses.count { $0["kind"] as? String == "sensor" } == 4)
    }

    @Test("Other formats are simulated, and files that are not recordings are refused")
    func otherKinds() throws {
        let result = try Self.simulate([Tool.csv("flat-face-up")], ["--duration", "0.1", "--json"])
        #expect(try Tool.objects(result).first?["sources"] as? [String] == ["motion"])
        #expect(try Self.simulate(["/etc/passwd"], []).status == 65)
    }

    @Test("Invalid arguments result in status 64, unusable files in 65 or 66, a bad TMPDIR in 69")
    func refusals() throws {
        for more in [
            ["--fault", "nonsense"], ["--fault", "loss(gyro)"], ["--fault", "unplug(gyroscope)"],
            ["--iio-fault", "unplug(gyro)"], ["--gpsd-fault", "nonsense"], ["--iio-fault", "nonsense"],
            ["--speed", "0"], ["--speed", "max"], ["--align", "end"], ["--seed", "1"], ["--duration", "-1"],
            ["--json", "--", "true"], ["-", "-"],
        ] {
            let result = try Self.simulate([Tool.sixPoses], more)
            #expect(result.status == 64, "\(more)")
            #expect(!result.notes.isEmpty)
        }
        #expect(try Self.simulate(["/nonexistent"]).status == 66)
        let unwritable = try Tool.run(["simulate", Tool.sixPoses], environment: ["TMPDIR": "/nonexistent"])
        #expect(unwritable.status == 69)
        #expect(unwritable.notes.contains("Set TMPDIR to another"))
        // Two recordings without a start time.
        let timeless = try Self.simulate([Tool.csv("flat-face-up"), Tool.csv("shake")], ["--duration", "0.1"])
        if timeless.status != 0 {
            #expect(timeless.status == 65)
            #expect(timeless.notes.contains("Align the traces by their starts"))
        }
    }
}
