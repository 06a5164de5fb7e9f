// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

/// A recording in any supported format, ready for playback.
///
/// ```swift
/// let recording = try RecordingFile.open("walk.csv")
/// let device = SimulatedDevice(recording.trace)
/// ```
///
/// The format is detected from the contents: a native trace; gpsd's reports as text; a log of NMEA sentences; a CSV
/// file of motion readings; a folder of Sensor Logger; the XML of a libiio context with raw buffer files beside it;
/// positions as GPX; tables of phyphox; device descriptions and scripts of umockdev; or MCAP. All but the first two are
/// converted to a native trace. A table in an unknown layout can be read with a column map (``CSVColumnMap``) in the
/// options.
public struct RecordingFile: Sendable {
    /// The detected format.
    public let format: RecordingFormat
    /// The recording as a trace.
    public let trace: TraceFile
    /// Remarks about the import for the user; empty if there are none.
    public let remarks: [String]

    /// Opens a file or a folder.
    ///
    /// - Throws: An error that names the detected type of an unsupported file, or the location of the damage.
    public static func open(
        _ path: String, options: RecordingOptions = .init()
    ) throws(DeviceError) -> RecordingFile { try make(try RecordingInput(path: path), options) }

    /// Reads a recording in memory, in any format but a folder and libiio's XML, which has its buffers in other files.
    ///
    /// - Parameters:
    ///   - bytes: The contents of the file.
    ///   - name: The name of the recording in messages.
    ///   - options: Options for its format.
    public static func read(
        _ bytes: [UInt8], name: String, options: RecordingOptions = .init()
    ) throws(DeviceError) -> RecordingFile { try read(TraceBytes(bytes), name: name, options: options) }

    /// Reads a recording from bytes in memory or in a mapped file.
    package static func read(
        _ bytes: TraceBytes, name: String, options: RecordingOptions = .init()
    ) throws(DeviceError) -> RecordingFile { try make(RecordingInput(bytes, name: name), options) }

    private static func make(
        _ input: RecordingInput, _ options: RecordingOptions
    ) throws(DeviceError) -> RecordingFile {
        let (format, contents) = try input.load(options)
        switch contents {
        case .trace(let file, let remarks):
            return RecordingFile(format: format, trace: file, remarks: remarks)
        case .recording(let recording):
            let trace = try recording.trace(named: input.name)
            return RecordingFile(format: format, trace: trace, remarks: recording.remarks)
        }
    }
}

extension Recording {
    /// Reads the motion readings of a recording in any format; see ``RecordingFile``.
    public init(path: String, options: RecordingOptions = .init()) throws(DeviceError) {
        switch try RecordingInput(path: path).load(options).contents {
        case .trace(let file, _): try self.init(trace: file)
        case .recording(let recording): self = recording
        }
    }
}

/// Options for reading a recording whose format is not known in advance.
public struct RecordingOptions: Sendable, Hashable {
    /// Options for logs of NMEA sentences.
    public var nmea = NMEALogOptions()
    /// Options for CSV files.
    public var csv = MotionCSVOptions()
    /// Options for folders of Sensor Logger.
    public var sensorLogger = SensorLoggerOptions()
    /// Options for raw buffer files of libiio.
    public var iio = IIORecordingOptions()
    /// Options for GPX files.
    public var gpx = GPXOptions()

    /// The columns of a table. If set, the recording is read as CSV. nil to detect the format from the contents.
    public var columns: CSVColumnMap?

    /// Creates default options: all information is taken from the recording.
    public init() {}
}
