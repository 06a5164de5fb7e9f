// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

/// A recording of any kind that is known here, ready to be played.
///
///     let recording = try RecordingFile.open("walk.csv")
///     let device = SimulatedDevice(recording.trace)
///
/// The kind is told from the contents: a native trace; text with gpsd's reports; a log of NMEA sentences; a CSV file of
/// motion readings; a folder of Sensor Logger; the XML of a libiio context with raw buffer files beside it; positions as
/// GPX; tables of phyphox; umockdev's descriptions and dialogues; or MCAP. All but the first two become a native trace. A
/// table that nobody knows is read by the column map in the options (``CSVColumnMap``).
public struct RecordingFile: Sendable {
    /// The kinds that are told apart.
    public enum Kind: String, Sendable, CaseIterable {
        /// A trace as ``Trace/TraceWriter`` writes it.
        case native
        /// Text with gpsd's reports.
        case gpsd
        /// A log of a receiver's sentences (NMEA 0183).
        case nmea
        /// Motion readings as CSV.
        case csv
        /// A folder that the app Sensor Logger exported.
        case sensorLogger
        /// A libiio context with raw buffer files.
        case iio
        /// Positions as GPX.
        case gpx
        /// An MCAP file.
        case mcap
        /// What the app phyphox exported as CSV: a table, or a folder of them.
        case phyphox
        /// umockdev's description of devices, or its script of a dialogue.
        case umockdev
    }

    /// What it was.
    public let kind: Kind
    /// What there is to play.
    public let trace: TraceFile
    /// What somebody should know about the import; empty when all is well.
    public let remarks: [String]

    /// Opens a file or a folder. The error says what it is instead of a recording, or where it is damaged.
    public static func open(
        _ path: String, options: RecordingOptions = .init()
    ) throws(DeviceError) -> RecordingFile {
        try make(try RecordingContents.load(path, options), name: path)
    }

    /// Reads a recording that is in memory already: any kind but a folder and libiio's XML, which has its buffers in other
    /// files.
    ///
    /// - Parameter name: what to call it in messages.
    public static func read(
        _ bytes: [UInt8], name: String, options: RecordingOptions = .init()
    ) throws(DeviceError) -> RecordingFile {
        try make(try RecordingContents.load(TraceBytes(bytes), name: name, options), name: name)
    }

    private static func make(
        _ loaded: (kind: RecordingFile.Kind, contents: RecordingContents), name: String
    ) throws(DeviceError) -> RecordingFile {
        let (kind, contents) = loaded
        switch contents {
        case .trace(let file, let remarks):
            return RecordingFile(kind: kind, trace: file, remarks: remarks)
        case .recording(let recording):
            return RecordingFile(kind: kind, trace: try recording.trace(named: name), remarks: recording.remarks)
        }
    }
}

extension Recording {
    /// Reads the motion readings of a recording of any kind: see ``RecordingFile``.
    public init(path: String, options: RecordingOptions = .init()) throws(DeviceError) {
        switch try RecordingContents.load(path, options).contents {
        case .trace(let file, _): try self.init(trace: file)
        case .recording(let recording): self = recording
        }
    }
}
