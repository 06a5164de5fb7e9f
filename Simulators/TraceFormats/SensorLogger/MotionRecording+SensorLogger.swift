// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension MotionRecording {
    /// Reads a folder that the app Sensor Logger exported.
    ///
    /// Read are TotalAcceleration.csv, or else the sum of Accelerometer.csv and Gravity.csv; Gyroscope.csv,
    /// Magnetometer.csv, Barometer.csv, and Metadata.csv for the platform and whether units were standardised. Columns
    /// are found by name. On iOS without standardised units acceleration has Apple's sign, in m/s²; it is turned. Files of
    /// uncalibrated sensors are passed over. Axes are the phone's: x right, y up, z out of the screen.
    ///
    /// - Throws: an error that names the file, the line and the column; also when nothing says which sign acceleration
    ///   has.
    public init(
        sensorLoggerFolder path: String, options: SensorLoggerOptions = .init()
    ) throws(DeviceError) {
        let reader = SensorLoggerReader(name: path, options: options) { (name) throws(DeviceError) in
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
        let reader = SensorLoggerReader(name: name, options: options) { files[$0] }
        self = try reader.recording()
    }

    /// The recording as a folder of Sensor Logger: names of files and what is in them.
    ///
    /// Units are standardised: proper acceleration in m/s², rad/s, microtesla, hectopascal, in the axes of the device.
    /// The first sensor of each kind is written; acceleration goes to TotalAcceleration.csv. A recording without civil
    /// time starts in 1970. The barometer's relative altitude was not measured; its cells are empty.
    public func sensorLoggerFiles() -> [(name: String, bytes: [UInt8])] {
        let origin = start?.nanoseconds ?? 0
        var files: [(name: String, bytes: [UInt8])] = []
        var written: [MotionTrack] = []
        for (kind, name) in [
            (SensorKind.accelerometer, "TotalAcceleration"), (.gyroscope, "Gyroscope"),
            (.magnetometer, "Magnetometer"), (.pressure, "Barometer"),
        ] {
            guard let track = track(kind) else { continue }
            written.append(track)
            files.append(("\(name).csv", Self.sensorLoggerFile(track, origin: origin)))
        }
        files.insert(("Metadata.csv", sensorLoggerMetadata(written, files.map { String($0.name.dropLast(4)) })), at: 0)
        return files
    }

    /// Writes ``sensorLoggerFiles()`` into a folder, which is made when it is not there.
    public func writeSensorLogger(folder path: String, overwrite: Bool = false) throws(DeviceError) {
        try Folder.write(sensorLoggerFiles(), to: path, overwrite: overwrite)
    }

    private static func sensorLoggerFile(_ track: MotionTrack, origin: Int64) -> [UInt8] {
        var text = CSVWriter()
        let columns = track.sensor.kind == .pressure ? ["relativeAltitude", "pressure"] : ["z", "y", "x"]
        for name in ["time", "seconds_elapsed"] + columns { text.cell(name) }
        text.endRow()
        for index in 0..<track.count {
            text.integer(origin.addingSaturated(track.times[index]))
            text.seconds(track.times[index])
            let value = track.deviceValue(index)
            switch track.sensor.kind {
            case .pressure:
                text.cell("")
                text.number(SampleConventions.hectopascal(kilopascal: value.x))
            case .magnetometer: Self.append(SampleConventions.microtesla(gauss: value), to: &text)
            case .accelerometer, .gyroscope: Self.append(value, to: &text)
            }
            text.endRow()
        }
        return text.bytes
    }

    private static func append(_ value: SIMD3<Double>, to text: inout CSVWriter) {
        text.number(value.z)
        text.number(value.y)
        text.number(value.x)
    }

    private func sensorLoggerMetadata(_ tracks: [MotionTrack], _ names: [String]) -> [UInt8] {
        let origin = start?.nanoseconds ?? 0
        var text = CSVWriter()
        for name in SensorLoggerMetadata.columns { text.cell(name) }
        text.endRow()
        text.cell("3")
        text.cell(tracks.first?.sensor.name ?? "")
        text.integer(origin / 1_000_000)
        text.cell(CivilDate.fileNameText(origin))
        text.cell("UTC")
        // Standardised units are Android's, so the platform and the flag agree whichever a reader looks at.
        text.cell("android")
        text.cell("")
        text.cell("")
        text.cell(names.joined(separator: "|"))
        text.cell(tracks.map { $0.rate.map { String(Int64((1000 / $0).rounded())) } ?? "0" }.joined(separator: "|"))
        text.cell("true")
        text.cell("")
        text.endRow()
        return text.bytes
    }
}
