// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Convert a recording to another format.",
        discussion: """
            Accepts the formats that `replay` accepts. Content that the output format cannot represent is omitted with \
            a warning. With --fault, faults are injected during the conversion; the header of a written trace lists \
            them and the seed.

            Exits with 65 if the file is not a recording or contains nothing that the output format can represent, \
            with 66 if it cannot be read, with 73 if the output cannot be created, and with 74 if it cannot be \
            written. See sensorctl --help for the other exit codes.

            Examples:
              sensorctl convert drive.jsonl drive.mcap
              sensorctl convert drive.jsonl - --format gpx
            """)

    @OptionGroup var recording: EditOptions
    @OptionGroup var faults: TraceFaultOptions

    func run() throws {
        let trace = try recording.read()
        let edits = faults.edits()
        guard !edits.isEmpty else { return try recording.target.write(trace) }
        try recording.target.write(trace, edits: edits)
    }
}
