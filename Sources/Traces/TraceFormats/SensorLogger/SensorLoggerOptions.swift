// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension Recording {
    /// Reads a folder that the app Sensor Logger exported.
    ///
    /// Read are TotalAcceleration.csv, or else the sum of Accelerometer.csv and Gravity.csv; Gyroscope.csv,
    /// Magnetometer.csv, Barometer.csv, Location.csv or another file of positions, Battery.csv, and Metadata.csv for the
    /// platform and whether units were standardised. Columns are found by name. A phone's `altitude` is above the
    /// ellipsoid, a watch's above mean sea level; accuracies are radii of 68 per cent and kept as numbers. On iOS without standardised units acceleration has Apple's sign, in m/s²; it is turned. Files of
    /// uncalibrated sensors are passed over. Axes are the phone's: x right, y up, z out of the screen.
    ///
    /// - Throws: an error that names the file, the line and the column; also when nothing says which sign acceleration
    ///   has.
    public init(sensorLoggerFolder path: String, options: SensorLoggerOptions = .init()) throws(DeviceError) {
        let files = try Folder.names(path)
        let reader = SensorLoggerReader(name: path, options: options, files: files) { (name) throws(DeviceError) in
            try Folder.readIfPresent("\(path)/\(name)")
        }
        self = try reader.recording()
    }

    /// Reads the files of such a folder from memory.
    ///
    /// - Parameters:
    ///   - files: their bytes by name, for example "Gyroscope.csv".
    ///   - name: what to call the folder in messages.
    ///   - options: what its metadata does not say.
    public init(
        sensorLogger files: [String: [UInt8]], name: String, options: SensorLoggerOptions = .init()
    ) throws(DeviceError) {
        let reader = SensorLoggerReader(name: name, options: options, files: files.keys.sorted()) { files[$0] }
        self = try reader.recording()
    }
}

/// What a program knows about a folder of Sensor Logger beyond what its Metadata.csv says.
public struct SensorLoggerOptions: Sendable, Hashable {
    /// The system that the app ran on.
    public enum Platform: String, Sendable {
        /// Acceleration and gravity have Apple's sign, unless they are standardised.
        case iOS = "ios"
        /// Acceleration and gravity have the sign of proper acceleration.
        case android
    }

    /// The system; nil to take it from Metadata.csv.
    public var platform: Platform?
    /// Whether "Standardise Units & Frames" was on; nil to take it from Metadata.csv.
    public var isStandardised: Bool?

    /// The file that positions are taken from, for example "LocationGps.csv"; nil for the first that there is of
    /// Location.csv, which the phone's system has fused, the receiver's own, the watch's and the network's.
    public var locationFile: String?

    /// Options that leave everything to the folder, but for those that are given.
    public init(platform: Platform? = nil, isStandardised: Bool? = nil, locationFile: String? = nil) {
        self.platform = platform
        self.isStandardised = isStandardised
        self.locationFile = locationFile
    }
}
