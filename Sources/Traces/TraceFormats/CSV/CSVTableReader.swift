// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Reads a table by a column map.
struct CSVTableReader {
    /// Numbers beyond this many nanoseconds are since 1970: a recording of three years is unlikely.
    static let earliestCivilTime: Int64 = 100_000_000 * 1_000_000_000

    private var reader: CSVReader
    private let map: CSVColumnMap
    private var rows: TableRows

    /// Whether times are since 1970, which the first one decides for all; nil before it.
    private var isCivil: Bool?
    private var unzoned = 0

    /// Reads the header.
    init(_ bytes: UnsafeRawBufferPointer, name: String, map: CSVColumnMap) throws(DeviceError) {
        reader = try CSVReader(bytes, name: name)
        self.map = map
        reader.allowsDecimalComma = map.hasDecimalComma
        reader.commaHint = "Add decimal=comma to the column map, and separator=semicolon where that is so."
        reader.skipLines(map.skippedLines)
        reader.setSeparator(map.separator)
        if map.hasHeader { try reader.readHeader(allowsRepeatedNames: true) }
        var columns: [CSVQuantity: TableRows.Column] = [:]
        for (quantity, column) in map.columns {
            let index = try Self.index(of: column, quantity, reader, map)
            columns[quantity] = TableRows.Column(index: index, unit: column.unit)
        }
        rows = TableRows(columns, from: name)
        rows.dropsRepetitions = true
        reader.width = rows.width
    }

    private static func index(
        of column: CSVColumnMap.Column, _ quantity: CSVQuantity, _ reader: borrowing CSVReader, _ map: CSVColumnMap
    ) throws(DeviceError) -> Int {
        if let index = column.index {
            guard !map.hasHeader || index < reader.header.count else {
                throw reader.place(nil).error(
                    "there is no column \(column.shown), which the column map takes for \(quantity.rawValue): the header has \(reader.header.count). \(numbered(reader.header))"
                )
            }
            return index
        }
        let name = (column.name ?? "").lowercased()
        let found = reader.header.indices.filter { reader.header[$0] == name }
        guard let index = found.first else {
            throw reader.place(nil).error(
                "there is no column \(column.shown), which the column map takes for \(quantity.rawValue). \(numbered(reader.header))"
            )
        }
        guard found.count == 1 else {
            throw reader.place(found[1]).error(
                "there are \(found.count) columns of this name. Write #\(found[0] + 1) or #\(found[1] + 1) in the column map."
            )
        }
        return index
    }

    /// The names of a header, for people.
    private static func numbered(_ header: [String]) -> String {
        let names = header.prefix(24).enumerated().map { "#\($0 + 1) \($1.prefix(24))" }.joined(separator: ", ")
        return "It has \(names)\(header.count > 24 ? " and more" : "")."
    }

    /// Reads all rows.
    mutating func read() throws(DeviceError) -> Recording {
        var row: Int64 = 0
        while try reader.next() {
            if let time = try time(row) {
                if isCivil == nil { isCivil = isSince1970(time) }
                try rows.take(reader, at: time, civil: civil(time))
            } else if try rows.hasReadings(reader) {
                throw reader.place(rows.columns[.time]?.index).error(
                    "the row has readings and no time. Fill the time in, or remove the row.")
            }
            row += 1
        }
        var recording = rows.takeRecording(start: map.start)
        if isCivil == true, let first = recording.firstTime {
            recording.start = .epoch
            recording.shift(by: 0 &- first)
        }
        recording.remarks = remarks + recording.remarks
        recording.settle()
        guard recording.count > 0 || recording.reports.count > 0 else {
            throw reader.nothingFound("no readings where the column map looks for them")
        }
        return recording
    }

    private func isSince1970(_ time: Int64) -> Bool {
        guard let unit = map.columns[.time]?.unit else { return false }
        // Dates are, whenever it was.
        return unit.power == nil || time >= Self.earliestCivilTime
    }

    private func civil(_ time: Int64) -> WallTime? {
        if isCivil == true { return WallTime(nanoseconds: time) }
        return map.start.map { WallTime(nanoseconds: $0.nanoseconds.addingSaturated(time)) }
    }

    /// Nanoseconds of the row; nil when its cell is empty.
    private mutating func time(_ row: Int64) throws(DeviceError) -> Int64? {
        guard let column = rows.columns[.time], let unit = column.unit else {
            return Int64(saturatingSeconds: Double(row) * (map.period ?? 0))
        }
        let index = column.index
        let text = reader.text(index)
        guard let power = unit.power else {
            guard !text.isEmpty else { return nil }
            guard let (time, zone) = [UInt8](text.utf8).withUnsafeBytes({ CivilTime.parseZoned($0) }) else {
                throw reader.place(index).error(
                    "\"\(text.prefix(40))\" is no time such as 2026-11-21T10:00:00Z. Is it a number? Then write :s, :ms, :us or :ns behind the column in the column map."
                )
            }
            if zone == .missing { unzoned += 1 }
            return time.nanoseconds
        }
        if text.prefix(20).dropFirst(4).contains("-"), text.contains(":") {
            throw reader.place(index).error(
                "\"\(text.prefix(40))\" is a date. Write :iso behind the column in the column map.")
        }
        guard let number = try reader.decimal(index) else { return nil }
        guard let time = number.scaled(byPowerOfTen: power) else {
            throw reader.place(index).error(
                "the time \"\(text.prefix(40))\" is out of range in \(unit.name). Name another unit in the column map: s, ms, us or ns."
            )
        }
        return time
    }

    private var remarks: [String] {
        var remarks = reader.remarks
        remarks.tell(rows.partial, "times a row had only some axes of a sensor; it gives no reading of that sensor.")
        remarks.tell(rows.outOfRange, "rows have no coordinates in range; they give no position.")
        remarks.tell(
            rows.repeated, "times a row of motion readings repeats the position before; each counts once a second.")
        remarks.tell(rows.derived, "positions got speed, course or climb from the way between them.")
        remarks.tell(unzoned, "times name no zone and were taken as UTC.")
        return remarks
    }
}
