// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace
import TraceEditing

/// A format of recordings: what it is called, how it is told from others, and how it is read and written.
///
/// Each format is one value in the folder of its name, and one entry of ``all``. Everything else is derived from that
/// list: how files and standard input are told apart and read, what can be written, and what commands say of formats.
public struct RecordingFormat: Sendable {
    /// How much an input looks like a format.
    enum Likeness: Int {
        /// Only its name says so.
        case named = 1
        /// It may be of the format, or of one that is a little like it.
        case likely
        /// It can be nothing else.
        case certain
    }

    /// What commands call it.
    public let name: String
    /// What messages call a recording of it; empty for a format that is not read.
    var title = ""
    /// Endings of names of files that ask for it, in lower case.
    public internal(set) var endings: [String] = []
    /// True for a folder of files, which standard output cannot be.
    public internal(set) var isFolder = false
    /// True for formats of one receiver, which can be chosen.
    public internal(set) var hasOneReceiver = false
    /// True for formats that have times of arrival on demand.
    public internal(set) var hasStamps = false
    /// True when it takes more than the beginning of a file to tell it: such formats are tried after all others.
    var isTriedLast = false
    /// True for formats that read reports as they write and tell of damaged ones, or have nothing of reports.
    var tellsDamage = false
    /// Says how much an input looks like the format; nil for not at all.
    var sniff: (@Sendable (RecordingInput) throws(DeviceError) -> Likeness?)?
    /// Reads an input that looks like it.
    var read: (@Sendable (RecordingInput, RecordingOptions) throws(DeviceError) -> RecordingContents)?
    /// Writes a trace to a path, and returns what the format cannot hold.
    var writer: (@Sendable (TraceFile, String, ExportOptions) throws(DeviceError) -> [String])?

    /// All formats that are read or written. Of those that an input looks like equally, the first counts.
    public static let all: [RecordingFormat] = [
        .trace, .gpsd, .nmea, .gpx, .xcode, .kml, .geojson, .csv, .iio, .mcap, .sensorLogger, .phyphox, .umockdev,
    ]

    /// The formats that a trace can be written in.
    public static var written: [RecordingFormat] { all.filter { $0.writer != nil } }

    /// Endings of names of files that can be written, for a command's help.
    public static var knownEndings: [String] { written.flatMap(\.endings) }

    /// Writes the trace into a file, or a folder where the format is one.
    ///
    /// The trace is read event by event and written as it goes, so that memory stays small however long it is.
    ///
    /// - Parameters:
    ///   - trace: What is written.
    ///   - path: The file; "-" is standard output, for formats that are a file.
    ///   - options: Those that the format does not have are passed over.
    /// - Returns: What the format cannot hold and was therefore left out.
    /// - Throws: An error when the trace holds nothing for the format, when something is there already and may not be
    ///   replaced, or when it cannot be written.
    public func write(
        _ trace: TraceFile, to path: String, options: ExportOptions = .init()
    ) throws(DeviceError) -> [String] {
        guard let writer else { throw DeviceError(.notSupported, "The format \(name) is read and not written.") }
        guard !isFolder || path != "-" else {
            throw DeviceError(
                .invalidConfiguration,
                "The format \(name) is a folder of files, which standard output has no place for.")
        }
        let remarks = try writer(trace, path, options)
        return tellsDamage || options.isDamageKnown ? remarks : ReportDamage(trace).remarks + remarks
    }

    /// The same with no options but whether what is there already may be replaced.
    public func write(_ trace: TraceFile, to path: String, overwrite: Bool) throws(DeviceError) -> [String] {
        try write(trace, to: path, options: ExportOptions(overwrite: overwrite))
    }
}

extension RecordingFormat {
    /// The format to write that a command calls so; nil when there is none.
    public init?(name: String) {
        guard let format = Self.written.first(where: { $0.name == name }) else { return nil }
        self = format
    }

    /// The format to write that the name of a file asks for; nil when it asks for none.
    public init?(fileName: String) {
        let name = fileName.lowercased()
        guard let format = Self.written.first(where: { $0.endings.contains(where: name.hasSuffix) }) else { return nil }
        self = format
    }
}

extension RecordingFormat: Hashable, CustomStringConvertible {
    /// Formats are the same that have one name.
    public static func == (left: RecordingFormat, right: RecordingFormat) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The name.
    public var description: String { name }
}
