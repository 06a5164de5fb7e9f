// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace
import TraceEditing

/// A format of recordings, with functions to detect, read and write it.
///
/// Each format is a static property, declared in the directory of its name, and an element of ``all``. Detection,
/// reading, the list of formats that can be written and the help of commands are derived from that list.
public struct RecordingFormat: Sendable {
    /// The confidence that an input is in a format.
    enum DetectionConfidence: Int {
        /// Only the name suggests the format.
        case nameOnly = 1
        /// The contents may be of this format or of a similar one.
        case likely
        /// The contents cannot be of another format.
        case certain
    }

    /// The name of the format in commands.
    public let name: String
    /// A description of a recording in messages; empty for a format that cannot be read.
    var title = ""
    /// The file name extensions that select the format, in lower case, each with its dot.
    public internal(set) var fileExtensions: [String] = []
    /// True if the format is a folder of files, which cannot be written to standard output.
    package internal(set) var isFolder = false
    /// True if the format contains the positions of one receiver, which ``ExportOptions/receiver`` selects.
    package internal(set) var supportsReceiverSelection = false
    /// True if the format can contain arrival times; see ``ExportOptions/includesArrivalTimes``.
    package internal(set) var supportsArrivalTimes = false
    /// True if detection may read the whole file. These formats are tried after all others.
    var isTriedLast = false
    /// True if the writer itself reports damaged reports of gpsd, or the format contains no reports.
    var reportsDamage = false
    /// Returns the confidence that an input is in this format; nil if it is not. The closure is nil for a format that
    /// cannot be read.
    var detect: (@Sendable (RecordingInput) throws(DeviceError) -> DetectionConfidence?)?
    var read: (@Sendable (RecordingInput, RecordingOptions) throws(DeviceError) -> RecordingContents)?
    /// Writes a trace to a path, and returns remarks about omitted content.
    var writer: (@Sendable (TraceFile, String, ExportOptions) throws(DeviceError) -> [String])?

    /// All formats. If several formats match an input equally well, the first one is used.
    public static let all: [RecordingFormat] = [
        .trace, .gpsd, .nmea, .gpx, .xcode, .kml, .geojson, .csv, .iio, .mcap, .sensorLogger, .phyphox, .umockdev,
    ]

    /// The formats in which a trace can be written.
    package static var writableFormats: [RecordingFormat] { all.filter { $0.writer != nil } }

    /// The file name extensions of the formats that can be written, for the help of commands.
    package static var writableFileExtensions: [String] { writableFormats.flatMap(\.fileExtensions) }

    /// Writes a trace to a file, or to a folder if the format is one.
    ///
    /// The trace is read and written event by event, so memory use does not depend on its length.
    ///
    /// - Parameters:
    ///   - trace: The trace to write.
    ///   - path: The path of the file or folder. "-" is standard output, for formats that are a file.
    ///   - options: Options that do not apply to the format are ignored.
    /// - Returns: Remarks about content that the format cannot contain and that was omitted.
    /// - Throws: An error if the trace contains nothing for the format, if the path exists and may not be replaced, or
    ///   if writing fails.
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

    /// Writes a trace with default options, except whether an existing file may be replaced.
    package func write(_ trace: TraceFile, to path: String, overwrite: Bool) throws(DeviceError) -> [String] {
        try write(trace, to: path, options: ExportOptions(overwrite: overwrite))
    }
}

extension RecordingFormat {
    /// Creates the format with this name, if it can be written; nil otherwise.
    public init?(name: String) {
        guard let format = Self.writableFormats.first(where: { $0.name == name }) else { return nil }
        self = format
    }

    /// Creates the format whose extension ends the file name, if it can be written; nil otherwise.
    public init?(fileName: String) {
        let name = fileName.lowercased()
        guard let format = Self.writableFormats.first(where: { $0.fileExtensions.contains(where: name.hasSuffix) })
        else { return nil }
        self = format
    }
}

extension RecordingFormat: Hashable, CustomStringConvertible {
    /// Compares the names of two formats.
    public static func == (left: RecordingFormat, right: RecordingFormat) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The name.
    public var description: String { name }
}
