// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Reads a table according to a column map.
struct CSVTableReader {
    /// The earliest time that is interpreted as a civil time (March 1973), in nanoseconds since 1970. Smaller numbers
    /// are interpreted as elapsed times.
    static let earliestCivilTime: Int64 = 100_000_000 * 1_000_000_000
    private var reader: CSVReader
    private let map: CSVColumnMap
    private var rows: TableRowConverter
    /// True if row times count from 1970, or nil if not yet known. If one of the first thousand rows has a time at or
    /// after ``UnsetClock/gpsEpoch``, the value is true from the start. Otherwise, the first usable time decides.
    private var isCivil: Bool?
    private var timesWithoutZone = 0
    /// True once a time at or after ``UnsetClock/gpsEpoch`` has been found. From then on, times before that epoch are
    /// ignored, because the logger's clock was not set yet.
    private var hasSetClock = false

    init(_ bytes: UnsafeRawBufferPointer, name: String, map: CSVColumnMap) throws(DeviceError) {
        reader = try CSVReader(bytes, name: name)
        self.map = map
        reader.allowsDecimalComma = map.hasDecimalComma
        reader.commaHint =
            "Add decimal=comma to the column map, and separator=semicolon if semicolons separate the cells."
        reader.skipLines(map.skippedLines)
        reader.setSeparator(map.separator)
        if map.hasHeader { try reader.readHeader(allowsRepeatedNames: true) }
        var columns: [CSVQuantity: TableRowConverter.Column] = [:]
        for (quantity, column) in map.columns {
            let index = try Self.index(of: column, quantity, reader, map)
            columns[quantity] = TableRowConverter.Column(index: index, unit: column.unit)
        }
        rows = TableRowConverter(columns, from: name)
        rows.dropsRepetitions = !map.isExported
        rows.keepsAllPositions = map.isExported
        reader.width = rows.width
    }

    private static func index(
        of column: CSVColumnMap.Column, _ quantity: CSVQuantity, _ reader: borrowing CSVReader, _ map: CSVColumnMap
    ) throws(DeviceError) -> Int {
        if let index = column.index {
            guard !map.hasHeader || index < reader.header.count else {
                throw reader.error(
                    "there is no column \(column.description), which the column map assigns to \(quantity.rawValue): the header has \(reader.header.count) columns. \(numbered(reader.header))"
                )
            }
            return index
        }
        let name = (column.name ?? "").lowercased()
        let found = reader.header.indices.filter { reader.header[$0] == name }
        guard let index = found.first else {
            throw reader.error(
                "there is no column \(column.description), which the column map assigns to \(quantity.rawValue). \(numbered(reader.header))"
            )
        }
        guard found.count == 1 else {
            throw reader.position(ofColumn: found[1]).error(
                "there are \(found.count) columns with this name. Write #\(found[0] + 1) or #\(found[1] + 1) in the column map."
            )
        }
        return index
    }

    private static func numbered(_ header: [String]) -> String {
        let names = header.prefix(24).enumerated().map { "#\($0 + 1) \($1.prefix(24))" }.joined(separator: ", ")
        return "The columns are \(names)\(header.count > 24 ? " and more" : "")."
    }

    mutating func read() throws(DeviceError) -> Recording {
        var row: Int64 = 0
        var start = map.start
        hasSetClock = try containsSetClock()
        if hasSetClock { isCivil = true }
        while try nextRow(isFirst: row == 0) {
            defer {
                // From the next row onwards, unreadable cells are ignored instead of causing an error.
                rows.endRow()
                row += 1
            }
            let time = try usableTime(row)
            if let time {
                if isCivil == nil { isCivil = isSince1970(time) }
            } else if !rows.hasReadings(reader) {
                continue
            } else if !rows.tracks.isEmpty {
                recordTime("the row has no usable time, and its motion readings were skipped")
            }
            let fix = try fixTime()
            if map.isExported {
                if start == nil, let time, let fix, fix.civil != nil {
                    start = WallTime(nanoseconds: fix.time.subtractingSaturated(time))
                }
                try rows.process(reader, at: time, civil: fix?.civil)
            } else {
                try rows.process(reader, at: time, civil: time.flatMap(civil), fix: fix)
            }
            if row == 0 { findUnnamedDirections() }
        }
        // The tracks are checked before `finishRecording` moves them out of `rows`. `finishRecording` also sets
        // `ignoresTimes` and adds some of the remarks.
        let plausibility = rows.tracks.compactMap {
            $0.plausibilityRemark { "If so, write \($0)=COLUMN:\($1) and so on in the column map." }
        }
        var recording = rows.finishRecording(start: start)
        if isCivil == true, !rows.ignoresTimes, let first = recording.firstTime {
            // The times count from 1970. The first event is moved to time zero, and its civil time becomes the start.
            // If the events are not sorted, `normalize` shifts them again.
            recording.start = .epoch
            recording.shift(by: 0 &- first)
        }
        recording.remarks = remarks + plausibility + recording.remarks
        recording.normalize()
        if rows.ignoresTimes {
            if let first = recording.firstTime { recording.shift(by: 0 &- first) }
            recording.start = nil
        }
        guard recording.count > 0 || recording.reports.count > 0 else {
            throw reader.noReadingsError(
                "no readings in the columns of the column map", details: rows.diagnostics.remarks)
        }
        return recording
    }

