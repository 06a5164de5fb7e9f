// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace
import TraceEditing

/// A recording format, with functions to detect, read and write it.
///
/// Each format is a static property and is listed in ``all``.
public struct RecordingFormat: Sendable {
    /// The confidence that an input has a particular format.
    enum DetectionConfidence: Int {
        /// Only the file name suggests the format.
        case nameOnly = 1
        /// The contents may be in this format or in a similar one.
        case likely
        /// The contents cannot be in any other format.
        case certain
    }

    /// The format name used in commands.
    public let name: String
    /// The title of the format, shown in messages. Empty if the format cannot be read.
    var title = ""
    /// The file name extensions of the format, in lower case and with a leading dot.
    public internal(set) var fileExtensions: [String] = []
    /// True if a recording in this format is a folder of files. A folder cannot be written to standard output.
    package internal(set) var isFolder = false
    /// True if a file can contain the positions of only one receiver. ``ExportOptions/receiver`` selects the receiver.
    package internal(set) var supportsReceiverSelection = false
    /// True if the format can contain arrival times.
    package internal(set) var supportsArrivalTimes = false
    /// True if it may be necessary to read the whole file to detect the format. Such formats are tried last.
    var isTriedLast = false
    /// True if the caller need not check the trace for damaged gpsd reports. Either the writer checks them, or the
    /// format contains no gpsd reports.
    var reportsDamage = false
    /// Returns the confidence that an input is in this format, or nil if the input is in another format. This property
    /// itself is nil if the format cannot be read.
    var detect: (@Sendable (RecordingInput) throws(DeviceError) -> DetectionConfidence?)?
    var read: (@Sendable (RecordingInput, RecordingOptions) throws(DeviceError) -> RecordingContents)?
    /// Writes a trace to a path and returns remarks about omitted content.
    var writer: (@Sendable (TraceFile, String, ExportOptions) throws(DeviceError) -> [String])?

    /// All formats. If several formats match an input equally well, the first one is used.
    public static let all: [RecordingFormat] = [
        .trace, .gpsd, .nmea, .gpx, .xcode, .kml, .geojson, .csv, .iio, .mcap, .sensorLogger, .phyphox, .umockdev,
    ]

    /// The extensions of the format, and whether it can be read and written, for the help text of commands.
    package var summary: String {
        let uses = [detect.map { _ in "read" }, writer.map { _ in "written" }].compactMap(\.self)
        let title = title.isEmpty ? [] : [title]
        return (title + fileExtensions + [uses.joined(separator: " and ")]).joined(separator: ", ")
    }

    package static var writableFormats: [RecordingFormat] { all.filter { $0.writer != nil } }
    package static var writableFileExtensions: [String] { writableFormats.flatMap(\.fileExtensions) }

    /// Writes a trace to a file, or to a folder if the format consists of several files.
    ///
    /// Reads and writes one event at a time, so memory use does not depend on the length of the trace.
    ///
    /// - Parameters:
    ///   - trace: The trace to write.
    ///   - path: The path of the file or folder. "-" writes to standard output, unless the format is a folder.
    ///   - options: The export options. Options that do not apply to the format are ignored.
    /// - Returns: Remarks about content that the format cannot represent.
    /// - Throws: An error if the format can represent none of the trace's content, or if writing fails.
    public func write(
        _ trace: TraceFile, to path: String, options: ExportOptions = .init()
    ) throws(DeviceError) -> [String] {
        guard let writer else { throw DeviceError(.notSupported, "The format \(name) can be read but not written.") }
        guard !isFolder || path != "-" else {
            throw DeviceError(
                .invalidConfiguration,
                "The format \(name) is a directory of files, which cannot be written to standard output.")
        }
        let remarks = try writer(trace, path, options)
        return reportsDamage || options.isDamageReported ? remarks : ReportDiagnostics(trace).remarks + remarks
    }

    package func write(_ trace: TraceFile, to path: String, overwrite: Bool) throws(DeviceError) -> [String] {
        try write(trace, to: path, options: ExportOptions(overwrite: overwrite))
    }
}

extension RecordingFormat {
    /// Finds the writable format with the given name. Returns nil if there is none.
    public init?(name: String) {
        guard let format = Self.writableFormats.first(where: { $0.name == name }) else { return nil }
        self = format
    }

    /// Finds the writable format that matches the file name's extension. Returns nil if there is none.
    public init?(fileName: String) {
        let name = fileName.lowercased()
        guard let format = Self.writableFormats.first(where: { $0.fileExtensions.contains(where: name.hasSuffix) })
        else { return nil }
        self = format
    }
}

extension RecordingFormat: Hashable, CustomStringConvertible {
    /// Returns true if both formats have the same name.
    public static func == (left: RecordingFormat, right: RecordingFormat) -> Bool { left.name == right.name }

    /// Hashes the format name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The format name.
    public var description: String { name }
}
