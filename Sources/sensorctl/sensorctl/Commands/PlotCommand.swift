// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import JSONBytes
import Plotting
import SensorTools
import SimulatedDevice
import Trace
import TraceEditing

struct PlotCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plot", abstract: "Plot recordings as SVG, PNG or HTML.",
        usage: "sensorctl plot <trace> ... [<stream> ...] -o <file> [<options>]",
        discussion: """
            Recordings, and the output of `replay --json` or `--expect`, are plotted on the same axes. The extension \
            of the output file determines the format. If a file is named like a stream, such as speed, write ./speed.

            Examples:
              sensorctl plot drive.jsonl -o drive.html
              sensorctl plot drive.jsonl speed --fault nofix@30s+20s -o drive.svg
              sensorctl plot drive.jsonl drive.expected attitude -o change.svg
            """)

    @Argument(
        help:
            "The recordings, and the streams to plot: \(PlotSubject.list). Use - to read a recording from standard input.",
        completion: .file())
    var words: [String]

    @Option(
        name: .shortAndLong,
        help: .init("The output file (.svg, .html or .png), or - for standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(help: "The title of the plot. The default is the name of the recording.") var title: String?
    @Flag(help: "Label the axis with the time of day (UTC) instead of the time since the start.") var clock = false
    @Option(
        help:
            "How to align multiple recordings: clock (at their recorded times) or start (all starting at the same time). If all recordings overlap in time, the default is clock. Otherwise, the default is start."
    )
    var align: TraceMerger.Alignment?

    @Option(help: "The resolution of a PNG image, in dots per inch.") var dpi = 150
    @Option(help: "The output format. By default, the file extension determines the format.")
    var format: PlotFormat?

    @OptionGroup var new: NewFileOptions

    @OptionGroup var reference: ReferenceOptions
    @OptionGroup(title: "Recordings from other programs, for all files") var imports: ImportOptions
    @OptionGroup(title: "Playback") var choices: PlaybackArguments
    @OptionGroup(title: "Faults") var faults: TraceFaultOptions
    @Option(help: UnitSystem.help) var units = UnitSystem.metric
    @OptionGroup var printed: OutputOptions

    /// The maximum number of recordings in a plot, limited by the number of colours and dash patterns.
    static let limit = 7

    var files: [String] { words.filter { PlotSubject.named($0) == nil } }

    /// The subjects to plot, in the order they appear on the page. By default, all subjects are plotted.
    var subjects: [PlotSubject] {
        let named = Set(words.compactMap { PlotSubject.named($0) }.joined())
        return named.isEmpty ? PlotSubject.allCases : PlotSubject.allCases.filter { named.contains($0) }
    }

    /// True if the user named at least one stream.
    var isChosen: Bool { files.count < words.count }
    var chosenFormat: PlotFormat? { format ?? output.flatMap { $0 == "-" ? .svg : PlotFormat(fileName: $0) } }

    func validate() throws {
        try Self.rejectIf(files.isEmpty, "Name a recording. The streams are \(PlotSubject.list).")
        try Self.rejectIf(files.count > Self.limit, "At most \(Self.limit) recordings can be plotted together.")
        try Self.rejectIf(files.count { $0 == "-" } > 1, "Standard input can be read only once.")
        if let stream = files.first(where: { StreamName(argument: $0) != nil }) {
            throw ValidationError(
                "The stream \(stream) cannot be plotted. The streams are \(PlotSubject.list). Write ./\(stream) for a file of that name."
            )
        }
        if output == nil, !printed.json {
            throw ValidationError("Name the output with -o: a file that ends in .svg, .html or .png.")
        }
        try Self.rejectIf(
            output == "-" && printed.json, "--json uses standard output: name a file with -o, or omit it.")
        if let output, chosenFormat == nil {
            let ending = NameSuggestion.question(
                output.lastIndex(of: ".").map { output[$0...] } ?? "", among: PlotFormat.allCases.map { ".\($0)" })
            throw ValidationError(
                "The name \(output) does not end in .svg, .html or .png.\(ending) Rename it, or use --format.")
        }
        try Self.rejectIf(!(30...1200).contains(dpi), "--dpi must be from 30 to 1200 dots per inch.")
        try faults.validate(upTo: choices.to)
        try Self.rejectIf(
            choices.loop?.rounds == .endless, "An endless recording cannot be plotted: omit --loop forever.")
    }

    func run() async throws {
        if let output { try OutputCheck.check(output, against: files) }
        let maker = try chosenFormat == .png ? ExitStatus.exitOnError({ _ in .unavailable }, PNGConverter.init) : nil
        try await Termination.run(reading: try sources()) { try await run($0, maker, $1) }
    }

    private func run(_ sources: [PlotSource], _ maker: PNGConverter?, _ stop: StopRequest) async throws -> ExitStatus {
        let play = PlotBuilder(
            sources: sources, subjects: subjects, isChosen: isChosen, align: align, reference: reference,
            spans: try spans(sources.compactMap(\.trace)))
        var figure = try await play.figure(until: stop)
        if let reason = stop.reason { return reason.status() }
        if clock { figure.clock = try play.civilClock() }
        if let title { figure.title = PlotText.name(title) }
        try await write(figure.converted(to: units), maker, until: stop)
        if printed.json {
            var writer = JSONWriter()
            figure.writeNumbers(to: &writer)
            StandardOutput(stop: stop).write(writer.bytes)
        }
        return stop.status()
    }

    private func sources() throws -> [PlotSource] {
        try checkWords()
        let areCallbackFiles = files.map { RecordedCallbacks.isCallbackFile($0) }
        let recordings = zip(files, areCallbackFiles).filter { !$0.1 }.map(\.0)
        var traces = (recordings.isEmpty ? [] : try imports.read(recordings))[...]
        return try zip(files, areCallbackFiles).map { path, isCallbackFile in
            guard !isCallbackFile, let trace = traces.popFirst() else {
                return .callbacks(try ExitStatus.exitOnError { try RecordedCallbacks(path: path) })
            }
            let changed = try faults.apply(to: trace)
            try choices.check(against: changed)
            return .recording(changed, try choices.options(for: changed))
        }
    }

    private func spans(_ traces: [TraceFile]) throws -> [PlotSpan] {
        try faults.list(for: traces).map { fault in
            PlotSpan(
                start: fault.start.inSeconds,
                end: fault.duration.map { (fault.start + $0).inSeconds } ?? .infinity, label: fault.description)
        }
    }

    private func write(_ figure: PlotFigure, _ maker: PNGConverter?, until stop: StopRequest) async throws {
        guard let output, let format = chosenFormat else { return }
        let bytes: [UInt8]
        switch format {
        case .svg: bytes = Array(figure.svg().utf8)
        case .html: bytes = Array(figure.page().utf8)
        case .png:
            do throws(DeviceError) {
                bytes = try await maker?.png(of: figure.svg(), resolution: dpi, until: stop) ?? []
            } catch {
                guard stop.reason == nil else { return }
                Log.error(error.description)
                return try ExitStatus.unavailable.exit()
            }
        }
        try AtomicFile.write(bytes, to: output, new)
    }
}
