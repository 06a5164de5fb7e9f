// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

extension RecordingFormat {
    /// A folder of Sensor Logger: Metadata.csv, and TotalAcceleration.csv, Gyroscope.csv, Magnetometer.csv,
    /// Barometer.csv, Location.csv and Battery.csv as far as there is something for them.
    ///
    /// Units are standardised: proper acceleration in m/s², rad/s, microtesla, hectopascal, in the axes of the device. The
    /// first sensor of each kind is written. Accuracies are of 68 per cent, as phones have them: gpsd's errors, which
    /// are of 95, are made smaller by the normal distribution's measure. `altitude` is above the ellipsoid,
    /// `altitudeAboveMeanSeaLevel` says what it is; an epoch that was reported several times gives one row, from its
    /// last report, at the receiver's time. Numbers that are not known are -1 where the app has that for them, else
    /// empty cells. A trace without civil time starts in 1970.
    public static let sensorLogger = RecordingFormat(
        name: "sensor-logger", title: "a folder of Sensor Logger", endings: [".sensorlogger"], isFolder: true,
        hasOneReceiver: true, sniff: sniff, read: read,
        writer: { (trace, path, options) throws(DeviceError) in
            try Folder.fill(path) { () throws(DeviceError) in
                var export = SensorLoggerExport(trace, path, options)
                return try export.write()
            }
        })

    private static func sniff(_ input: RecordingInput) throws(DeviceError) -> Likeness? {
        if let names = input.folder {
            return SensorLoggerReader.fileNames.contains(where: names.contains) ? .likely : nil
        }
        return input.columns.contains("seconds_elapsed") ? .certain : nil
    }

    private static func read(
        _ input: RecordingInput, _ options: RecordingOptions
    ) throws(DeviceError) -> RecordingContents {
        guard input.folder != nil else {
            throw DeviceError(
                .notSupported,
                "\(input.name) is one file of a recording of Sensor Logger. Open the folder that it is in.")
        }
        return .recording(try Recording(sensorLoggerFolder: input.name, options: options.sensorLogger))
    }
}