    /// Reads the next row. Skips a row of units below the header.
    private mutating func nextRow(isFirst: Bool) throws(DeviceError) -> Bool {
        guard try reader.next() else { return false }
        guard isFirst, map.hasHeader, !hasTime, rows.recordIfUnits(reader, rows.columns.values.map(\.index)) else {
            return true
        }
        return try reader.next()
    }

    /// True if the row contains a readable time or date, unlike a row of units.
    private var hasTime: Bool {
        [CSVQuantity.time, .date].contains { quantity in
            guard let column = rows.columns[quantity] else { return false }
            let text = reader.text(column.index)
            return TableTime.parse(text) != nil || TableTime.timeOfDay(text) != nil
                || quantity == .date && TableTime.midnight(text, order: column.unit?.name ?? "ymd") != nil
        }
    }

    /// Returns true if any of the first thousand rows has a time at or after ``UnsetClock/gpsEpoch``.
    private func containsSetClock() throws(DeviceError) -> Bool {
        guard let column = rows.columns[.time] else { return false }
        var lookahead = reader
        for _ in 0..<1000 {
            guard try lookahead.next() else { return false }
            var time: Int64?
            if let date = rows.columns[.date] {
                time = TableTime.midnight(lookahead.text(date.index), order: date.unit?.name ?? "ymd")
            } else if let unit = column.unit, unit.power != nil {
                time = Self.scaledNumber(lookahead, column.index, unit)
            } else {
                time = TableTime.parse(lookahead.text(column.index))?.time.nanoseconds
            }
            if let time, time >= UnsetClock.gpsEpoch { return true }
        }
        return false
    }

    /// Records a warning for each column that seems to contain hemisphere letters (N or S, E or W) but is not in the
    /// column map.
    private mutating func findUnnamedDirections() {
        for (quantity, letters, sign) in [
            (CSVQuantity.latitudeDirection, "NS", CSVQuantity.lat), (.longitudeDirection, "EW", .lon),
        ]
        where rows.columns[sign] != nil && rows.columns[quantity] == nil {
            for index in reader.cells.indices {
                let text = reader.text(index).uppercased()
                guard text.count == 1, letters.contains(text) else { continue }
                let name = reader.header.indices.contains(index) ? reader.header[index] : "#\(index + 1)"
                rows.diagnostics.record(
                    "column \"\(name)\" seems to contain hemispheres, which were ignored; name it in the column map: \(quantity.rawValue)=COLUMN",
                    line: reader.line, text: text)
            }
        }
    }

    /// Converts the time in a cell to nanoseconds. Returns nil if the cell contains no number or the unit is a text
    /// format.
    private static func scaledNumber(_ reader: borrowing CSVReader, _ index: Int, _ unit: CSVUnit) -> Int64? {
        guard let power = unit.power, case .number(let number) = reader.content(index) else { return nil }
        return number.scaled(byPowerOfTen: power)
    }

    /// Returns the time in the column `fix.time`, or nil if there is none. Unlike a row's time, it may be the same in
    /// several rows.
    private mutating func fixTime() throws(DeviceError) -> TableRowConverter.FixTime? {
        guard let column = rows.columns[.fixTime], let unit = column.unit else { return nil }
        let text = reader.text(column.index)
        guard !text.isEmpty else { return nil }
        let time =
            unit.power != nil
            ? Self.scaledNumber(reader, column.index, unit) : TableTime.parse(text)?.time.nanoseconds
        let isFixCivil = unit.power == nil || (time ?? 0) >= Self.earliestCivilTime
        guard let time, !isFixCivil || !UnsetClock.produced(time, isSetLater: hasSetClock) else {
            rows.recordUnreadable(column.index, reader)
            return nil
        }
        if isFixCivil { return .init(time: time, civil: WallTime(nanoseconds: time)) }
        // If the row times are civil times but the fix times are not (for example, seconds of the week), the civil time
        // of the fix is unknown.
        return .init(time: time, civil: isCivil == true ? nil : civil(time))
    }

    private func isSince1970(_ time: Int64) -> Bool {
        guard let unit = map.columns[.time]?.unit else { return false }
        return unit.power == nil || rows.columns[.date] != nil || time >= Self.earliestCivilTime
    }

    private func civil(_ time: Int64) -> WallTime? {
        if isCivil == true { return WallTime(nanoseconds: time) }
        return map.start.map { WallTime(nanoseconds: $0.nanoseconds.addingSaturated(time)) }
    }

    private enum RowTime {
        case known(Int64)
        case absent
        case fromUnsetClock
        /// The time in the column with this index is unreadable.
        case unreadable(Int)
    }

