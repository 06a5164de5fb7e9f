// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import Testing
import Trace

/// The prefix of commands that run as an ordinary user. Empty unless the user is root; nil if root cannot change the
/// user.
private let asUser: String? = {
    guard geteuid() == 0 else { return "" }
    let change = "setpriv --reuid=65534 --regid=65534 --clear-groups "
    let trial = try? Tool.shell(change + #"test -x "$0" -a -r "$1""#, [Tool.sixPoses])
    return trial?.status == 0 ? change : nil
}()

/// The commands of the package's units, run on a simulated board without systemd.
@Suite(
    "systemd units of the Debian package", .toolIsBuilt, .waiting,
    .enabled(
        if: asUser != nil,
        "root cannot run programs as another user here: install util-linux, and let others read the build folder"))
struct ServiceUnitTests {
    /// Creates the state directories of the units, as systemd does for the unit's user.
    private static func stateFolder() throws -> (TemporaryFolder, recordings: String, blackBox: String) {
        let folder = try TemporaryFolder()
        let paths = ["recordings", "black-box"].map { "\(folder.path)/sensorctl/\($0)" }
        for path in paths {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            if geteuid() == 0 { try #require(chown(path, 65534, 65534) == 0) }
        }
        return (folder, paths[0], paths[1])
    }

    /// Runs the command of a unit on a simulated board with a receiver, sensors and an accessory.
    ///
    /// - Parameters:
    ///   - starter: the words of a program that starts the command.
    ///   - more: additional options.
    private static func run(
        _ unit: ServiceUnit, by starter: [String] = [], _ more: [String] = []
    ) throws -> Tool.Result {
        let words = unit.command
        try #require(words.first == "/usr/bin/sensorctl" && words.count > 2)
        let board = [Tool.sixPoses, Tool.drive, Tool.traces + "/udev/weigh-scale.trace", "--align", "start"]
        let variables = ["env"] + unit.environment.map { "\($0.key)=\($0.value)" }.sorted()
        let command = [try #require(Tool.path)] + words[1..<(words.count - 1)] + more + [words[words.count - 1]]
        return try Tool.shell(
            "exec \(asUser ?? "")\"$0\" \"$@\"",
            ["simulate"] + board + ["--at-once", "--"] + starter + variables + command)
    }

    /// Returns the lines of the only trace in a directory.
    private static func onlyTrace(in folder: String, named ending: String) throws -> [Substring] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let name = try #require(names.count == 1 ? names.first : nil, "\(names)")
        #expect(name.hasSuffix(ending), "\(name)")
        _ = try TraceFile(path: "\(folder)/\(name)")
        return try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8).split(separator: "\n")
    }

    @Test("With all grants, an ordinary user records positions, motion and accessories")
    func recording() throws {
        let (folder, recordings, _) = try Self.stateFolder()
        let unit = try ServiceUnit(
            "sensorctl-record", grants: ["gpsd", "iio", "usb"], state: folder.path, options: "--duration 3")
        #expect(unit.command.contains("battery,position,motion,accessories"))
        let result = try Self.run(unit)
        #expect(result.status == 0, "\(result.notes)")
        let lines = try Self.onlyTrace(in: recordings, named: "Z-recording.trace")
        #expect(lines.contains { $0.contains(#""class":"TPV""#) })
        #expect(lines.contains { $0.contains(#""attach""#) })
        if Tool.readsSensors { #expect(lines.contains { $0.contains(#""accelerometer":["#) }) }
    }

    @Test("Without grants, only the battery is recorded")
    func nothingGranted() throws {
        let (folder, recordings, _) = try Self.stateFolder()
        let unit = try ServiceUnit("sensorctl-record", grants: [], state: folder.path, options: "--duration 1")
        #expect(unit.command[1...3] == ["record", "--parts", "battery"])
        let result = try Self.run(unit)
        // The status is 69 if there is no battery.
        #expect([0, 69].contains(result.status), "\(result.notes)")
        let events = try Self.onlyTrace(in: recordings, named: "Z-recording.trace").dropFirst()
        #expect(events.allSatisfy { $0.contains(#""battery""#) }, "\(events)")
    }

    @Test("The black box saves the data before its signal")
    func blackBox() throws {
        let (folder, _, blackBox) = try Self.stateFolder()
        let unit = try ServiceUnit("sensorctl-black-box", grants: ["gpsd"], state: folder.path)
        #expect(unit.command.contains("--ring"))
        #expect(unit.command.last == blackBox)
        // The script starts the unit, sends the signal after the first reports and ends the unit when there is a trace.
        let script = #"""
            folder=$1; shift
            "$@" & box=$!
            # Until the header and some reports are on the disk, and then until the trace is.
            while [ "$(cat "$folder"/.ring/segment-* 2>/dev/null | wc -l)" -lt 4 ]; do sleep 0.1; kill -0 $box || exit 9; done
            kill -USR1 $box
            while ! ls "$folder"/*.trace >/dev/null 2>&1; do sleep 0.1; kill -0 $box || exit 8; done
            kill -TERM $box; wait $box
            """#
        // Saves one second after the signal instead of half a minute.
        let result = try Self.run(unit, by: ["sh", "-c", script, "sh", blackBox], ["--after", "1s"])
        #expect(result.status == 0, "\(result.notes)")
        let lines = try Self.onlyTrace(in: blackBox, named: "Z-signal.trace")
        #expect(lines.contains { $0.contains(#""class":"TPV""#) })
    }
}
