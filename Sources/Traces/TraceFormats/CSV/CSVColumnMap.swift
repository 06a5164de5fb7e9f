// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Trace

/// A description of the columns of a table whose layout is unknown.
///
/// ```swift
/// let map = try CSVColumnMap(
///     "time=ts:ms, accel.x=ax:g, accel.y=ay:g, accel.z=az:g, lat=Latitude, lon=#7, speed=v:km/h")
/// ```
///
/// Entries are separated by commas. `QUANTITY=COLUMN:UNIT` assigns a column to a quantity. A column is given by its
/// header name, which is case-insensitive, or by its number, such as `#3` for the third column. Quote a name that
/// contains a comma, a colon or a quote, and double the quotes inside it: `"a, b"`. If the unit is omitted, the
/// quantity's first unit in the table below is used. A minus sign before the unit inverts the sign of the values.
/// Acceleration from Core Motion requires this (`accel.x=ax:-g`).
///
/// | quantities | units |
/// | --- | --- |
/// | `time` | s, ms, us, ns: since 1970 if over three years, else since the start; iso: 2026-11-21T10:00:00Z |
/// | `date` | ymd, dmy, mdy: the date of a row whose time is a time of day; two-digit years mean 1980 to 2079 |
/// | `fix.time` | as `time`: the time of the fix, for tables whose rows repeat the last fix |
/// | `accel.x`, `accel.y`, `accel.z` | m/s^2, g, mg, cm/s^2; +9.81 m/s^2 on the axis that points up |
/// | `gyro.x`, `gyro.y`, `gyro.z` | rad/s, deg/s, mdeg/s, mrad/s |
/// | `mag.x`, `mag.y`, `mag.z` | uT, nT, mT, T, G, mG |
/// | `pressure` | kPa, hPa, mbar, Pa, mmHg, inHg |
/// | `lat`, `lon`, `course`, `acc.course` | deg, rad, e7, e5 (integers in units of 1e-7 and 1e-5 degrees) |
/// | `alt.msl`, `alt.hae`, `acc.h`, `acc.v` | m, cm, mm, km, ft |
/// | `speed`, `climb`, `acc.speed` | m/s, km/h, kn, mph, cm/s, mm/s, ft/s |
/// | `lat.dir`, `lon.dir` | none: N or S, E or W, in a separate column |
/// | `mode`, `sats`, `hdop`, `vdop`, `pdop` | none |
///
/// A map can also contain settings. `separator=` is comma, semicolon, tab or pipe. By default, the separator is
/// detected from the first line. `decimal=comma` allows decimal commas. `header=no` means that the first row contains
/// readings. `skip=2` skips two lines before the header. `period=0.01` sets the interval between rows to 0.01 s, for
/// tables without times. `start=2026-11-21T10:00:00Z` sets the civil time at time zero.
public struct CSVColumnMap: Sendable, Hashable {
    /// The names of the quantities, for the help text of commands.
    package static let quantities = CSVQuantity.allCases.map(\.rawValue)
    /// The maximum length of a column map in bytes.
    static let maximumLength = 16_384
    static let maximumSkip = 1_000_000

    /// A column, identified by its name or its zero-based index.
    struct Column: Sendable, Hashable {
        var name: String?
        var index: Int?
        var unit: CSVUnit?
        var description: String { name.map { "\"\($0)\"" } ?? "#\((index ?? 0) + 1)" }
    }

    private(set) var columns: [CSVQuantity: Column] = [:]
    /// The cell separator, or nil if it is detected from the first line.
    private(set) var separator: UInt8?
    private(set) var hasDecimalComma = false
    private(set) var hasHeader = true
    private(set) var skippedLines = 0
    /// The interval between rows in seconds, or nil if the table contains times.
    private(set) var period: Double?
    private(set) var start: WallTime?
    /// True if an export wrote the table. Each row then contains a position of its own, and `fix.time` is its civil time.
    private(set) var isExported = false

    init(exported columns: [CSVQuantity: Column]) { (self.columns, isExported) = (columns, true) }

