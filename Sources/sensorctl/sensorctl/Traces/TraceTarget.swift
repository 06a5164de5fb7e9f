// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Trace
import TraceEditing
import TraceFormats

/// Where a verb that makes a recording puts it.
struct TraceTarget: ParsableArguments {
    @Argument(
        help:
            "What to write; - for standard output. Its ending says the format (\(RecordingFormat.knownEndings.joined(separator: ", "))) unless --format does.",
        completion: .file())
    var output: String

    @Option(
        help: "The format: \(TraceTarget.formats). On standard output a trace, unless given.",
        transform: TraceTarget.format)
    var format: RecordingFormat?

    @OptionGroup var new: NewFileOptions

    @Option(
        help: ArgumentHelp(
            "The receiver whose positions are written, in formats of one; that of the first fix, unless given.",
            valueName: "path"))
    var receiver: String?

    @Flag(help: "Write the times of arrival too, in gpsd's reports and NMEA.")
    var stamps = false

    private static var formats: String { RecordingFormat.written.map(\.name).joined(separator: ", ") }

    private static func format(_ text: String) throws -> RecordingFormat {
        guard let format = RecordingFormat(name: text) else {
            throw ValidationError("\(text) is no format; known are \(formats).")
        }
        return format
    }

    func validate() throws {
        if output == "-", let format, format.isFolder {
            throw ValidationError("The format \(format.name) is a folder, which standard output cannot be. Name one.")
        }
        try Self.refuse(
            receiver != nil && !chosenFormat.hasOneReceiver,
            "The format \(chosenFormat.name) has all receivers; leave --receiver out.")
        try Self.refuse(stamps && !chosenFormat.hasStamps, "--stamps is for the formats gpsd and nmea.")
        guard format == nil, output != "-", RecordingFormat(fileName: output) == nil else { return }
        throw ValidationError(
            "The name \(output) does not say a format. End it in one of \(RecordingFormat.knownEndings.joined(separator: ", ")), or give --format."
        )
    }

    /// The format that is written: a native trace where nothing says another.
    var chosenFormat: RecordingFormat { format ?? RecordingFormat(fileName: output) ?? .trace }

    private var options: ExportOptions {
        ExportOptions(overwrite: new.overwrite, mode: new.mode?.bits, receiver: receiver, hasStamps: stamps)
    }

    /// Refuses to write over what is read.
    func check(against inputs: [String]) throws { try OutputCheck.check(output, against: inputs) }

    /// Writes the trace with the edits, and says what its format cannot hold.
    func write(_ trace: TraceFile, edits: [any TraceEdit]) throws {
        try write { (sink) throws(DeviceError) in
            let remarks = try TraceEditor.write(trace, edits: edits, to: sink)
            return (ReportDamage(trace).remarks + remarks).map { "\(trace.name): \($0)" }
        }
    }

    /// Writes a native trace as the closure makes it, and anything else by way of memory.
    func write(_ make: (any TraceSink) throws(DeviceError) -> [String]) throws {
        try tell { () throws(DeviceError) in
            guard chosenFormat == .trace else {
                let builder = TraceBuilder(name: output)
                for remark in try make(builder) { Notes.warn(remark) }
                var options = options
                options.isDamageKnown = true
                return try chosenFormat.write(try builder.file(), to: output, options: options)
            }
            let file = LateTraceFile(path: output, new)
            for remark in try make(file) { Notes.warn(remark) }
            try file.close()
            return []
        }
    }

    /// Writes the trace as it is, and says what its format cannot hold.
    func write(_ trace: TraceFile) throws {
        try tell { () throws(DeviceError) in try chosenFormat.write(trace, to: output, options: options) }
    }

    private func tell(_ body: () throws(DeviceError) -> [String]) throws {
        do throws(DeviceError) {
            for remark in try body() { Notes.warn(remark) }
        } catch {
            try ExitStatus.end(error, writing: output)
        }
    }
}

/// What a verb reads that makes another recording of a recording, and where it puts that.
struct EditOptions: ParsableArguments {
    @Argument(
        help: "The recording; - for standard input, which takes all but folders and libiio's XML.", completion: .file())
    var file: String

    @OptionGroup var target: TraceTarget

    @OptionGroup(title: "Recordings of other programs") var imports: ImportOptions

    /// Reads it, unless it would be written over.
    func read() throws -> TraceFile {
        try target.check(against: [file])
        return try imports.read(file)
    }
}

/// A trace file that is made with its header: what fails before that leaves no empty file behind. One
/// that is not closed is removed, and leaves the file that it was to replace as it was.
final class LateTraceFile: TraceSink {
    private let path: String
    private let options: NewFileOptions
    private var writer: TraceWriter?

    init(path: String, _ options: NewFileOptions) {
        self.path = path
        self.options = options
    }

    func write(_ header: TraceHeader) throws(DeviceError) {
        let writer = try TraceWriter(whole: path, overwrite: options.overwrite, mode: options.mode?.bits)
        self.writer = writer
        try writer.write(header)
    }

    func write(_ event: TraceEvent) throws(DeviceError) { try writer?.write(event) }

    func close() throws(DeviceError) { try writer?.close() }
}
