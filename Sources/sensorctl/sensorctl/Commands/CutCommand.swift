// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import SensorTools
import Trace
import TraceEditing

struct CutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cut", abstract: "Extract part of a recording.",
        discussion: """
            The extracted part begins with the state of the devices at the time that you specify with --from. This \
            state includes the battery, the attached accessories, and gpsd's reports about itself and its receivers. \
            In the extracted part, times start at 0. The times of faults specified with --fault are also relative to \
            the start of this part.

            Exit codes:
              65  The time specified with --from is after the end of the recording.
            See `sensorctl --help` for the other exit codes.

            Examples:
              sensorctl cut drive.jsonl part.jsonl --from 1:30 --to 2:00
            """)

    @OptionGroup var recording: EditOptions
    @Option(
        help: "The start of the part to keep: the time since the start of the recording, or a date.",
        transform: TraceTime.parse)
    var from: TraceTime?
    @Option(
        help: "The end of the part to keep, in the same forms. The default is the end of the recording.",
        transform: TraceTime.parse)
    var to: TraceTime?
    @OptionGroup var faults: TraceFaultOptions

    func validate() throws { try TraceTime.validate(from: from, to: to) }

    func run() throws {
        let trace = try recording.read()
        let part = try TraceTime.range(from: from, to: to, in: trace)
        try checkStart(trace, part.from)
        let edits = try [ExcerptEdit(from: part.from, to: part.to)] + faults.edits(for: trace, from: part.from)
        try recording.target.write(trace, edits: edits)
    }

    /// Exits with an error if the requested part begins after the last event.
    private func checkStart(_ trace: TraceFile, _ start: Duration) throws {
        let activity = Activity("Examining \(trace.name)")
        defer { activity.end() }
        var reading = TimedEventReader(trace)
        var last: Int64 = 0
        while let event = reading.next() {
            last = event.time ?? last
            if Double(last) / 1e9 >= start.inSeconds { return }
        }
        Log.error(
            "\(trace.name) ends at \(TraceSummary.seconds(last)), before the part begins. Choose an earlier --from.")
        try ExitStatus.dataError.exit()
    }
}
