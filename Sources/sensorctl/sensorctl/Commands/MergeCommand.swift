// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Trace
import TraceEditing
import TraceFormats

struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Merge recordings that were made at the same time.",
        discussion: """
            Sensors and accessories with the same name are kept separate, and so are receivers that report during the \
            same period. Battery readings are taken from the first recording that contains any.

            Examples:
              sensorctl merge fixes.jsonl motion.jsonl -o both.jsonl
            """)

    @Argument(help: "The recordings to merge.", completion: .file()) var files: [String]

    @Option(
        name: .shortAndLong, help: .init("The output file, or - for standard output.", valueName: "file"),
        completion: .file())
    var output: String

    @Option(
        help: .init(
            "The receiver whose positions are written if the output format supports only one receiver.",
            valueName: "path"))
    var receiver: String?

    @Option(help: "The contents of a CSV file: positions, motion or both. The default is both, in one table.")
    var table: CSVContents?

    @Option(
        help:
            "How to align the recordings: clock (at their recorded times) or start (all starting at the same time). The default is clock, which requires recordings that are less than a day apart."
    )
    var align: TraceMerger.Alignment?

    @Option(help: "The output format. By default, the file extension determines the format.")
    var format: RecordingFormat?

    @OptionGroup var new: NewFileOptions

    @Flag(help: "Also write arrival times. This flag requires the gpsd or nmea format.") var stamps = false

    @OptionGroup(title: "Recordings from other programs, for all files") var imports: ImportOptions

    func validate() throws {
        let maximum = TraceMerger.maximumCount
        try Self.rejectIf(!(2...maximum).contains(files.count), "Specify 2 to \(maximum) recordings to merge.")
        try Self.rejectIf(files.count { $0 == "-" } > 1, "Standard input can be read only once.")
        do { _ = try target } catch { throw ValidationError(TraceTarget.message(for: error)) }
    }

    /// The output options, converted to a `TraceTarget`. They are passed to `TraceTarget`'s parser, because it expects
    /// the output file as a positional argument, but this command declares the file as an option.
    private var target: TraceTarget {
        get throws {
            var arguments = [output]
            if let format { arguments += ["--format", format.name] }
            if new.overwrite { arguments.append("--overwrite") }
            if let mode = new.mode { arguments += ["--mode", "0" + String(mode.bits, radix: 8)] }
            if let receiver { arguments += ["--receiver", receiver] }
            if stamps { arguments.append("--stamps") }
            if let table { arguments += ["--table", table.rawValue] }
            return try TraceTarget.parse(arguments)
        }
    }

    func run() throws {
        let target = try target
        try target.check(against: files)
        let traces = try imports.read(files)
        let alignment = align ?? .clock
        if alignment == .clock, let trace = traces.first(where: { TimedEventReader.header(of: $0).start == nil }) {
            Log.error(
                "\(trace.name) contains no start time, so it cannot be aligned with the others. Use --align start to let all recordings begin together."
            )
            try ExitStatus.dataError.exit()
        }
        if align == nil { try checkDistances(traces) }
        try target.write { (sink) throws(DeviceError) in try TraceMerger.write(traces, alignment: alignment, to: sink) }
    }

    /// The maximum time between two recordings if --align is missing, in seconds (a day).
    private static let maximumDistance = 86_400.0

    /// Exits with an error if a recording begins more than a day after all earlier recordings have ended.
    private func checkDistances(_ traces: [TraceFile]) throws {
        let starts = traces.map { TimedEventReader.header(of: $0).start?.wallTime ?? .epoch }
        let order = traces.indices.sorted { starts[$0] < starts[$1] }
        guard let first = order.first, let last = order.last,
            starts[last].seconds(since: starts[first]) > Self.maximumDistance
        else { return }
        let activity = Activity("Examining \(traces[first].name)")
        defer { activity.end() }
        var (latest, end) = (first, WallTime(nanoseconds: .min))
        for index in order {
            let distance = starts[index].seconds(since: end)
            guard index == first || distance <= Self.maximumDistance else {
                let days = Int((distance / 86_400).rounded())
                Log.error(
                    "\(traces[latest].name) ends at \(end), and \(traces[index].name) begins at \(starts[index]), \(days) \(days == 1 ? "day" : "days") later. To let all recordings begin together, use --align start. To keep the recorded times, use --align clock."
                )
                return try ExitStatus.usage.exit()
            }
            let ownEnd = starts[index].advanced(bySeconds: Double(TraceSummary(traces[index]).duration) / 1e9)
            if ownEnd > end { (latest, end) = (index, ownEnd) }
        }
    }
}
