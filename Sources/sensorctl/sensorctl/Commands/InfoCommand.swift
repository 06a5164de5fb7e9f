// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import SensorTools
import Trace
import TraceEditing

struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Summarize a recording: its streams, rates, gaps, clocks and position quality.",
        usage: "sensorctl info <file> [<options>]",
        discussion: """
            The command accepts the same formats as `replay`.

            With --json, the command prints one object. It contains the fields of the header, and the fields \
            "streams", "positions", "clocks", "warnings" and "damage". Each stream contains "kind", "origin", "count", \
            "first", "last", "rate", "gaps", "longest" and "longestStart". Times are in seconds from the start, and \
            rates are in hertz. The field "damage" is a list of messages about unreadable lines and reports.

            Exit codes:
              65  The file is not a recording.
              66  The file cannot be read.
            See `sensorctl --help` for the other exit codes.

            Examples:
              sensorctl info drive.jsonl
            """)

    @Argument(
        help: "The recording, or - for standard input. Folders and libiio's XML cannot be read from standard input.",
        completion: .file())
    var file: String

    @OptionGroup(title: "Recordings from other programs") var imports: ImportOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let trace = try imports.read(file)
        let activity = Activity("Examining \(trace.name)")
        let summary = TraceSummary(trace)
        activity.end()
        let stop = StopRequest()
        StandardOutput(stop: stop).write(summary, asJSON: output.json)
        for remark in summary.remarks { Log.warning("\(trace.name): \(remark)") }
        try stop.status().exit()
    }
}
