// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Trace

/// Combines the tables of a phyphox export into a recording. Call `read` for each table, then `recording`.
struct PhyphoxReader {
    let name: String
    private let clock: PhyphoxClock
    private let deviceName: String
    private var tracks: [SensorKind: MotionTrack] = [:]
    private var reports = ReportTrack()
    private var hasLinear = false
    private var repeatedQuantities: Set<String> = []
    private var rowsWithoutTime = 0
    private var derivedMotionCount = 0
    private var unknownTableCount = 0
    private var remarks: [String]

    /// Reads the metadata. `read` returns the contents of the file with the given path (`meta/time.csv` or
    /// `meta/device.csv`), or nil if the file does not exist.
    init(name: String, read: (String) throws(DeviceError) -> [UInt8]?) throws(DeviceError) {
        self.name = name
        clock =
            try read("meta/time.csv")?.withBytes { (bytes) throws(DeviceError) in
                try PhyphoxClock(bytes, name: "\(name)/meta/time.csv")
            } ?? PhyphoxClock()
        var remarks = clock.remarks
        deviceName =
            try read("meta/device.csv")?.withBytes { (bytes) throws(DeviceError) in
                try Self.deviceName(bytes, name: "\(name)/meta/device.csv", &remarks)
            } ?? ""
        self.remarks = remarks
    }

    private static func deviceName(
        _ bytes: UnsafeRawBufferPointer, name: String, _ remarks: inout [String]
    ) throws(DeviceError) -> String {
        var reader = try CSVReader(bytes, name: name)
        defer { remarks += reader.remarks }
        try reader.readHeader(allowsRepeatedNames: true)
        while try reader.next() {
            if reader.text(0).lowercased() == "devicemodel" { return String(reader.text(1).prefix(100)) }
        }
        return ""
    }

    /// Reads a table. Returns false if it contains no supported data. `sheet` is the name of the table.
    mutating func read(_ bytes: [UInt8], path: String, sheet: String) throws(DeviceError) -> Bool {
        let isOurs = try bytes.withBytes { (bytes) throws(DeviceError) -> Bool in
            var reader = try CSVReader(bytes, name: path)
            reader.allowsDecimalComma = true
            try reader.readHeader(allowsRepeatedNames: true)
            guard let columns = PhyphoxColumns(reader.header, sheet: sheet.lowercased()) else { return false }
            try process(&reader, columns)
            return true
        }
        if !isOurs { unknownTableCount += 1 }
        return isOurs
    }

    private mutating func process(_ reader: inout CSVReader, _ found: PhyphoxColumns) throws(DeviceError) {
        var found = found
        if found.hasLinear { hasLinear = true }
        for kind in SensorKind.allCases {
            if found.has(kind), tracks[kind] == nil { continue }
            // If several tables contain readings of the same sensor, only the first table is read. If a table has
            // columns for only some of a sensor's axes, they are removed, because the converter requires all axes or
            // none.
            if found.has(kind) { repeatedQuantities.insert("the \(kind.rawValue)") }
            found.remove(kind.csvQuantities)
        }
        if found.columns[.lon] == nil { found.remove([.lat]) }
        if found.columns[.lat] != nil, reports.count > 0 {
            repeatedQuantities.insert("positions")
            found.remove([.lat])
        }
        guard let column = found.columns[.time]?.index else { return }
        var rows = TableRowConverter(found.columns, from: name, sensorName: deviceName)
        reader.width = rows.width
        while try reader.next() {
            guard let experiment = try reader.nanoseconds(inSecondsColumn: column) else {
                // phyphox pads shorter columns with NaN, so a row without a time is counted only if it contains a
                // value.
                let hasMore = reader.cells.indices.contains {
                    $0 != column && !["", "nan"].contains(reader.text($0).lowercased())
                }
                if hasMore { rowsWithoutTime += 1 }
                continue
            }
            let time = clock.traceTime(experiment)
            let civil = clock.start.map { WallTime(nanoseconds: $0.nanoseconds.addingSaturated(time)) }
            try rows.process(reader, at: time, civil: civil)
            rows.endRow()
        }
        rows.finishPositions()
        for track in rows.tracks where track.count > 0 { tracks[track.sensor.kind] = track }
        if rows.reports.count > 0 { reports = rows.reports }
        derivedMotionCount += rows.derivedMotionCount
        remarks += reader.remarks + rows.diagnostics.remarks
    }

