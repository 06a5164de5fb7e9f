// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

extension Recording {
    /// Reads a folder exported by the Sensor Logger app. docs/formats.md lists the files that are read.
    ///
    /// A phone's `altitude` is above the ellipsoid, and a watch's is above mean sea level. Accuracies are 68 % radii
    /// and are not converted. On iOS without standardised units, acceleration is in m/s² with Apple's sign, which is
    /// inverted. Axes are the phone's: x to the right, y up, z out of the screen.
    ///
    /// - Throws: An error that states the file, the line and the column, or that the sign of acceleration is unknown.
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

/// Options for reading a Sensor Logger folder, which override the contents of Metadata.csv.
public struct SensorLoggerOptions: Sendable, Hashable {
    /// The operating system of the phone.
    public enum Platform: String, Sendable {
        /// iOS. Acceleration and gravity have Apple's sign unless units and frames are standardised.
        case iOS = "ios"
        /// Android. Acceleration and gravity have the sign of proper acceleration.
        case android
    }

    /// The operating system. If nil, Metadata.csv determines it.
    public var platform: Platform?
    /// True if the setting "Standardise Units & Frames" was on. If nil, Metadata.csv determines the setting.
    public var isStandardised: Bool?

    /// The file from which positions are read, for example "LocationGps.csv". If nil, the first existing file of
    /// Location.csv (fused by the phone), LocationGps.csv, the watch's file and LocationNetwork.csv is used.
    public var locationFile: String?

    /// Creates options. By default, all information is taken from the folder.
    public init(platform: Platform? = nil, isStandardised: Bool? = nil, locationFile: String? = nil) {
        self.platform = platform
        self.isStandardised = isStandardised
        self.locationFile = locationFile
    }
}

extension RecordingFormat {
    /// A folder exported by the Sensor Logger app. The format is read-only.
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
