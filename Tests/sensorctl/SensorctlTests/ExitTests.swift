// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import Testing

@Suite("Exit status of sensorctl", .toolIsBuilt, .waiting)
struct ExitTests {
    @Test(
        "Invalid arguments result in status 64 and a message on standard error",
        arguments: [
            ["replay"], ["replay", "x"], ["replay", "x", "motion"], ["replay", "x", "location", "--speed", "-1"],
            ["replay", "x", "location", "--speed", "inf"], ["nonsense"], ["watch"],
            ["watch", "location", "--count", "0"],
            ["watch", "location", "--duration", "nan"], ["record"], ["record", "-", "--json"], ["demo"],
            ["demo", "x", "--seconds", "0"], ["demo", "x", "--seconds", "5,,5"], ["doctor", "--seconds", "0"],
        ])
    func usage(arguments: [String]) throws {
        let result = try Tool.run(arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(!result.notes.isEmpty)
    }

    @Test("A message about an invalid duration contains the option's name")
    func durationOption() throws {
        #expect(try Tool.run(["doctor", "--seconds", "0"]).notes.contains("--seconds must be more than 0"))
        let watch = try Tool.run(["watch", "location", "--duration", "0"])
        #expect(watch.notes.contains("--duration must be more than 0"))
    }

    @Test("The help lists the exit codes")
    func help() throws {
        #expect(try Tool.run(["--help"]).output.contains("\n  exit-codes "))
        let result = try Tool.run(["help", "exit-codes"])
        #expect(result.status == 0)
        // The codes of sysexits.h that the tests of the commands expect, and that of a program that cannot be started.
        for code in [0, 1, 64, 65, 66, 69, 73, 74, 77, 127] {
            #expect(result.output.contains("\n  \(code)  "), "\(code)")
        }
    }

    @Test("A missing file results in status 66")
    func missingFile() throws {
        let result = try Tool.run(["replay", "/nonexistent/trace", "location", "--json"])
        #expect(result.status == 66)
        #expect(result.output.isEmpty)
        #expect(result.notes.contains("/nonexistent/trace"))
    }

    @Test("An invalid trace results in status 65", arguments: ["", "no trace\n", "{}\n", "\u{0}\u{1}\u{2}", "[1,2,3]"])
    func notATrace(text: String) throws {
        let result = try Tool.run(["replay", "-", "location", "--json"], input: Data(text.utf8))
        #expect(result.status == 65)
        #expect(result.output.isEmpty)
        #expect(!result.notes.isEmpty)
    }

    @Test("A closed pipe is not an error")
    func closedPipe() throws {
        let result = try Tool.shell(
            #""$0" replay "$1" location --json | head -n 1; echo "${PIPESTATUS[0]}""#, [Tool.drive])
        #expect(result.lines.count == 2)
        #expect(result.lines.last == "0")
        #expect(result.notes.isEmpty)
    }

    @Test("Closed standard descriptors behave like /dev/null")
    func closedDescriptors() throws {
        let folder = try TemporaryFolder()
        let quiet = try Tool.shell(#""$0" info "$1" >&- 2>&- <&-; echo $?"#, [Tool.drive])
        #expect(quiet.lines == ["0"])
        let empty = try Tool.shell(#""$0" convert - "$1" <&-; echo $?"#, [folder.path + "/a.gpx"])
        #expect(empty.lines == ["65"])
        #expect(!empty.notes.contains("cannot be read"), "\(empty.notes)")
    }

    @Test("A full pipe on standard error does not block the program")
    func unreadNotes() throws {
        let folder = try TemporaryFolder()
        let tool = try RunningTool(
            ["record", folder.path + "/a.trace", "--parts", "battery", "--duration", "0.1"], areNotesFull: true)
        #expect([0, 69].contains(tool.status()))
    }

    @Test("A recording into a pipe without a reader is not an error")
    func unreadRecording() throws {
        let result = try Tool.shell(
            #""$0" record - --parts battery --duration 0.5 | true; echo "${PIPESTATUS[0]}""#)
        #expect(["0", "69"].contains(result.lines.last ?? ""), "\(result.notes)")
    }

    @Test("An output that cannot be written results in status 74")
    func fullDisk() throws {
        let result = try Tool.shell(#""$0" replay "$1" location --json > /dev/full; echo $?"#, [Tool.drive])
        #expect(result.lines == ["74"])
        #expect(!result.notes.isEmpty)
    }

    @Test("Each line is flushed at once, and a signal ends a replay with status 0", arguments: [SIGINT, SIGTERM])
    func signals(number: Int32) throws {
        let tool = try RunningTool(["replay", Tool.drive, "location", "--json", "--speed", "1"])
        // In real time, the third line follows half a second after the second, and the last line after five minutes.
        for _ in 0..<4 { #expect(tool.nextLine()?.hasPrefix("{\"callback\":") == true) }
        #expect(tool.isRunning)
        tool.send(signal: number)
        while tool.nextLine() != nil {}
        #expect(tool.unfinishedLine.isEmpty)
        #expect(tool.status() == 0)
    }

    @Test("A signal ends a `watch` that waits for gpsd", arguments: [SIGINT, SIGTERM])
    func signalsWhileWaiting(number: Int32) throws {
        let tool = try RunningTool(["watch", "location", "--json"])
        while let line = tool.nextLine(), !line.contains("didFailWithError") {}
        tool.send(signal: number)
        #expect(tool.nextLine() == nil)
        #expect(tool.status() == 0)
    }

    @Test("A signal ends a recording and leaves a complete trace")
    func signalsWhileRecording() throws {
        let server = try FakeGPSD(lines: [])
        let folder = try TemporaryFolder()
        let file = folder.path + "/short.trace"
        let tool = try RunningTool(["record", file, "--json"], environment: server.environment)
        #expect(tool.nextLine()?.hasPrefix(#"{"event":"started""#) == true)
        tool.send(signal: SIGTERM)
        #expect(tool.nextLine()?.hasPrefix(#"{"event":"ended""#) == true)
        #expect(tool.status() == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.hasPrefix(#"{"format":"device-services-trace""#))
        #expect(text.hasSuffix("}\n"))
    }

    @Test("A signal ends a replay that waits for standard input", arguments: [SIGINT, SIGTERM])
    func signalsWhileReading(number: Int32) throws {
        let folder = try TemporaryFolder()
        // A pipe that is open at both ends and never ends. It holds only a part of the drive, so cat ends after the
        // program has begun to read.
        let line =
            Tool.signalWhen + #"mkfifo "$1"; exec 3<>"$1"; export D="$3"; "#
            + #"signal_when "$2" 'timeout 60 cat "$D" >&3' "$0" replay - location <&3 >/dev/null; echo $?"#
        let result = try Tool.shell(line, [folder.path + "/input", "\(number)", Tool.drive])
        #expect(result.lines == ["0"])
    }

    @Test("A `watch` that receives nothing in time exits with status 69")
    func timeIsUp() throws {
        let result = try Tool.run(["watch", "location", "--json", "--count", "1", "--duration", "5"])
        #expect(result.status == 69)
        #expect(result.lines.filter { $0.contains("didFailWithError") }.count == 1)
        #expect(result.output.contains("127.0.0.1:1"))
    }

    @Test(
        "A denied position results in status 77",
        arguments: [["watch", "location", "--json"], ["record", "/dev/null"]])
    func denied(arguments: [String]) throws {
        let result = try Tool.run(arguments, environment: ["DEVICE_SERVICES_LOCATION": "deny"])
        #expect(result.status == 77)
    }

    @Test("A `demo` of a recording without positions says what it contains")
    func demoWithoutPositions() throws {
        try Tool.expect(["demo", Tool.sixPoses], 65, "contains no positions; it contains accelerometer")
        try Tool.expect(["demo", Tool.drive, Tool.sixPoses], 65, "contains no positions")
    }

    @Test("A `demo` without a terminal prints a few lines and exits")
    func demo() throws {
        let result = try Tool.run(["demo", Tool.drive])
        #expect(result.status == 0)
        #expect((8...30).contains(result.lines.count))
        #expect(result.lines.first == "synthetic: mountain-road.json")
        #expect(result.output.contains("no position"))
        #expect(!result.output.contains("\u{1B}"))
    }
}
