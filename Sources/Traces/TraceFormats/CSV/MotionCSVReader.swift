// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Trace

/// Reads a CSV file of motion readings in one of the layouts of ``MotionCSVLayout``.
struct MotionCSVReader {
    private var reader: CSVReader
    private let layout: MotionCSVLayout
    private let timeColumn: Int?
    /// The interval between rows in seconds. Not used if there is a time column.
    private let period: Double
    private let options: MotionCSVOptions
    private var rows: TableRowConverter

    init(_ bytes: UnsafeRawBufferPointer, name: String, options: MotionCSVOptions) throws(DeviceError) {
        reader = try CSVReader(bytes, name: name)
        try reader.readHeader()
        guard let layout = options.layout ?? MotionCSVLayout(columns: reader.header) else {
            throw reader.error(
                "these columns are unknown: \(reader.header.prefix(12).joined(separator: ",").prefix(120)). Name them t, gx, gy, gz, ax, ay, az, mx, my, mz (s, rad/s, m/s^2, microtesla), or describe them with a column map (--columns)."
            )
        }
        self.layout = layout
        self.options = options
        rows = try layout.rows(reader)
        reader.width = rows.width
        timeColumn = reader.header.firstIndex { MotionCSVLayout.timeColumns.contains($0) }
        guard let period = timeColumn != nil ? 0 : options.period?.inSeconds ?? layout.defaultPeriod else {
            throw reader.error(
                "there is no column t with the seconds. Add it, or specify the number of rows per second with --rate.")
        }
        guard timeColumn != nil || (period.isFinite && period > 0 && period <= 86_400) else {
            throw DeviceError(
                .invalidConfiguration,
                "\(period) is not a valid interval between rows. Specify seconds, for example 0.01 for 100 rows per second."
            )
        }
        self.period = period
    }

    mutating func read() throws(DeviceError) -> Recording {
        var row: Int64 = 0
        var mayBeUnits = true
        while try reader.next() {
            let isUnits =
                mayBeUnits
                && rows.recordIfUnits(reader, rows.columns.values.map(\.index) + [timeColumn].compactMap(\.self))
            mayBeUnits = false
            if isUnits { continue }
            if row > 0, let timeColumn, case .unreadable = reader.content(timeColumn) {
                rows.recordUnreadable(timeColumn, reader)
            } else if let time = try time(row) {
                try rows.process(reader, at: time, civil: nil)
            } else if !reader.cells.allSatisfy(\.range.isEmpty) {
                guard row > 0 else {
                    throw reader.position(ofColumn: timeColumn).error(
                        "the row has readings but no time. Add the time, or remove the row.")
                }
                rows.diagnostics.record("the row has readings but no time and was skipped", line: reader.line, text: "")
            }
            rows.endRow()
            row += 1
        }
        // The remarks are collected first, because `finishRecording` moves the tracks out of `rows`.
        var remarks = reader.remarks
        remarks.appendRemark(
            count: rows.incompleteReadingCount, "readings had only some axes of their sensor and were skipped.")
        remarks += rows.diagnostics.remarks
        if let remark = fieldRemark { remarks.append(remark) }
        if layout == .si || layout == .iio {
            remarks += rows.tracks.filter { $0.sensor.kind != .magnetometer }.compactMap {
                $0.plausibilityRemark {
                    "If so, name the columns in a column map: --columns \"time=t,\($0)=COLUMN:\($1),…\"."
                }
            }
        }
        var recording = rows.finishRecording(start: options.start)
        if timeColumn != nil, let first = recording.firstTime, first >= CSVTableReader.earliestCivilTime {
            // The readings' times are Unix times. The first reading is moved to time zero, and its civil time becomes
            // the start.
            recording.start = .epoch
            recording.shift(by: 0 &- first)
        }
        recording.remarks = remarks + recording.remarks
        recording.normalize()
        guard recording.count > 0 else {
            throw reader.noReadingsError("no readings", details: rows.diagnostics.remarks)
        }
        return recording
    }

    private func time(_ row: Int64) throws(DeviceError) -> Int64? {
        if let timeColumn { return try reader.nanoseconds(inSecondsColumn: timeColumn) }
        return Int64(saturatingSeconds: Double(row) * period)
    }

    /// A remark if the magnetic field seems to be in the wrong unit, or nil otherwise. Readings parsed in the layouts
    /// `si` and `iio` are in gauss. The Earth's field is 0.22 to 0.67 gauss.
    private var fieldRemark: String? {
        guard layout == .si || layout == .iio,
            let magnetometer = rows.tracks.first(where: { $0.sensor.kind == .magnetometer }), magnetometer.count > 0
        else { return nil }
        let magnitudes = magnetometer.sortedMagnitudes
        let median = magnitudes[magnitudes.count / 2]
        if layout == .si, median > 0.001, median < 0.02 {
            return
                "The magnetic field is a hundredth of the Earth's: are mx, my, mz in gauss? A file in gauss has the columns \(MotionCSVLayout.iioColumns.joined(separator: ",")); --layout iio reads this file as such."
        }
        if layout == .iio, median > 10 {
            return
                "The magnetic field is a hundred times the Earth's: are mx, my, mz in microtesla? A file in microtesla begins with t,gx,gy,gz; --layout si reads this file as such."
        }
        return nil
    }
}

extension Recording {
    /// Reads a UTF-8 CSV file of motion readings in one of the layouts that ``MotionCSVLayout`` lists. Times may start
    /// at any value. If times are in seconds since 1970, they determine ``start``.
    ///
    /// - Throws: An error with code `invalidTrace` that states the line and column and suggests a remedy, or
    ///   `invalidConfiguration` for an invalid option.
    package init(csv: [UInt8], name: String, options: MotionCSVOptions = .init()) throws(DeviceError) {
        self = try csv.withBytes { (bytes) throws(DeviceError) in
            var reader = try MotionCSVReader(bytes, name: name, options: options)
            return try reader.read()
        }
    }

    /// Reads a UTF-8 table of motion readings and positions according to a column map. A position repeated in several
    /// rows of motion readings is read only once per second. Missing speeds and courses are derived from the positions.
    ///
    /// - Throws: An error with code `invalidTrace` that states the line and column and suggests a remedy.
    package init(table: [UInt8], name: String, columns: CSVColumnMap) throws(DeviceError) {
        self = try table.withBytes { (bytes) throws(DeviceError) -> Recording in
            var reader = try CSVTableReader(bytes, name: name, map: columns)
            return try reader.read()
        }
    }

    static func csvColumns(of bytes: UnsafeRawBufferPointer) -> [String] {
        do throws(DeviceError) {
            var reader = try CSVReader(bytes, name: "")
            try reader.readHeader()
            return reader.header
        } catch {
            return []
        }
    }
}
