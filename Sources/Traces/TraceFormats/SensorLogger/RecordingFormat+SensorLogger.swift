// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

extension Recording {
    /// Reads a folder exported by the Sensor Logger app. docs/formats.md lists the files that are read.
    ///
    /// A phone's `altitude` is above the ellipsoid, and a watch's is above mean sea level. Accuracies are 68 % radii
    /// and are not converted. If units are not standardised, acceleration from iOS is in m/s² in Apple's sign
    /// convention, and the import inverts its sign. The axes are those of the phone: x to the right, y up, z out of the
    /// screen.
    ///
    /// - Throws: An error that states the file, the line and the column. Also throws an error if the sign of
    ///   acceleration is unknown.
    package init(sensorLoggerFolder path: String, options: SensorLoggerOptions = .init()) throws(DeviceError) {
        let files = try Folder.names(path)
        let reader = SensorLoggerReader(name: path, options: options, files: files) { (name) throws(DeviceError) in
            try Folder.readIfPresent("\(path)/\(name)")
        }
        self = try reader.recording()
    }

    package init(
        sensorLogger files: [String: [UInt8]], name: String, options: SensorLoggerOptions = .init()
    ) throws(DeviceError) {
        let reader = SensorLoggerReader(name: name, options: options, files: files.keys.sorted()) { files[$0] }
        self = try reader.recording()
    }
}

extension RecordingFormat {
    /// A folder exported by the Sensor Logger app. This format can be read but not written.
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
