// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

/// A recording of any format that is known here, ready to be played.
///
/// ```swift
/// let recording = try RecordingFile.open("walk.csv")
/// let device = SimulatedDevice(recording.trace)
/// ```
///
/// The format is told from the contents: a native trace; text with gpsd's reports; a log of NMEA sentences; a CSV file of
/// motion readings; a folder of Sensor Logger; the XML of a libiio context with raw buffer files beside it; positions as
/// GPX; tables of phyphox; umockdev's descriptions and dialogues; or MCAP. All but the first two become a native trace. A
/// table that nobody knows is read by the column map in the options (``CSVColumnMap``).
public struct RecordingFile: Sendable {
    /// What it was.
    public let format: RecordingFormat
    /// What there is to play.
    public let trace: TraceFile
    /// What somebody should know about the import; empty when all is well.
    public let remarks: [String]

    /// Opens a file or a folder. The error says what it is instead of a recording, or where it is damaged.
    public static func open(
        _ path: String, options: RecordingOptions = .init()
    ) throws(DeviceError) -> RecordingFile { try make(try RecordingInput(path: path), options) }

    /// Reads a recording that is in memory already, which messages call by that name: any kind but a folder and libiio's
    /// XML, which has its buffers in other files.
    public static func read(
        _ bytes: [UInt8], name: String, options: RecordingOptions = .init()
    ) throws(DeviceError) -> RecordingFile { try read(TraceBytes(bytes), name: name, options: options) }

    /// The same of bytes that may lie in a file without a name.
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
    /// Reads the motion readings of a recording of any kind: see ``RecordingFile``.
    public init(path: String, options: RecordingOptions = .init()) throws(DeviceError) {
        switch try RecordingInput(path: path).load(options).contents {
        case .trace(let file, _): try self.init(trace: file)
        case .recording(let recording): self = recording
        }
    }
}

/// What a program knows about a recording of unknown kind.
public struct RecordingOptions: Sendable, Hashable {
    /// For logs of NMEA sentences.
    public var nmea = NMEALogOptions()
    /// For CSV files.
    public var csv = MotionCSVOptions()
    /// For folders of Sensor Logger.
    public var sensorLogger = SensorLoggerOptions()
    /// For raw buffer files.
    public var iio = IIORecordingOptions()
    /// For GPX files.
    public var gpx = GPXOptions()

    /// What the columns of a table hold; the recording is then read as CSV whatever it looks like. Nil to tell what it is
    /// from the contents.
    public var columns: CSVColumnMap?

    /// Options that leave everything to the recording.
    public init() {}
}
