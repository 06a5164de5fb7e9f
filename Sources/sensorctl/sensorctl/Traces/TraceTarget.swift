// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import SystemCalls
import Trace
import TraceEditing
import TraceFormats

struct TraceTarget: ParsableArguments {
    @Argument(
        help:
            "The output file, or - for standard output. Unless you specify --format, the file extension determines the format: \(RecordingFormat.writableFileExtensions.joined(separator: ", ")).",
        completion: .file())
    var output: String

    @Option(help: "The output format. For standard output, the default is trace.") var format: RecordingFormat?

    @OptionGroup var new: NewFileOptions

    @Option(
        help: .init(
            "The receiver whose positions are written if the output format supports only one receiver. The default is the receiver of the first fix.",
            valueName: "path"))
    var receiver: String?

    @Flag(help: "Also write arrival times. This flag requires the gpsd or nmea format.") var stamps = false

    @Option(
        help:
            "The contents of a CSV file: positions, motion or both. The default is both, in one table, as far as the recording contains them."
    )
    var table: CSVContents?

    func validate() throws {
        if output == "-", let format, format.isFolder {
            throw ValidationError(
                "The format \(format.name) is a folder and cannot be written to standard output. Name a folder.")
        }
        try Self.rejectIf(
            receiver != nil && !chosenFormat.supportsReceiverSelection,
            "The format \(chosenFormat.name) contains all receivers: omit --receiver.")
        try Self.rejectIf(table != nil && chosenFormat != .csv, "--table requires the format csv.")
        try Self.rejectIf(stamps && !chosenFormat.supportsArrivalTimes, "--stamps requires the format gpsd or nmea.")
        guard format == nil, output != "-", RecordingFormat(fileName: output) == nil else { return }
        let extensions = RecordingFormat.writableFileExtensions
        let question = NameSuggestion.question(
            output.lastIndex(of: ".").map { output[$0...] } ?? "", among: extensions)
        throw ValidationError(
            "The extension of \(output) does not determine a format.\(question) Use one of \(extensions.joined(separator: ", ")), or --format."
        )
    }

    /// The output format, which is a trace by default.
    var chosenFormat: RecordingFormat { format ?? RecordingFormat(fileName: output) ?? .trace }

    private var options: ExportOptions {
        var options = ExportOptions(
            overwrite: new.overwrite, mode: new.mode?.bits, receiver: receiver, includesArrivalTimes: stamps)
        options.table = table ?? .both
        return options
    }

    func check(against inputs: [String]) throws { try OutputCheck.check(output, against: inputs) }

    /// Writes the edited trace. Logs any content that the output format cannot represent.
    func write(_ trace: TraceFile, edits: [any TraceEdit]) throws {
        try write { (sink) throws(DeviceError) in
            let remarks = try TraceEditor.write(trace, edits: edits, to: sink)
            return (ReportDiagnostics(trace).remarks + remarks).map { "\(trace.name): \($0)" }
        }
    }

    /// Writes the output. Traces are written event by event, other formats once all events are available.
    func write(_ make: (any TraceSink) throws(DeviceError) -> [String]) throws {
        try logRemarks { () throws(DeviceError) in
            guard chosenFormat == .trace else {
                let builder = TraceBuilder(name: output)
                for remark in try make(builder) { Log.warning(remark) }
                var options = options
                options.isDamageReported = true
                return try chosenFormat.write(try builder.file(), to: output, options: options)
            }
            let file = DeferredTraceFile(path: output, new)
            for remark in try make(file) { Log.warning(remark) }
            try file.close()
            return []
        }
    }

    /// Writes the trace. Logs any content that the output format cannot represent.
    func write(_ trace: TraceFile) throws {
        try logRemarks { () throws(DeviceError) in try chosenFormat.write(trace, to: output, options: options) }
    }

    private func logRemarks(_ body: () throws(DeviceError) -> [String]) throws {
        // In a terminal, text on standard output would be mixed with that of the activity.
        let isShown = output != "-" || !Descriptor.standardOutput.isTerminal
        let activity = isShown ? Activity("Writing \(output)") : nil
        defer { activity?.end() }
        do throws(DeviceError) { for remark in try body() { Log.warning(remark) } } catch {
            try ExitStatus.exit(error, writing: output)
        }
    }
}

extension CSVContents: ExpressibleByArgument {}

struct EditOptions: ParsableArguments {
    @Argument(
        help: "The recording, or - for standard input. Folders and libiio's XML cannot be read from standard input.",
        completion: .file())
    var file: String

    @OptionGroup var target: TraceTarget
    @OptionGroup(title: "Recordings from other programs") var imports: ImportOptions

    /// Checks that the output would not overwrite the recording, and then reads it.
    func read() throws -> TraceFile {
        try target.check(against: [file])
        return try imports.read(file)
    }
}

/// A trace file that is created only when its header is written. If an error occurs before that, no empty file is left
/// behind. If the file is not closed, an existing file remains unchanged and a new one is removed.
final class DeferredTraceFile: TraceSink {
    private let path: String
    private let options: NewFileOptions
    private var writer: TraceWriter?

    init(path: String, _ options: NewFileOptions) { (self.path, self.options) = (path, options) }

    func write(_ header: TraceHeader) throws(DeviceError) {
        let writer = try TraceWriter(whole: path, overwrite: options.overwrite, mode: options.mode?.bits)
        self.writer = writer
        try writer.write(header)
    }

    func write(_ event: TraceEvent) throws(DeviceError) { try writer?.write(event) }
    func close() throws(DeviceError) { try writer?.close() }
}

/// Writes files atomically: either completely or not at all.
enum AtomicFile {
    /// Writes to a file or, if the path is "-", to standard output. Exits with an error on failure.
    static func write(_ bytes: [UInt8], to path: String, _ options: NewFileOptions) throws {
        do throws(DeviceError) {
            let file = try TraceOutput(whole: path, overwrite: options.overwrite, mode: options.mode?.bits)
            do throws(DeviceError) { try file.write(bytes) } catch {
                file.abandon()
                throw error
            }
            try file.close()
        } catch { try ExitStatus.exit(error, writing: path) }
    }
}

extension ExitStatus {
    /// Logs the error and throws the corresponding exit status. If the output's reader closed the pipe, returns without
    /// logging.
    static func exit(_ error: DeviceError, writing output: String) throws {
        switch error.cause {
        case .system(_, EPIPE)?:
            // The reader closed the pipe, which is not an error.
            return
        case .system(_, EEXIST)?:
            Log.error("\(output) already exists. Choose another name, or replace it with --overwrite.")
            try ExitStatus.cannotCreate.exit()
        default: Log.error(error.description)
        }
        try ExitStatus(error, otherwise: error.code == .inputOutput ? .inputOutput : .cannotCreate).exit()
    }
}