    /// Parses a column map.
    ///
    /// - Throws: An error with code `invalidConfiguration` that names the invalid entry and the permitted values.
    public init(_ text: String) throws(DeviceError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw Self.error("The column map is longer than \(Self.maximumLength) bytes.")
        }
        var words = CSVColumnMapParser(text)
        while let entry = try words.next() {
            if let quantity = CSVQuantity(rawValue: entry.key) {
                guard columns[quantity] == nil else {
                    throw Self.error("The column map names \(entry.key) twice. Remove one of the entries.")
                }
                columns[quantity] = try Self.column(quantity, entry)
            } else {
                try set(entry)
            }
        }
        try check()
    }

    private static func column(_ quantity: CSVQuantity, _ entry: CSVColumnMapParser.Entry) throws(DeviceError) -> Column
    {
        var column = Column()
        if !entry.isQuoted, entry.value.hasPrefix("#") {
            guard let number = number(entry.value.dropFirst()), number >= 1, number <= CSVReader.maximumColumns else {
                throw entry.error("# must be followed by a column number from 1 to \(CSVReader.maximumColumns).")
            }
            column.index = number - 1
        } else {
            column.name = entry.value
        }
        guard let dimension = quantity.dimension else {
            guard entry.unit == nil else { throw entry.error("\(entry.key) has no unit. Write \(entry.key)=COLUMN.") }
            return column
        }
        let isNegated = entry.unit?.hasPrefix("-") == true
        let name = entry.unit.map { isNegated ? String($0.dropFirst()) : $0 } ?? ""
        guard var unit = name.isEmpty ? dimension.units.first : dimension.units.first(where: { $0.matches(name: name) })
        else { throw entry.error("\(name) is not a unit of \(entry.key). Write one of \(dimension.unitNames).") }
        guard !isNegated || dimension != .time && dimension != .date else {
            throw entry.error("times cannot be negated. Remove the minus.")
        }
        unit.isNegated = isNegated
        column.unit = unit
        return column
    }

    private mutating func set(_ entry: CSVColumnMapParser.Entry) throws(DeviceError) {
        // The value of a setting may contain a colon. The parser mistakes the text after the colon for a unit, so the
        // two parts are joined again here.
        let value = entry.unit.map { "\(entry.value):\($0)" } ?? entry.value
        switch entry.key {
        case "separator":
            switch value {
            case "comma": separator = UInt8(ascii: ",")
            case "semicolon", ";": separator = UInt8(ascii: ";")
            case "tab": separator = 9
            case "pipe", "|": separator = UInt8(ascii: "|")
            default: throw entry.error("write comma, semicolon, tab or pipe.")
            }
        case "decimal":
            guard value == "comma" || value == "point" else { throw entry.error("write comma or point.") }
            hasDecimalComma = value == "comma"
        case "header":
            guard value == "yes" || value == "no" else { throw entry.error("write yes or no.") }
            hasHeader = value == "yes"
        case "skip":
            guard let count = Self.number(value[...]), count <= Self.maximumSkip else {
                throw entry.error("write the number of lines to skip, at most \(Self.maximumSkip).")
            }
            skippedLines = count
        case "period":
            guard let seconds = DecimalNumber(text: value)?.double, seconds > 0, seconds <= 86_400 else {
                throw entry.error("write the seconds between rows, for example 0.01.")
            }
            period = seconds
        case "start":
            guard let time = [UInt8](value.utf8).withUnsafeBytes({ CivilTime.parseZoned($0) })?.time else {
                throw entry.error("write a time such as 2026-11-21T10:00:00Z.")
            }
            start = time
        default:
            throw entry.error(
                "\(entry.key) is neither a quantity nor a setting. \(CSVQuantity.hint(for: entry.key))Quantities are \(CSVQuantity.allCases.map(\.rawValue).joined(separator: ", ")); settings are separator, decimal, header, skip, period and start."
            )
        }
    }

    private func check() throws(DeviceError) {
        guard columns.keys.contains(where: { $0.isMotion }) || columns[.lat] != nil || columns[.lon] != nil else {
            throw Self.error(
                "The column map names no readings. Write, for example, time=TIME:ms,lat=LATITUDE,lon=LONGITUDE.")
        }
        guard (columns[.lat] == nil) == (columns[.lon] == nil) else {
            let missing = columns[.lat] == nil ? "lat" : "lon"
            throw Self.error("The column map names only one coordinate. Add \(missing)=COLUMN.")
        }
        for axes in SensorKind.allCases.map(\.csvQuantities) {
            let missing = axes.filter { columns[$0] == nil }
            guard missing.isEmpty || missing.count == axes.count else {
                throw Self.error(
                    "The column map lacks \(missing.map(\.rawValue).joined(separator: " and ")): a sensor has three axes. Add \(missing[0].rawValue)=COLUMN."
                )
            }
        }
        if columns[.lat] == nil,
            let alone = columns.keys.filter({ !$0.isMotion && $0 != .time && $0 != .date }).map(\.rawValue).min()
        {
            throw Self.error("The column map names \(alone) but no position. Add lat=COLUMN and lon=COLUMN.")
        }
        guard (columns[.time] == nil) != (period == nil) else {
            throw Self.error(
                period == nil
                    ? "The column map names no time. Add time=COLUMN, or period=SECONDS if rows are evenly spaced."
                    : "The column map has both time and period. Remove one of them.")
        }
        guard columns[.date] == nil || columns[.time] != nil else {
            throw Self.error("The column map names a date but no time. Add time=COLUMN.")
        }
        if !hasHeader, let named = columns.values.compactMap(\.name).min() {
            throw Self.error(
                "The column map contains header=no but names the column \"\(named)\". Write its number, for example #3."
            )
        }
        if hasDecimalComma, separator == UInt8(ascii: ",") {
            throw Self.error("The column map uses commas both as separators and in numbers. Change one of the two.")
        }
    }

    static func error(_ what: String) -> DeviceError { DeviceError(.invalidConfiguration, what) }

    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 9, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            return nil
        }
        return Int(text)
    }
}
