// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
