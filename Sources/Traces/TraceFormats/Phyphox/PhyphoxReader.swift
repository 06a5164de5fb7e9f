// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Trace

/// Reads tables of phyphox into a recording.
struct PhyphoxReader {
    /// What to call the folder or file in messages.
    let name: String
    private let clock: PhyphoxClock
    private let deviceName: String
    private var tracks: [SensorKind: MotionTrack] = [:]
    private var reports = ReportTrack()
    private var hasLinear = false
    private var repeated: Set<String> = []
    private var timeless = 0
    private var derived = 0
    private var strangers = 0
    private var remarks: [String]

    /// - Parameter read: gives the bytes of `meta/time.csv` and `meta/device.csv`; nil when there is no such file.
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

    /// The phone's model, of a table of properties and values.
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

    /// Reads one table. Returns false when it is none of phyphox.
    ///
    /// - Parameter sheet: its name, without the ending.
    mutating func read(_ bytes: [UInt8], path: String, sheet: String) throws(DeviceError) -> Bool {
        let isOurs = try bytes.withBytes { (bytes) throws(DeviceError) -> Bool in
            var reader = try CSVReader(bytes, name: path)
            reader.allowsDecimalComma = true
            try reader.readHeader(allowsRepeatedNames: true)
            guard let columns = PhyphoxColumns(reader.header, sheet: sheet.lowercased()) else { return false }
            try take(&reader, columns)
            return true
        }
        if !isOurs { strangers += 1 }
        return isOurs
    }

    private mutating func take(_ reader: inout CSVReader, _ found: PhyphoxColumns) throws(DeviceError) {
        var found = found
        if found.hasLinear { hasLinear = true }
        for kind in SensorKind.allCases {
            if found.has(kind), tracks[kind] == nil { continue }
            // It was in another table already.
            if found.has(kind) { repeated.insert("the \(kind.rawValue)") }
            found.remove(kind.csvQuantities)
        }
        if found.columns[.lon] == nil { found.remove([.lat]) }
        if found.columns[.lat] != nil, reports.count > 0 {
            repeated.insert("positions")
            found.remove([.lat])
        }
        guard let column = found.columns[.time]?.index else { return }
        var rows = TableRows(found.columns, from: name, sensorName: deviceName)
        reader.width = rows.width
        while try reader.next() {
            guard let number = try reader.decimal(column) else {
                // Columns of different lengths are filled up with NaN.
                let hasMore = reader.cells.indices.contains {
                    $0 != column && !["", "nan"].contains(reader.text($0).lowercased())
                }
                if hasMore { timeless += 1 }
                continue
            }
            guard let experiment = number.scaled(byPowerOfTen: 9) else {
                throw reader.place(column).error(
                    "the time \"\(reader.text(column).prefix(40))\" is out of range; it is in seconds.")
            }
            let time = clock.traceTime(experiment)
            let civil = clock.start.map { WallTime(nanoseconds: $0.nanoseconds.addingSaturated(time)) }
            try rows.take(reader, at: time, civil: civil)
            rows.endRow()
        }
        rows.finishPositions()
        for track in rows.tracks where track.count > 0 { tracks[track.sensor.kind] = track }
        if rows.reports.count > 0 { reports = rows.reports }
        derived += rows.derived
        remarks += reader.remarks + rows.diagnostics.remarks
    }

    /// Everything that was read, in order.
    consuming func recording() throws(DeviceError) -> Recording {
        var recording = Recording(tracks: SensorKind.allCases.compactMap { tracks[$0] }, start: clock.start)
        recording.reports = reports
        recording.hasPhoneAccuracies = reports.count > 0
        recording.remarks = remarks
        if hasLinear, tracks[.accelerometer] == nil {
            recording.remarks.append(
                "Acceleration without gravity was left out: record acceleration with g, which says where up is.")
        }
        if clock.start == nil {
            recording.remarks.append("Nothing says when it was recorded; in a folder of phyphox meta/time.csv does.")
        }
        if clock.setBack > 0 {
            recording.remarks.append(
                "The phone's clock was set back in \(clock.setBack) pauses; the trace goes on there without a gap.")
        }
        for what in repeated.sorted() {
            recording.remarks.append("Several tables hold \(what); the first one was taken.")
        }
        recording.remarks.tell(timeless, "rows have no time and were left out.")
        recording.remarks.tell(derived, "positions got speed or course from the way between them.")
        recording.remarks.tell(strangers, "other tables hold nothing that is read and were passed over.")
        recording.settle()
        guard recording.count > 0 || recording.reports.count > 0 else {
            let hint = recording.remarks.first ?? "Are there rows below the header?"
            throw DeviceError(.invalidTrace, "\(name) holds neither motion readings nor positions. \(hint)")
        }
        return recording
    }
}

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
