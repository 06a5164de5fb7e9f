// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SensorTools
import Trace
import TraceEditing

struct CutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cut",
        abstract: "Writes a part of a recording.",
        discussion: """
            Times are seconds from the start, or minutes and hours as in 1:30 and 1:02:03.5. What had happened before and still \
            holds is told at the beginning of the part: the battery, accessories that are attached, what gpsd said of \
            itself. A part that begins behind the end is refused with 65. Faults are brought about in the part, whose times begin with 0. See sensorctl --help for the exit codes.

            Examples:
              sensorctl cut drive.jsonl part.jsonl --from 1:30 --to 2:00
            """)

    @OptionGroup var recording: EditOptions

    @Option(help: "Where the part begins.")
    var from: TraceTime = TraceTime(seconds: 0)

    @Option(help: "Where the part ends; the end of the recording, unless given.")
    var to: TraceTime?

    @OptionGroup var faults: TraceFaultOptions

    func validate() throws {
        if let to, to.seconds < from.seconds {
            throw ValidationError("The part ends (--to) before it begins (--from).")
        }
    }

    func run() throws {
        let trace = try recording.read()
        try checkReach(trace)
        let edits = [CutEdit(from: from.seconds, to: to?.seconds ?? .infinity)] + faults.edits()
        try recording.target.write(trace, edits: edits)
    }
}

extension CutCommand {
    /// Ends the verb when the part begins where nothing happens any more.
    private func checkReach(_ trace: TraceFile) throws {
        var reading = TraceReading(trace)
        var last: Int64 = 0
        while let event = reading.next() {
            last = event.time ?? last
            if Double(last) / 1e9 >= from.seconds { return }
        }
        Notes.fail(
            "\(trace.name) ends at \(TraceSummary.seconds(last)), before the part begins. Choose an earlier --from.")
        try ExitStatus.badTrace.end()
    }
}

struct TraceTime: ExpressibleByArgument, CustomStringConvertible {
    var seconds: Double

    init(seconds: Double) { self.seconds = seconds }

    init?(argument: String) {
        let words = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(words.count) else { return nil }
        var seconds = 0.0
        for (index, word) in words.enumerated() {
            guard let first = word.utf8.first, first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9"),
                let number = Double(word), number.isFinite, index == 0 || number < 60
            else { return nil }
            seconds = seconds * 60 + number
        }
        guard seconds <= 1e9 else { return nil }
        self.seconds = seconds
    }

    var description: String { "\(seconds)" }
}
