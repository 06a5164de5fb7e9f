// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Makes motion readings and positions of the rows of a table, whatever program wrote it.
struct TableRows {
    /// Where a quantity stands, and in what unit; nil for plain numbers.
    struct Column {
        var index: Int
        var unit: CSVUnit?
    }

    /// A position that a row of motion readings only repeats counts again after this long, in nanoseconds.
    private static let longestRepetition: Int64 = 1_000_000_000

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
    private(set) var reports = ReportTrack()
    /// Times a row had only some axes of a sensor.
    private(set) var partial = 0
    /// Rows with coordinates out of range.
    private(set) var outOfRange = 0
    private(set) var repeated = 0
    /// Positions that got speed, course or climb from the way between them.
    private(set) var derived = 0
    private var motion = DerivedMotion()
    private var lastPlace: (values: [Double], time: Int64)?

    /// - Parameters:
    ///   - source: the file or folder that the sensors come from.
    ///   - sensorName: what the sensors are called.
    init(_ columns: [CSVQuantity: Column], from source: String, sensorName: String = "") {
        self.columns = columns
        hasPositions = columns[.lat] != nil
        for kind in SensorKind.allCases where columns[Self.axes(kind)[0]] != nil {
            var track = MotionTrack(kind, from: source)
            if !sensorName.isEmpty { track.sensor.name = sensorName }
            tracks.append(track)
            axes.append(Self.axes(kind).map { columns[$0] })
        }
    }

    /// How many cells a row has when nothing that is read is missing.
    var width: Int { ((columns.values.map(\.index) + (gravity ?? [])).max() ?? -1) + 1 }

    /// The quantities of a sensor.
    static func axes(_ kind: SensorKind) -> [CSVQuantity] {
        switch kind {
        case .accelerometer: [.accelX, .accelY, .accelZ]
        case .gyroscope: [.gyroX, .gyroY, .gyroZ]
        case .magnetometer: [.magX, .magY, .magZ]
        case .pressure: [.pressure]
        }
    }

    /// Gives the tracks and the reports away, so that they are changed in place afterwards and not copied.
    mutating func takeRecording(start: WallTime?) -> Recording {
        var recording = Recording(tracks: tracks, start: start)
        tracks = []
        recording.reports = reports
        reports = ReportTrack()
        // What stands in the same rows has the same clock, and what has most of them shows it best.
        let track = recording.tracks.max { $0.count < $1.count }
        recording.undo(track?.clockSteps ?? recording.reports.clockSteps)
        return recording
    }

    /// True when the row holds a number in any column but that of the time.
    func hasReadings(_ reader: borrowing CSVReader) throws(DeviceError) -> Bool {
        for (quantity, column) in columns where quantity != .time {
            if try reader.number(column.index) != nil { return true }
        }
        return false
    }

    /// Takes the row that was read last.
    ///
    /// - Parameters:
    ///   - time: of the row.
    ///   - civil: the same as civil time; nil when it is not known.
    mutating func take(_ reader: borrowing CSVReader, at time: Int64, civil: WallTime?) throws(DeviceError) {
        for index in tracks.indices {
            let kind = tracks[index].sensor.kind
            let axes = axes[index]
            guard kind.isVector else {
                let value = try value(axes[0], reader)
                if !value.isNaN { tracks[index].append([value, 0, 0], at: time) }
                continue
            }
            let read = SIMD3(try value(axes[0], reader), try value(axes[1], reader), try value(axes[2], reader))
            guard var value = whole(read) else { continue }
            if kind == .accelerometer, let gravity {
                guard let part = whole(try reader.vector(gravity)) else { continue }
                value += part
            }
            tracks[index].append(convert(kind, value), at: time)
        }
        if hasPositions { try takePosition(reader, at: time, civil) }
    }

    /// Nil for three numbers of which one is missing.
    private mutating func whole(_ value: SIMD3<Double>) -> SIMD3<Double>? {
        let known = (0..<3).count { !value[$0].isNaN }
        if known == 1 || known == 2 { partial += 1 }
        return known == 3 ? value : nil
    }

