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
            The report also states how many lines and reports are unreadable. For its fields with --json, run \
            `sensorctl help json`.

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
