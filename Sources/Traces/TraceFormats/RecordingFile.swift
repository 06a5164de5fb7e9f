// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

/// A recording in any supported format, ready for playback.
///
/// ```swift
/// let recording = try RecordingFile.open("walk.csv")
/// for remark in recording.remarks { print(remark) }
/// let device = SimulatedDevice(recording.trace)
/// ```
///
/// The format is detected from the contents: a native trace, gpsd reports as text, an NMEA log, a CSV file of motion
/// readings, a Sensor Logger folder, libiio XML with raw buffer files beside it, GPX, phyphox tables, umockdev files,
/// or MCAP. Native traces and gpsd reports are used as they are. All other formats are converted to a native trace. To
/// read a table in an unknown layout, set a column map (``CSVColumnMap``) in the options.
public struct RecordingFile: Sendable {
    /// The detected format.
    public let format: RecordingFormat
    /// The recording as a trace.
    public let trace: TraceFile
    /// Messages for the user about the import.
    public let remarks: [String]

    /// Opens a file or a folder.
    ///
    /// - Throws: An error that states the type of an unsupported file, or the location of the damage in a damaged file.
    public static func open(
        _ path: String, options: RecordingOptions = .init()
    ) throws(DeviceError) -> RecordingFile { try make(try RecordingInput(path: path), options) }

    /// Reads a recording from memory. Folders and libiio XML, whose buffers are separate files, are not supported.
    ///
    /// - Parameters:
    ///   - bytes: The contents of the recording file.
    ///   - name: The name of the recording, used in messages.
    ///   - options: The options for reading the recording.
    public static func read(
        _ bytes: [UInt8], name: String, options: RecordingOptions = .init()
    ) throws(DeviceError) -> RecordingFile { try read(TraceBytes(bytes), name: name, options: options) }

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
    /// Reads the motion readings of a recording in any format that ``RecordingFile`` supports.
    public init(path: String, options: RecordingOptions = .init()) throws(DeviceError) {
        switch try RecordingInput(path: path).load(options).contents {
        case .trace(let file, _): try self.init(trace: file)
        case .recording(let recording): self = recording
        }
    }
}

/// Options for reading a recording whose format is not known in advance.
public struct RecordingOptions: Sendable, Hashable {
    /// Options for NMEA logs.
    public var nmea = NMEALogOptions()
    /// Options for CSV files.
    public var csv = MotionCSVOptions()
    /// Options for Sensor Logger folders.
    public var sensorLogger = SensorLoggerOptions()
    /// Options for libiio raw buffer files.
    public var iio = IIORecordingOptions()
    /// Options for GPX files.
    public var gpx = GPXOptions()

    /// The columns of a table. If set, the recording is read as CSV. If nil, the format is detected from the contents.
    public var columns: CSVColumnMap?

    /// Creates options that take all information from the recording.
    ///
    /// - Parameter accuracy: The horizontal accuracy in metres of GPX points that state none. See
    ///   ``GPXOptions/accuracy``.
    public init(accuracy: Double? = nil) { gpx.accuracy = accuracy }
}
