// This source file is part of the swift-device-services project.
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
    public init(
        sensorLoggerFolder path: String, options: SensorLoggerOptions = .init()
    ) throws(DeviceError) {
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
    public init(
        sensorLogger files: [String: [UInt8]], name: String, options: SensorLoggerOptions = .init()
    ) throws(DeviceError) {
        let reader = SensorLoggerReader(name: name, options: options, files: files.keys.sorted()) { files[$0] }
        self = try reader.recording()
    }
}

extension Recording {
    /// Writes the recording as a folder of Sensor Logger: see ``TraceExport/writeSensorLogger(_:to:options:)``.
    ///
    /// - Returns: remarks: what Sensor Logger cannot hold.
    @discardableResult
    public func writeSensorLogger(folder path: String, overwrite: Bool = false) throws(DeviceError) -> [String] {
        try TraceExport.writeSensorLogger(try trace(named: path), to: path, options: .init(overwrite: overwrite))
    }
}
