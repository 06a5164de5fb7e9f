// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension RecordingFormat {
    /// A folder exported by the Sensor Logger app. The format can only be read.
    package static let sensorLogger = RecordingFormat(
        name: "sensor-logger", title: "Sensor Logger directories", detect: sniff, read: read)

    private static func sniff(_ input: RecordingInput) throws(DeviceError) -> DetectionConfidence? {
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
                "\(input.name) is one file of a Sensor Logger recording. Open its directory instead.")
        }
        return .recording(try Recording(sensorLoggerFolder: input.name, options: options.sensorLogger))
    }
}
