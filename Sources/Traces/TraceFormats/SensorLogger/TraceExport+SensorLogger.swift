// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

extension TraceExport {
    /// Writes a trace as a folder of Sensor Logger: Metadata.csv, and TotalAcceleration.csv, Gyroscope.csv,
    /// Magnetometer.csv, Barometer.csv, Location.csv and Battery.csv as far as there is something for them.
    ///
    /// Units are standardised: proper acceleration in m/s², rad/s, microtesla, hectopascal, in the axes of the device. The
    /// first sensor of each kind is written. Accuracies are of 68 per cent, as phones have them: gpsd's errors, which
    /// are of 95, are made smaller by the normal distribution's measure. `altitude` is above the ellipsoid,
    /// `altitudeAboveMeanSeaLevel` says what it is; an epoch that was reported several times gives one row, from its
    /// last report, at the receiver's time. Numbers that are not known are -1 where the app has that for them, else
    /// empty cells. A trace without civil time starts in 1970. Memory does not grow with the trace.
    ///
    /// - Parameter path: the folder, which is made when it is not there.
    /// - Returns: remarks: what Sensor Logger cannot hold.
    /// - Throws: an error when there is nothing to write, when files of Sensor Logger are there already and may not be
    ///   replaced, or when they cannot be written.
    public static func writeSensorLogger(
        _ trace: TraceFile, to path: String, options: SensorLoggerExportOptions = .init()
    ) throws(DeviceError) -> [String] {
        guard path != "-" else {
            throw DeviceError(
                .invalidConfiguration,
                "Sensor Logger's format is a folder of files, which standard output has no place for.")
        }
        return try Folder.fill(path) { () throws(DeviceError) in
            var export = SensorLoggerExport(trace, path, options)
            return try export.write()
        }
    }
}
