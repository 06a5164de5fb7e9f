// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Convert a recording to another format.",
        discussion: """
            Content that the output format cannot represent is omitted with a warning. The header of a trace lists the \
            faults and the seed. For the formats, run `sensorctl help formats`.

            Examples:
              sensorctl convert drive.jsonl drive.mcap
              sensorctl convert drive.jsonl - --format gpx
              sensorctl convert drive.jsonl drive.csv --table positions
            """)

    @OptionGroup var recording: EditOptions
    @OptionGroup(title: "Faults") var faults: TraceFaultOptions

    func run() throws {
        let trace = try recording.read()
        let edits = try faults.edits(for: trace)
        guard !edits.isEmpty else { return try recording.target.write(trace) }
        try recording.target.write(trace, edits: edits)
    }
}
