// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// Converts table rows to motion readings and positions.
struct TableRowConverter {
    struct Column {
        var index: Int
        var unit: CSVUnit?
    }

    /// The interval at which a repeated position is read, in nanoseconds (1 s).
    static let repetitionInterval: Int64 = 1_000_000_000
    /// The column of each quantity. Either all axes of a sensor are present or none.
    let columns: [CSVQuantity: Column]
    /// The columns of gravity, which is added to the acceleration, or nil if the acceleration includes gravity.
    var gravity: [Int]?
    /// A conversion that is applied after the unit conversion.
    var convert: (SensorKind, SIMD3<Double>) -> SIMD3<Double> = { $1 }
    var dropsRepetitions = false
    private(set) var tracks: [MotionTrack] = []
    private var axes: [[Column?]] = []
    private let hasPositions: Bool
    var reports = ReportTrack()
    private(set) var incompleteReadingCount = 0
    var repeatedPositionCount = 0
    var derivedMotionCount = 0
    var diagnostics = InputDiagnostics()
    private var hasRows = false
    var motion = DerivedMotion()
    var lastPosition: (values: [Double], time: Int64)?
    var lastFix: (time: Int64, values: [Double], rowTime: Int64?)?
    /// The values of the last position, and the time of the first row that contained them.
    var unchangedPosition: (values: [Double], time: Int64)?
    var spreader = EqualTimeSpreader<Item>()
    /// The positions read before the first change of the time, or nil after that change.
    var firstItems: [Item]? = []
    var firstTime: Int64?
    /// True if the times of the positions are unusable and there are no motion readings.
    var ignoresTimes = false

    struct Item {
        var report: PositionReport
        var sky: SkyReport
        var time: Int64?
        var civil: WallTime?
        var line: Int
    }

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

    mutating func recordUnits(_ reader: borrowing CSVReader, _ indices: [Int]) -> Bool {
        guard reader.isRowOfUnits(indices) else { return false }
        diagnostics.record(
            "the row below the header contains units or other text instead of numbers and was skipped",
            line: reader.line,
            text: indices.sorted().map { reader.text($0) }.joined(separator: ", "))
        return true
    }

    /// Moves the readings and reports into a recording. Because they are moved, they can be changed without being
    /// copied.
    mutating func finishRecording(start: WallTime?) -> Recording {
        finishPositions()
        var recording = Recording(tracks: tracks, start: ignoresTimes ? nil : start)
        tracks = []
        recording.reports = reports
        reports = ReportTrack()
        // All columns share one clock. Its steps are detected in the track with the most readings.
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

    mutating func process(
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
            guard var value = complete(read) else { continue }
            if kind == .accelerometer, let gravity {
                guard let part = complete(try reader.vector(gravity)) else { continue }
                value += part
            }
            if let time { tracks[index].append(convert(kind, value), at: time) }
        }
        if hasPositions { try processPosition(reader, at: time, civil, fix) }
    }

    /// Returns the value, or nil if a component is unknown. Counts values that are only partly known.
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

    /// Ends a row. An unreadable cell in the first row is an error, because the column map may be wrong. In later rows,
    /// unreadable cells are ignored.
    mutating func endRow() { hasRows = true }
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
