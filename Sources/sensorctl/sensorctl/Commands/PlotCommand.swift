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
        commandName: "plot",
        abstract: "Draws recordings for a page or a screen.",
        usage: "sensorctl plot <trace> ... [<stream> ...] -o <file> [<options>]",
        discussion: """
            Draws what a recording holds, or the streams that are named: \(PlotSubject.list). Values come from the \
            managers, as `replay` prints them. Several recordings lie over one another on the same axes. A word that is a \
            stream is one; write ./speed for a file of that name.

            The ending of the output says what is made: an SVG as wide as an A4 page, a PNG of it, or a page of HTML that tells \
            the numbers below the pointer and needs nothing else. Of many readings the least and the greatest of each stretch \
            are drawn, so that no peak is lost.

            Gaps, which are longer than three usual intervals, break lines, and are grey where there is a single recording. \
            Bands around speed, altitude and heading, and circles around positions, are the accuracy as it was told. A heading \
            that is not to be trusted is grey. What --fault lets go wrong is marked, on the track too. Satellites that no fix \
            uses are hollow. Positions stand at the receiver's time, or when they came where that is ten seconds off.

            What `replay --json` or `replay --expect` wrote of sensors, attitude and heading is drawn as well: over the \
            recording it shows what another version of the filter makes of it.

            With --json it prints the numbers that it draws, an object for each line; -o may be left out then.

            Exits with 69 when a stream that is named is not in any of the recordings. See sensorctl --help for the other exit \
            codes.

            Examples:
              sensorctl plot drive.jsonl -o drive.html
              sensorctl plot drive.jsonl speed --fault nofix@30s+20s -o drive.svg
              sensorctl plot drive.jsonl drive.expected attitude -o change.svg
            """)

    @Argument(help: "The recordings, - for standard input, and the streams to draw.", completion: .file())
    var words: [String]

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("What to write: .svg, .html or .png; - for standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(help: "What is written, where the name does not say it: svg, html or png.")
    var format: PlotFormat?

    @OptionGroup var new: NewFileOptions

    @Option(help: "What stands over it; the name of the recording, unless given.")
    var title: String?

    @Flag(help: "Write times of day (UTC) at the axis, not the time since the start.")
    var clock = false

    @Option(
        help:
            "How several recordings lie to each other: clock or start; by the clock where they overlap, unless given.",
        transform: PlotCommand.alignment)
    var align: TraceMerger.Alignment?

    @Option(help: "Dots to an inch of a PNG.")
    var dpi = 150

    @OptionGroup var reference: ReferenceOptions

    @OptionGroup(title: "Recordings of other programs, all of them alike") var imports: ImportOptions

    @OptionGroup(title: "What is played") var choices: PlaybackChoices

    @OptionGroup(title: "What goes wrong") var faults: TraceFaultOptions

    @OptionGroup var printed: OutputOptions

    /// The most recordings of one plot, which colours and dashes can tell from each other.
    static let limit = 7

    /// The words that are recordings.
    var files: [String] { words.filter { PlotSubject.named($0) == nil } }

    /// What is to be drawn, in the order of the page; all of it where nothing is named.
    var subjects: [PlotSubject] {
        let named = Set(words.compactMap { PlotSubject.named($0) }.joined())
        if named == [.intervals] { return [.intervals] }
        return named.isEmpty ? PlotSubject.allCases : PlotSubject.allCases.filter { named.contains($0) }
    }

    /// True where somebody has said what to draw.
    var isChosen: Bool { files.count < words.count }

    var chosenFormat: PlotFormat? { format ?? output.flatMap { $0 == "-" ? .svg : PlotFormat(fileName: $0) } }

    func validate() throws {
        try Self.refuse(files.isEmpty, "Name a recording. Streams are \(PlotSubject.list).")
        try Self.refuse(files.count > Self.limit, "Up to \(Self.limit) recordings can be told from each other.")
        try Self.refuse(files.count { $0 == "-" } > 1, "Standard input can be read once only.")
        if let stream = files.first(where: { StreamName(argument: $0) != nil }) {
            throw ValidationError(
                "\(stream) cannot be drawn; streams that can are \(PlotSubject.list). Write ./\(stream) for a file of that name."
            )
        }
        if output == nil, !printed.json {
            throw ValidationError("Say with -o what to write: a file that ends in .svg, .html or .png.")
        }
        try Self.refuse(
            output == "-" && printed.json, "Standard output belongs to --json: give -o a file, or leave it out.")
        if let output, chosenFormat == nil {
            throw ValidationError(
                "The name \(output) does not end in .svg, .html or .png. Rename it, or give --format.")
        }
        try Self.refuse(!(30...1200).contains(dpi), "--dpi takes dots to an inch, from 30 to 1200.")
        try faults.validate(upTo: choices.to)
        try Self.refuse(choices.loop?.rounds == .endless, "A picture of a recording without an end is never done.")
    }

    func run() async throws {
        if let output { try OutputCheck.check(output, against: files) }
        // Before a long recording is played for nothing.
        let maker = try chosenFormat == .png ? ExitStatus.ending({ _ in .unavailable }, PNGMaker.init) : nil
        // Whoever waits for a pipe is ended by any signal.
        let sources = try sources()
        try await Termination.during { try await run(sources, maker, $0) }
    }

    private func run(_ sources: [PlotSource], _ maker: PNGMaker?, _ stop: Stop) async throws -> ExitStatus {
        let play = PlotPlay(
            sources: sources, subjects: subjects, isChosen: isChosen, align: align, reference: reference,
            options: choices.options, spans: try spans())
        var figure = try await play.figure(until: stop)
        if let reason = stop.reason { return reason.status(isComplete: true, shortfall: "") }
        if clock { figure.clock = try play.civilClock() }
        if let title { figure.title = PlotText.name(title) }
        try await write(figure, maker, until: stop)
        if printed.json {
            var writer = JSONWriter()
            figure.writeNumbers(to: &writer)
            StandardOutput(stop: stop).write(writer.bytes)
        }
        return stop.status()
    }

    private func sources() throws -> [PlotSource] {
        let told = files.map { ToldCallbacks.isAt($0) }
        let recordings = zip(files, told).filter { !$0.1 }.map(\.0)
        var traces = (recordings.isEmpty ? [] : try imports.read(recordings))[...]
        return try zip(files, told).map { path, isTold in
            guard !isTold, let trace = traces.popFirst() else {
                return .told(
                    try ExitStatus.ending(ExitStatus.init(reading:)) { () throws(DeviceError) in
                        try ToldCallbacks(path: path)
                    })
            }
            let changed = try faults.apply(to: trace)
            try choices.check(against: changed)
            return .recording(changed)
        }
    }

    /// What goes wrong from when to when.
    private func spans() throws -> [PlotSpan] {
        guard let fault = faults.fault else { return [] }
        return try ExitStatus.validating { () throws(DeviceError) in try TraceFault.list(fault) }.map { fault in
            PlotSpan(
                start: fault.start, end: fault.duration.map { fault.start + $0 } ?? .infinity, label: fault.description)
        }
    }

    private func write(_ figure: PlotFigure, _ maker: PNGMaker?, until stop: Stop) async throws {
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
                Notes.fail(error.description)
                return try ExitStatus.unavailable.end()
            }
        }
        try WholeFile.write(bytes, to: output, new)
    }
}
