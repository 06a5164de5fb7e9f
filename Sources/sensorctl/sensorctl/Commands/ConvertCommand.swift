// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Trace
import TraceEditing

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
            """)

    @Argument(help: "The recording; - for standard input, which takes all but folders and libiio's XML.")
    var file: String

    @OptionGroup var target: TraceTarget

    @OptionGroup(title: "Recordings of other programs") var imports: ImportOptions

    @OptionGroup var faults: TraceFaultOptions

    func run() throws {
        try target.check(against: [file])
        let trace = try imports.read(file)
        let edits = faults.edits()
        guard !edits.isEmpty else { return try target.write(trace) }
        try target.write { (sink) throws(DeviceError) in
            try TraceEditor.write(trace, edits: edits, to: sink).map { "\(trace.name): \($0)" }
        }
    }
}
