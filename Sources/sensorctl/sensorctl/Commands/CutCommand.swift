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
            The part begins with the state of the devices at that time, including the battery, the attached \
            accessories and the receivers. Its times, and those of faults, begin at 0.

            Examples:
              sensorctl cut drive.jsonl part.jsonl --from 1:30 --to 2:00
            """)

    @Option(
        help: "The start of the part to keep: the time since the start of the recording, or a date.",
        transform: TraceTime.parse)
    var from: TraceTime?

    @Option(
        help: "The end of the part to keep, in the same forms. The default is the end of the recording.",
        transform: TraceTime.parse)
    var to: TraceTime?

    @OptionGroup var recording: EditOptions
    @OptionGroup(title: "Faults") var faults: TraceFaultOptions

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