    /// A number of the row in the unit of sources; NaN when there is none.
    private func value(_ quantity: CSVQuantity, _ reader: borrowing CSVReader) throws(DeviceError) -> Double {
        try value(columns[quantity], reader)
    }

    private func value(_ column: Column?, _ reader: borrowing CSVReader) throws(DeviceError) -> Double {
        guard let column, let number = try reader.number(column.index) else { return .nan }
        let value = column.unit?.value(number) ?? number
        return value.isFinite ? value : .nan
    }

    private mutating func takePosition(
        _ reader: borrowing CSVReader, at time: Int64, _ civil: WallTime?
    ) throws(DeviceError) {
        var report = PositionReport()
        report.latitude = try value(.lat, reader)
        report.longitude = try value(.lon, reader)
        let mode = try value(.mode, reader)
        guard !report.latitude.isNaN || !report.longitude.isNaN || mode <= 1 else { return }
        guard mode <= 1 || report.isPlace else {
            outOfRange += 1
            return
        }
        for quantity in CSVQuantity.ofPositions { report.set(quantity, try value(quantity, reader)) }
        report.setMode()
        if mode <= 1 { report.mode = .none }
        if mode == 2 { report.mode = .twoDimensional }
        if dropsRepetitions, !tracks.isEmpty, repeats(report, at: time) { return }
        report.time = civil
        reports.refuseImpossibleValues(&report)
        if columns[.speed] == nil || columns[.course] == nil, motion.complete(&report, at: time) { derived += 1 }
        var sky = SkyReport()
        sky.time = civil
        sky.hdop = try value(.hdop, reader)
        sky.vdop = try value(.vdop, reader)
        sky.pdop = try value(.pdop, reader)
        let count = try value(.sats, reader)
        if count >= 0, count <= 1000 { sky.usedCount = Int32(count) }
        if sky.usedCount >= 0 || !sky.hdop.isNaN || !sky.vdop.isNaN || !sky.pdop.isNaN { reports.append(sky, at: time) }
        reports.append(report, at: time)
    }

    /// True when the position only stands there again because its row has motion readings.
    private mutating func repeats(_ report: PositionReport, at time: Int64) -> Bool {
        let values = [
            report.latitude, report.longitude, report.altitudeMSL, report.altitudeHAE, report.speed, report.track,
        ]
        if let last = lastPlace, time.subtractingSaturated(last.time) < Self.longestRepetition,
            zip(values, last.values).allSatisfy({ $0 == $1 || ($0.isNaN && $1.isNaN) })
        {
            repeated += 1
            return true
        }
        lastPlace = (values, time)
        return false
    }
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

extension CSVQuantity {
    /// What a table says of a position besides where it is.
    static let ofPositions: [CSVQuantity] = [
        .altMSL, .altHAE, .speed, .course, .climb, .horizontalAccuracy, .verticalAccuracy, .speedAccuracy,
        .courseAccuracy,
    ]
}

extension PositionReport {
    /// True when there are coordinates in range.
    var isPlace: Bool { latitude.magnitude <= 90 && longitude.magnitude <= 180 }

    /// Takes what a table says; NaN for nothing. Programs write numbers below zero for what they do not know.
    mutating func set(_ quantity: CSVQuantity, _ value: Double) {
        let known = value >= 0 ? value : .nan
        switch quantity {
        case .altMSL: altitudeMSL = value
        case .altHAE: altitudeHAE = value
        case .speed: speed = known
        case .course: track = known <= 360 ? known : .nan
        case .climb: climb = value
        case .horizontalAccuracy: horizontalError = known
        case .verticalAccuracy: verticalError = known
        case .speedAccuracy: speedError = known
        case .courseAccuracy: trackError = known
        default: break
        }
    }

    /// The separation of both altitudes, and the mode that they make.
    mutating func setMode() {
        geoidSeparation = altitudeHAE - altitudeMSL
        mode = altitudeHAE.isNaN && altitudeMSL.isNaN ? .twoDimensional : .threeDimensional
    }
}
