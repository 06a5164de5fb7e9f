// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension Recording {
    /// Reads what the app phyphox exported as CSV and somebody unpacked: a folder of tables with `meta/time.csv` and
    /// `meta/device.csv`.
    ///
    /// Read are acceleration with g, gyroscope, magnetic field, pressure, and positions. Columns are known by their units;
    /// separators are commas, semicolons or tabs, decimal marks points or commas. Accuracies are phones' radii in metres
    /// (eph, epv) whatever unit the header names. While the experiment was paused the trace has a gap. Axes are the
    /// phone's: x right, y up, z out of the screen.
    ///
    /// - Throws: an error that names the file, the line and the column.
    public init(phyphoxFolder path: String) throws(DeviceError) {
        var reader = try PhyphoxReader(name: path) { (name) throws(DeviceError) in
            try Folder.readIfPresent("\(path)/\(name)")
        }
        for file in try Folder.names(path) where file.lowercased().hasSuffix(".csv") {
            _ = try reader.read(
                try Folder.read("\(path)/\(file)"), path: "\(path)/\(file)", sheet: String(file.dropLast(4)))
        }
        self = try reader.recording()
    }

    /// Reads such files from memory.
    ///
    /// - Parameters:
    ///   - files: their bytes by name, for example "Raw Data.csv" or "meta/time.csv".
    ///   - name: what to call the folder in messages.
    public init(phyphox files: [String: [UInt8]], name: String) throws(DeviceError) {
        var reader = try PhyphoxReader(name: name) { files[$0] }
        for (file, bytes) in files.sorted(by: { $0.key < $1.key }) where !file.hasPrefix("meta/") {
            let sheet = file.lowercased().hasSuffix(".csv") ? String(file.dropLast(4)) : file
            _ = try reader.read(bytes, path: "\(name)/\(file)", sheet: sheet)
        }
        self = try reader.recording()
    }

    /// Reads one table of phyphox, which is all there is when a single one was exported.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - path: where it lies, or what to call it. Where the last part names the sensor, columns are called by axes only.
    ///   - readMeta: gives the bytes of `meta/time.csv` beside it, and of `meta/device.csv`; nil when there is none.
    init(
        phyphoxTable bytes: [UInt8], path: String,
        readMeta: (String) throws(DeviceError) -> [UInt8]? = { _ in nil }
    ) throws(DeviceError) {
        var reader = try PhyphoxReader(name: path, read: readMeta)
        let sheet = path.split(separator: "/").last.map(String.init) ?? path
        guard try reader.read(bytes, path: path, sheet: sheet) else {
            throw DeviceError(
                .invalidTrace, "\(path) is no table of phyphox: no column holds seconds and another one readings.")
        }
        self = try reader.recording()
    }
}