    /// Returns the row's time in nanoseconds, or nil if it has no usable time. Unusable times are recorded in the
    /// diagnostics.
    private mutating func usableTime(_ row: Int64) throws(DeviceError) -> Int64? {
        switch try time(row) {
        case .known(let time): return time
        case .unreadable(let index): rows.recordUnreadable(index, reader)
        case .fromUnsetClock: recordTime("the time \(UnsetClock.message)")
        case .absent:
            guard row == 0, !rows.tracks.isEmpty, rows.hasReadings(reader) else { break }
            throw reader.position(ofColumn: rows.columns[.time]?.index).error(
                "the row has readings but no time. Add the time, or remove the row.")
        }
        return nil
    }

    private mutating func recordTime(_ message: String) {
        let cells = [CSVQuantity.date, .time].compactMap { rows.columns[$0] }.map { reader.text($0.index) }
        rows.diagnostics.record(message, line: reader.line, text: cells.joined(separator: " "))
    }

    /// Reads the row's time. An unreadable time in the first row is an error, because the column map may belong to a
    /// different table.
    private mutating func time(_ row: Int64) throws(DeviceError) -> RowTime {
        guard let column = rows.columns[.time], let unit = column.unit else {
            return Int64(saturatingSeconds: Double(row) * (map.period ?? 0)).map { .known($0) } ?? .absent
        }
        let index = column.index
        let text = reader.text(index)
        guard !text.isEmpty else { return .absent }
        if rows.columns[.date] != nil { return try timeOfDay(text, unit, index, row) }
        guard let power = unit.power else {
            guard let (time, zone) = TableTime.parse(text) else {
                if row > 0 { return .unreadable(index) }
                throw reader.position(ofColumn: index).error(
                    "\"\(text.prefix(40))\" is not a time such as 2026-11-21T10:00:00Z or 2026-11-21 10:00:00. If the date is in another order, split the column. If it is a number, write :s, :ms, :us or :ns after the column in the column map."
                )
            }
            if zone == .missing { timesWithoutZone += 1 }
            return civilTime(time.nanoseconds)
        }
        if text.prefix(20).dropFirst(4).contains("-"), text.contains(":") {
            throw reader.position(ofColumn: index).error(
                "\"\(text.prefix(40))\" is a date. Write :iso after the column in the column map.")
        }
        if row > 0, case .unreadable = reader.content(index) { return .unreadable(index) }
        guard let number = try reader.decimal(index) else { return .absent }
        guard let time = number.scaled(byPowerOfTen: power) else {
            if row > 0 { return .unreadable(index) }
            throw reader.position(ofColumn: index).error(
                "the time \"\(text.prefix(40))\" is out of range in \(unit.name). Specify another unit in the column map: s, ms, us or ns."
            )
        }
        return isCivil == true ? civilTime(time) : .known(time)
    }

    private mutating func civilTime(_ time: Int64) -> RowTime {
        if time >= UnsetClock.gpsEpoch { hasSetClock = true }
        return UnsetClock.produced(time, isSetLater: hasSetClock) ? .fromUnsetClock : .known(time)
    }

    private mutating func timeOfDay(
        _ text: String, _ unit: CSVUnit, _ index: Int, _ row: Int64
    ) throws(DeviceError) -> RowTime {
        guard let date = rows.columns[.date] else { return .absent }
        let day = reader.text(date.index)
        guard !day.isEmpty else { return .absent }
        guard let midnight = TableTime.midnight(day, order: date.unit?.name ?? "ymd") else {
            if row > 0 { return .unreadable(date.index) }
            throw reader.position(ofColumn: date.index).error(
                "\"\(day.prefix(40))\" is not a date such as 2026-11-21. If the day or the month comes first, write :dmy or :mdy after the column in the column map."
            )
        }
        guard let time = unit.power != nil ? Self.scaledNumber(reader, index, unit) : TableTime.timeOfDay(text) else {
            if row > 0 { return .unreadable(index) }
            let advice =
                unit.power == nil
                ? "If it includes a date or another time zone, remove date= from the column map."
                : "For times in this notation, write :iso after the column in the column map."
            throw reader.position(ofColumn: index).error(
                "\"\(text.prefix(40))\" is not a time of day such as 10:00:00. \(advice)")
        }
        timesWithoutZone += 1
        return civilTime(midnight.addingSaturated(time))
    }

    private var remarks: [String] {
        var remarks = reader.remarks
        remarks.appendRemark(
            count: rows.incompleteReadingCount, "readings had only some axes of their sensor and were skipped.")
        remarks += rows.diagnostics.remarks
        remarks.appendRemark(
            count: rows.repeatedPositionCount,
            "rows repeat the previous position, which was used only once\(rows.columns[.fixTime] == nil ? " per second" : "")."
        )
        remarks.appendRemark(
            count: rows.derivedMotionCount,
            "positions have a speed, course or climb derived from the previous position.")
        remarks.appendRemark(count: timesWithoutZone, "times have no time zone and were read as UTC.")
        return remarks
    }
}
