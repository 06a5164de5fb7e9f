// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// Converts table rows to motion readings and positions. The code that reads the table calls `process` and `endRow` for
/// each row. At the end, it calls `finishRecording`, or `finishPositions` if it assembles the recording itself.
struct TableRowConverter {
    struct Column {
        var index: Int
        var unit: CSVUnit?
    }

    /// The time of the position fix, in tables that have a separate column for it.
    struct FixTime {
        /// The time in nanoseconds. Its origin need not be known, because it is only compared with the fix times of
        /// other rows.
        var time: Int64
        /// The wall-clock time, or nil if the origin of `time` is unknown.
        var civil: WallTime?
    }

    /// A position whose final time is not known yet.
    struct Item {
        var report: PositionReport
        var sky: SkyReport
        var time: Int64?
        var civil: WallTime?
        var line: Int
    }

    /// Earlier positions, for comparison with the position of the current row. `values` is the result of `values(_:)`.
    struct EarlierPositions {
        /// The last fix that was not a repetition. `time` is its fix time, and `rowTime` is the time of the first row
        /// with this fix time. Used only if rows have a fix time.
        var fix: (time: Int64, values: [Double], rowTime: Int64?)?
        /// The last position that was not dropped. Used if `dropsRepetitions` is true.
        var kept: (values: [Double], time: Int64)?
        /// The last position, and the time of the first row in which it appeared. Used to detect a logger that repeats
        /// an old fix.
        var unchanged: (values: [Double], since: Int64)?
    }

    /// The column of each quantity. The caller ensures that each sensor has columns for all of its axes or for none.
    let columns: [CSVQuantity: Column]
    /// The gravity columns, if gravity is separate from the acceleration and must be added to it. nil if the
    /// acceleration includes gravity.
    var gravity: [Int]?
    /// A conversion applied after the unit conversion.
    var convert: (SensorKind, SIMD3<Double>) -> SIMD3<Double> = { $1 }
    /// True if consecutive rows may repeat the same position, as in tables of motion readings. If so, a repeated
    /// position is kept only once per `repetitionInterval`.
    var dropsRepetitions = false
    /// True if every position is kept at the time of its row and with its mode, even if others have the same time or the
    /// same values.
    var keepsAllPositions = false
    /// True if the last position had satellites or dilutions.
    var isSkyValid = false
    /// The time within which a repeated position is dropped, in nanoseconds (1 s).
    static let repetitionInterval: Int64 = 1_000_000_000

    private(set) var tracks: [MotionTrack] = []
    /// The columns of each track's axes.
    private var axes: [[Column?]] = []
    private let hasPositions: Bool
    var reports = ReportTrack()
    private(set) var incompleteReadingCount = 0
    var repeatedPositionCount = 0
    var derivedMotionCount = 0
    var diagnostics = InputDiagnostics()
    private var isFirstRow = true

    var motion = DerivedMotion()
    var earlier = EarlierPositions()
    /// The positions read before the time first changed, or nil once it has changed.
    var firstItems: [Item]? = []
    /// The time of the first position that has a time.
    var firstTime: Int64?
    var spreader = EqualTimeSpreader<Item>()
    /// True if the position times are unusable and there are no motion readings, so that the recording has no start
    /// time. Set by `finishPositions`.
    var ignoresTimes = false

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

    var width: Int { ((columns.values.map(\.index) + (gravity ?? [])).max() ?? -1) + 1 }

    /// Returns true and records a warning if the cells of these columns contain units instead of readings.
    mutating func recordIfUnits(_ reader: borrowing CSVReader, _ indices: [Int]) -> Bool {
        guard reader.isRowOfUnits(indices) else { return false }
        diagnostics.record(
            "the row below the header contains units or other text instead of numbers and was skipped",
            line: reader.line, text: indices.sorted().map { reader.text($0) }.joined(separator: ", "))
        return true
    }

    /// Returns the recording. The readings and reports are moved out of the converter, so that changing them later does
    /// not copy them.
    mutating func finishRecording(start: WallTime?) -> Recording {
        finishPositions()
        var recording = Recording(tracks: tracks, start: ignoresTimes ? nil : start)
        tracks = []
        recording.reports = reports
        reports = ReportTrack()
        // All columns share one clock, so a clock step affects all tracks. Steps are detected in the track with the
        // most readings.
        let track = recording.tracks.max { $0.count < $1.count }
        recording.correct(track?.clockSteps ?? recording.reports.clockSteps)
        return recording
    }

    func hasReadings(_ reader: borrowing CSVReader) -> Bool {
        columns.contains { quantity, column in
            guard quantity.dimension != .time, quantity != .date, case .number = reader.content(column.index) else {
                return false
            }
            return true
        }
    }

    /// Converts the reader's current row.
    ///
    /// - Parameters:
    ///   - time: The row's time in nanoseconds. If nil, motion readings are skipped.
    ///   - civil: The row's wall-clock time, or nil if unknown.
    ///   - fix: The time of the position fix, or nil if the row does not contain it.
    mutating func process(
        _ reader: borrowing CSVReader, at time: Int64?, civil: WallTime?, fix: FixTime? = nil
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
            guard var value = complete(read) else { continue }
            if kind == .accelerometer, let gravity {
                guard let part = complete(try reader.vector(gravity)) else { continue }
                value += part
            }
            if let time { tracks[index].append(convert(kind, value), at: time) }
        }
        if hasPositions { try processPosition(reader, at: time, civil, fix) }
    }

    /// Returns the value, or nil if any component is NaN. Counts values in which some but not all components are NaN.
    private mutating func complete(_ value: SIMD3<Double>) -> SIMD3<Double>? {
        let known = (0..<3).count { !value[$0].isNaN }
        if known == 1 || known == 2 { incompleteReadingCount += 1 }
        return known == 3 ? value : nil
    }

    mutating func value(_ quantity: CSVQuantity, _ reader: borrowing CSVReader) throws(DeviceError) -> Double {
        try value(columns[quantity], reader)
    }

    private mutating func value(_ column: Column?, _ reader: borrowing CSVReader) throws(DeviceError) -> Double {
        guard let column else { return .nan }
        if case .unreadable = reader.content(column.index), !isFirstRow {
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

    /// Ends a row. In the first row, an unreadable cell is an error, because `columns` may be wrong. In later rows,
    /// unreadable cells are recorded and ignored.
    mutating func endRow() { isFirstRow = false }
}

extension CSVReader {
    func value(_ index: Int?) throws(DeviceError) -> Double {
        guard let index else { return .nan }
        return try number(index) ?? .nan
    }

    func vector(_ indices: [Int]) throws(DeviceError) -> SIMD3<Double> {
        guard indices.count == 3 else { return SIMD3(repeating: .nan) }
        return SIMD3(try value(indices[0]), try value(indices[1]), try value(indices[2]))
    }
}
