// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import SensorTools
import Trace
import TraceEditing

struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Says what is in a recording: streams, rates, gaps, clocks, and how good the positions are.",
        usage: "sensorctl info <file> [<options>]",
        discussion: """
            Takes what `replay` takes. With --json one object: "streams" with "kind", "origin", "count", "first", \
            "last", "rate", "gaps", "longest" and "longestStart" (seconds from the start, hertz), "positions", "clocks", \
            "warnings", "damage" (sentences about lines and reports that cannot be read), and what the header says.

            Exits with 65 when the file is not a recording and with 66 when it cannot be read. See sensorctl --help for the \
            other exit codes.

            Examples:
              sensorctl info drive.jsonl
            """)

    @Argument(
        help: "The recording; - for standard input, which takes all but folders and libiio's XML.", completion: .file())
    var file: String

    @OptionGroup(title: "Recordings of other programs") var imports: ImportOptions

    @OptionGroup var output: OutputOptions

    func run() throws {
        let trace = try imports.read(file)
        let summary = TraceSummary(trace)
        let stop = Stop()
        StandardOutput(stop: stop).write(summary, asJSON: output.json)
        for remark in summary.remarks { Notes.warn("\(trace.name): \(remark)") }
        try stop.status().end()
    }
}