    consuming func recording() throws(DeviceError) -> Recording {
        var recording = Recording(tracks: SensorKind.allCases.compactMap { tracks[$0] }, start: clock.start)
        recording.reports = reports
        recording.hasPhoneAccuracies = reports.count > 0
        recording.remarks = remarks
        if hasLinear, tracks[.accelerometer] == nil {
            recording.remarks.append(
                "Acceleration without gravity was skipped. Record acceleration with g, which contains the vertical direction."
            )
        }
        if clock.start == nil {
            recording.remarks.append(
                "The time of recording is unknown; in a phyphox directory, meta/time.csv contains it.")
        }
        if clock.setBackCount > 0 {
            recording.remarks.append(
                "The phone's clock was set back in \(clock.setBackCount) pauses; the trace continues there without a gap."
            )
        }
        for what in repeatedQuantities.sorted() {
            recording.remarks.append("Several tables contain \(what); the first one was used.")
        }
        recording.remarks.appendRemark(count: rowsWithoutTime, "rows have no time and were skipped.")
        recording.remarks.appendRemark(
            count: derivedMotionCount, "positions have a speed or course derived from the previous position.")
        recording.remarks.appendRemark(
            count: unknownTableCount, "other tables contain no supported data and were skipped.")
        recording.normalize()
        guard recording.count > 0 || recording.reports.count > 0 else {
            let hint = recording.remarks.first ?? "Are there rows below the header?"
            throw .invalidTrace("\(name) contains neither motion readings nor positions. \(hint)")
        }
        return recording
    }
}

extension Recording {
    /// Reads an unpacked CSV export of the phyphox app: a folder of tables with `meta/time.csv` and `meta/device.csv`.
    ///
    /// Accuracies (eph, epv) are the radii that the phone reported, in metres, regardless of the unit in the header.
    /// Pausing the experiment leaves a gap in the trace. The axes are those of the phone: x to the right, y up, z out
    /// of the screen.
    ///
    /// - Throws: An error that states the file, the line and the column.
    package init(phyphoxFolder path: String) throws(DeviceError) {
        var reader = try PhyphoxReader(name: path) { (name) throws(DeviceError) in
            try Folder.readIfPresent("\(path)/\(name)")
        }
        for file in try Folder.names(path) where file.lowercased().hasSuffix(".csv") {
            _ = try reader.read(
                try Folder.read("\(path)/\(file)"), path: "\(path)/\(file)", sheet: String(file.dropLast(4)))
        }
        self = try reader.recording()
    }

    package init(phyphox files: [String: [UInt8]], name: String) throws(DeviceError) {
        var reader = try PhyphoxReader(name: name) { files[$0] }
        for (file, bytes) in files.sorted(by: { $0.key < $1.key }) where !file.hasPrefix("meta/") {
            let sheet = file.lowercased().hasSuffix(".csv") ? String(file.dropLast(4)) : file
            _ = try reader.read(bytes, path: "\(name)/\(file)", sheet: sheet)
        }
        self = try reader.recording()
    }

    /// Reads a single phyphox table, which is the whole export if only one sensor was recorded. If column names contain
    /// only the axis, the file name shows whether acceleration includes gravity. `readMeta` takes a path relative to
    /// the table's folder (`meta/time.csv` or `meta/device.csv`) and returns the contents of the file, or nil if it
    /// does not exist.
    init(
        phyphoxTable bytes: [UInt8], path: String,
        readMeta: (String) throws(DeviceError) -> [UInt8]? = { _ in nil }
    ) throws(DeviceError) {
        var reader = try PhyphoxReader(name: path, read: readMeta)
        let sheet = path.split(separator: "/").last.map(String.init) ?? path
        guard try reader.read(bytes, path: path, sheet: sheet) else {
            throw .invalidTrace("\(path) is not a phyphox table: it lacks a column of seconds or a column of readings.")
        }
        self = try reader.recording()
    }
}
