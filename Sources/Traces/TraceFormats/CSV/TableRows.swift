// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// Makes motion readings and positions of the rows of a table, whatever program wrote it.
struct TableRows {
    /// Where a quantity stands, and in what unit; nil for plain numbers.
    struct Column {
        var index: Int
        var unit: CSVUnit?
    }

    /// A position that a row of motion readings only repeats counts again after this long, in nanoseconds.
    static let longestRepetition: Int64 = 1_000_000_000

    /// Of an axis of a sensor there are all three.
    let columns: [CSVQuantity: Column]
    /// What has to be added to the accelerometer's axes; nil for nothing.
    var gravity: [Int]?
    /// What becomes of three axes behind their units.
    var convert: (SensorKind, SIMD3<Double>) -> SIMD3<Double> = { $1 }
    /// True when a position that stands in rows of motion readings again and again counts once a second.
    var dropsRepetitions = false

    /// The readings, with a track for each sensor that has columns.
    private(set) var tracks: [MotionTrack] = []
    /// The columns of each track's axes.
    private var axes: [[Column?]] = []
    private let hasPositions: Bool
    var reports = ReportTrack()
    /// Times a row had only some axes of a sensor.
    private(set) var partial = 0
    var repeated = 0
    /// Positions that got speed, course or climb from the way between them.
    var derived = 0
    /// The problems found in the rows.
    var diagnostics = InputDiagnostics()
    private var hasRows = false
    var motion = DerivedMotion()
    var lastPlace: (values: [Double], time: Int64)?
    /// The last fix: its time, its values, and the time of the first row that has it.
    var lastFix: (time: Int64, values: [Double], rowTime: Int64?)?
    /// The values of the last position, and the time of the first row that has them.
    var unchanged: (values: [Double], time: Int64)?
    var spreader = EqualTimeSpreader<Item>()
    /// The positions up to the first change of the time; nil after it.
    var firstItems: [Item]? = []
    /// The first time of a position.
    var firstTime: Int64?
    /// True when all positions have no time, or the same time, which is then ignored.
    var hasOneTime = false

    /// A position and its satellites.
    struct Item {
        var report: PositionReport
        var sky: SkyReport
        var time: Int64?
        /// The civil time of the fix; nil when it is not known.
        var civil: WallTime?
        var line: Int
    }

    /// - Parameters:
    ///   - source: the file or folder that the sensors come from.
    ///   - sensorName: what the sensors are called.
    init(_ columns: [CSVQuantity: Column], from source: String, sensorName: String = "") {
        self.columns = columns
        hasPositions = columns[.lat] != nil
        for kind in SensorKind.allCases where columns[kind.csvQuantities[0]] != nil {
            var track = MotionTrack(kind, from: source)
            if !sensorName.isEmpty { track.sensor.name = sensorName }
            tracks.append(track)
            axes.append(kind.csvQuantities.map { columns[$0] })
        }
    }

    /// How many cells a row has when nothing that is read is missing.
    var width: Int { ((columns.values.map(\.index) + (gravity ?? [])).max() ?? -1) + 1 }

    /// Records a row of units below the header and returns true; returns false for any other row.
    mutating func recordUnits(_ reader: borrowing CSVReader, _ indices: [Int]) -> Bool {
        guard reader.isRowOfUnits(indices) else { return false }
        diagnostics.record(
            "the row below the header holds no numbers, but units or the like, and was left out", line: reader.line,
            text: indices.sorted().map { reader.text($0) }.joined(separator: ", "))
        return true
    }

    /// Gives the tracks and the reports away, so that they are changed in place afterwards and not copied.
    mutating func takeRecording(start: WallTime?) -> Recording {
        finishPositions()
        var recording = Recording(tracks: tracks, start: hasOneTime ? nil : start)
        tracks = []
        recording.reports = reports
        reports = ReportTrack()
        // What stands in the same rows has the same clock, and what has most of them shows it best.
        let track = recording.tracks.max { $0.count < $1.count }
        recording.undo(track?.clockSteps ?? recording.reports.clockSteps)
        return recording
    }

    /// True when the row holds a number in a column other than those of times and dates.
    func hasReadings(_ reader: borrowing CSVReader) -> Bool {
        columns.contains { quantity, column in
            guard quantity.dimension != .time, quantity != .date, case .number = reader.content(column.index) else {
                return false
            }
            return true
        }
    }

    /// Takes the row that was read last.
    ///
    /// - Parameters:
    ///   - time: of the row; nil when it has none.
    ///   - civil: the same as civil time; nil when it is not known.
    ///   - fix: The time of the fix; nil when the row does not give it.
    mutating func take(
        _ reader: borrowing CSVReader, at time: Int64?, civil: WallTime?, fix: (time: Int64, civil: WallTime?)? = nil
    ) throws(DeviceError) {
        for index in tracks.indices {
            let kind = tracks[index].sensor.kind
            let axes = axes[index]
            guard kind.isVector else {
                let value = try value(axes[0], reader)
                if !value.isNaN, let time { tracks[index].append([value, 0, 0], at: time) }
                continue
            }
            let read = SIMD3(try value(axes[0], reader), try value(axes[1], reader), try value(axes[2], reader))
            guard var value = whole(read) else { continue }
            if kind == .accelerometer, let gravity {
                guard let part = whole(try reader.vector(gravity)) else { continue }
                value += part
            }
            if let time { tracks[index].append(convert(kind, value), at: time) }
        }
        if hasPositions { try takePosition(reader, at: time, civil, fix) }
    }

    /// Nil for three numbers of which one is missing.
    private mutating func whole(_ value: SIMD3<Double>) -> SIMD3<Double>? {
        let known = (0..<3).count { !value[$0].isNaN }
        if known == 1 || known == 2 { partial += 1 }
        return known == 3 ? value : nil
    }

    /// A number of the row in the unit of sources; NaN when there is none.
    mutating func value(_ quantity: CSVQuantity, _ reader: borrowing CSVReader) throws(DeviceError) -> Double {
        try value(columns[quantity], reader)
    }

    private mutating func value(_ column: Column?, _ reader: borrowing CSVReader) throws(DeviceError) -> Double {
        guard let column else { return .nan }
        if case .unreadable = reader.content(column.index), hasRows {
            recordUnreadable(column.index, reader)
            return .nan
        }
        guard let number = try reader.number(column.index) else { return .nan }
        let value = column.unit?.value(number) ?? number
        return value.isFinite ? value : .nan
    }

    mutating func recordUnreadable(_ index: Int, _ reader: borrowing CSVReader) {
        let name = reader.header.indices.contains(index) ? "\"\(reader.header[index])\"" : "\(index + 1)"
        diagnostics.record(
            "the cell of column \(name) cannot be read and was ignored", line: reader.line, text: reader.text(index))
    }

    /// Ends a row. An unreadable cell in the first row is an error, because the map may be for another table.
    mutating func endRow() { hasRows = true }
}

extension CSVReader {
    /// The number in a cell; NaN when there is none.
    func value(_ index: Int?) throws(DeviceError) -> Double {
        guard let index else { return .nan }
        return try number(index) ?? .nan
    }

    /// The numbers in three cells; NaN where there is none.
    func vector(_ indices: [Int]) throws(DeviceError) -> SIMD3<Double> {
        guard indices.count == 3 else { return SIMD3(repeating: .nan) }
        return SIMD3(try value(indices[0]), try value(indices[1]), try value(indices[2]))
    }
}
