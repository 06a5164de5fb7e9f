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
            Times are in seconds from the start of the recording. You can also specify them in the form 1:30 (minutes \
            and seconds) or 1:02:03.5 (hours, minutes and seconds).

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
    @Option(help: "The start of the part to keep.") var from: TraceTime = TraceTime(seconds: 0)
    @Option(help: "The end of the part to keep. The default is the end of the recording.") var to: TraceTime?
    @OptionGroup var faults: TraceFaultOptions

    func validate() throws {
        if let to, to.seconds < from.seconds {
            throw ValidationError("The end of the part (--to) is before its start (--from).")
        }
    }

    func run() throws {
        let trace = try recording.read()
        try checkStart(trace)
        let edits =
            [
                ExcerptEdit(
                    from: Duration(clampingSeconds: from.seconds), to: to.map { Duration(clampingSeconds: $0.seconds) })
            ] + faults.edits()
        try recording.target.write(trace, edits: edits)
    }

    /// Exits with an error if the requested part begins after the last event.
    private func checkStart(_ trace: TraceFile) throws {
        let activity = Activity("Examining \(trace.name)")
        defer { activity.end() }
        var reading = TimedEventReader(trace)
        var last: Int64 = 0
        while let event = reading.next() {
            last = event.time ?? last
            if Double(last) / 1e9 >= from.seconds { return }
        }
        Log.error(
            "\(trace.name) ends at \(TraceSummary.seconds(last)), before the part begins. Choose an earlier --from.")
        try ExitStatus.dataError.exit()
    }
}

/// A time in seconds since the start of a trace, specified as seconds, M:SS or H:MM:SS.
struct TraceTime: ExpressibleByArgument, CustomStringConvertible {
    var seconds: Double

    init(seconds: Double) { self.seconds = seconds }

    init?(argument: String) {
        let words = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(words.count) else { return nil }
        var seconds = 0.0
        for (index, word) in words.enumerated() {
            guard let number = Double(unsignedDecimal: word), index == 0 || number < 60 else { return nil }
            seconds = seconds * 60 + number
        }
        guard seconds <= 1e9 else { return nil }
        self.seconds = seconds
    }

    var description: String { "\(seconds)" }
}
