// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Convert a recording to another format.",
        discussion: """
            The command accepts the same formats as `replay`. Content that the output format cannot represent is \
            omitted with a warning. With --fault, the command injects faults during the conversion. If the output is a \
            trace, its header lists the faults and the seed.

            Exit codes:
              65  The file is not a recording, or it contains nothing that the output
                  format can represent.
              66  The file cannot be read.
              73  The output cannot be created.
              74  The output cannot be written.
            See `sensorctl --help` for the other exit codes.

            Examples:
              sensorctl convert drive.jsonl drive.mcap
              sensorctl convert drive.jsonl - --format gpx
              sensorctl convert drive.jsonl drive.csv --table positions
            """)

    @OptionGroup var recording: EditOptions
    @OptionGroup var faults: TraceFaultOptions

    func run() throws {
        let trace = try recording.read()
        let edits = try faults.edits(for: trace)
        guard !edits.isEmpty else { return try recording.target.write(trace) }
        try recording.target.write(trace, edits: edits)
    }
}
