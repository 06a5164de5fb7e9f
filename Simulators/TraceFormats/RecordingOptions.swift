// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a program knows about a recording of unknown kind.
public struct RecordingOptions: Sendable, Hashable {
    /// For CSV files.
    public var csv = MotionCSVOptions()
    /// For folders of Sensor Logger.
    public var sensorLogger = SensorLoggerOptions()
    /// For raw buffer files.
    public var iio = IIORecordingOptions()

    /// Options that leave everything to the recording.
    public init() {}
}
