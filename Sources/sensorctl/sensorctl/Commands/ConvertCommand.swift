// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Writes a recording in another format.",
        discussion: """
            Takes what `replay` takes. What the format cannot hold is left out with a note. With --fault things go wrong in \
            the recording on the way; the list and the seed stand in the header of the trace that is written.

            Exits with 65 when the file is not a recording, or holds nothing of what the format is for, with 66 when it \
            cannot be read, with 73 when the output cannot be made and with 74 when it cannot be written on. See sensorctl --help \
            for the other exit codes.

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
