// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Trace
import TraceEditing

struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Makes one recording of several that were made at the same time.",
        discussion: """
            Recordings lie to each other as the civil time of their starts says, or with --align start all begin together. \
            Sensors and accessories of the same name stay apart, and so do receivers that report at the same time. The battery is \
            that of the first recording that has one. See sensorctl --help for the exit codes.

            Examples:
              sensorctl merge fixes.jsonl motion.jsonl -o both.jsonl
            """)

    @Argument(help: "The recordings.", completion: .file())
    var files: [String]

    @Option(
        name: .shortAndLong, help: ArgumentHelp("What to write; - for standard output.", valueName: "file"),
        completion: .file())
    var output: String

    @Option(help: "The format, where the ending of the output does not say it.")
    var format: String?

    @Option(help: "How the recordings lie to each other: clock or start.", transform: MergeCommand.alignment)
    var align: TraceMerger.Alignment = .clock

    @OptionGroup var new: NewFileOptions

    @Option(help: ArgumentHelp("The receiver whose positions are written, in formats of one.", valueName: "path"))
    var receiver: String?

    @Flag(help: "Write the times of arrival too, in gpsd's reports and NMEA.")
    var stamps = false

    @OptionGroup(title: "Recordings of other programs, all of them alike") var imports: ImportOptions

    func validate() throws {
        let most = TraceMerger.maximumCount
        try Self.refuse(!(2...most).contains(files.count), "From 2 to \(most) recordings can be merged.")
        try Self.refuse(files.count { $0 == "-" } > 1, "Standard input can be read once only.")
        do { _ = try target } catch { throw ValidationError(TraceTarget.message(for: error)) }
    }

    private var target: TraceTarget {
        get throws {
            var arguments = [output]
            if let format { arguments += ["--format", format] }
            if new.overwrite { arguments.append("--overwrite") }
            if let mode = new.mode { arguments += ["--mode", "0" + String(mode.bits, radix: 8)] }
            if let receiver { arguments += ["--receiver", receiver] }
            if stamps { arguments.append("--stamps") }
            return try TraceTarget.parse(arguments)
        }
    }

    func run() throws {
        let target = try target
        try target.check(against: files)
        let traces = try imports.read(files)
        if align == .clock, let trace = traces.first(where: { TraceReading.header(of: $0).start == nil }) {
            Notes.fail(
                "\(trace.name) does not say when it began, so that it cannot be put beside the others. Let all begin together with --align start."
            )
            try ExitStatus.badTrace.end()
        }
        try target.write { (sink) throws(DeviceError) in
            try TraceMerger.write(traces, alignment: align, to: sink)
        }
    }
}
