// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import SensorTools
import Trace
import TraceEditing

struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Summarize a recording: streams, rates, gaps, clocks and the quality of positions.",
        usage: "sensorctl info <file> [<options>]",
        discussion: """
            Accepts the formats that `replay` accepts. With --json, prints one object: "streams" with "kind", \
            "origin", "count", "first", "last", "rate", "gaps", "longest" and "longestStart" (seconds from the start, \
            hertz), "positions", "clocks", "warnings", "damage" (sentences about unreadable lines and reports), and \
            the contents of the header.

            Exits with 65 if the file is not a recording and with 66 if it cannot be read. See sensorctl --help for \
            the other exit codes.

            Examples:
              sensorctl info drive.jsonl
            """)

    @Argument(help: "Recording; - for standard input, except for folders and libiio's XML.", completion: .file())
    var file: String

    @OptionGroup(title: "Recordings of other programs") var imports: ImportOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let trace = try imports.read(file)
        let summary = TraceSummary(trace)
        let stop = StopRequest()
        StandardOutput(stop: stop).write(summary, asJSON: output.json)
        for remark in summary.remarks { Log.warning("\(trace.name): \(remark)") }
        try stop.status().exit()
    }
}
