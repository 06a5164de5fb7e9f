// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension RecordingFormat {
    /// A folder that the app Sensor Logger exported: see ``Recording/init(sensorLoggerFolder:options:)``. It is read and
    /// not written.
    public static let sensorLogger = RecordingFormat(
        name: "sensor-logger", title: "a folder of Sensor Logger", sniff: sniff, read: read)

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
