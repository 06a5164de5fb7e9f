// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Reads a table by a column map.
struct CSVTableReader {
    /// Numbers beyond this many nanoseconds are since 1970: a recording of three years is unlikely.
    private static let earliestCivilTime: Int64 = 100_000_000 * 1_000_000_000
    /// A position that a row of motion readings only repeats counts again after this long, in nanoseconds.
    private static let longestRepetition: Int64 = 1_000_000_000

    private var reader: CSVReader
    private let map: CSVColumnMap
    private var indices: [CSVQuantity: Int] = [:]
    private var tracks: [MotionTrack] = []
    private var reports = ReportTrack()
    private var motion = DerivedMotion()
    private var lastPlace: (values: [Double], time: Int64)?

    /// Whether times are since 1970, which the first one decides for all; nil before it.
    private var isCivil: Bool?

    private var partial = 0
    private var outOfRange = 0
    private var repeated = 0
    private var derived = 0
    private var unzoned = 0
    private var isCut = false

    /// Reads the header.
    init(_ bytes: UnsafeRawBufferPointer, name: String, map: CSVColumnMap) throws(DeviceError) {
        reader = try CSVReader(bytes, name: name)
        self.map = map
        reader.allowsDecimalComma = map.hasDecimalComma
        reader.commaHint = "Add decimal=comma to the column map, and separator=semicolon where that is so."
        reader.skipLines(map.skippedLines)
        reader.setSeparator(map.separator)
        if map.hasHeader { try reader.readHeader(allowsRepeatedNames: true) }
        for (quantity, column) in map.columns { indices[quantity] = try index(of: column, quantity) }
        for axes in CSVQuantity.vectors where indices[axes[0]] != nil {
            tracks.append(MotionTrack(Self.kind(of: axes[0]), from: name))
        }
        if indices[.pressure] != nil { tracks.append(MotionTrack(.pressure, from: name)) }
    }

    private func index(of column: CSVColumnMap.Column, _ quantity: CSVQuantity) throws(DeviceError) -> Int {
        if let index = column.index {
            guard !map.hasHeader || index < reader.header.count else {
                throw reader.place(nil).error(
                    "there is no column \(column.shown), which the column map takes for \(quantity.rawValue): the header has \(reader.header.count). \(Self.numbered(reader.header))"
                )
            }
            return index
        }
        let name = (column.name ?? "").lowercased()
        let found = reader.header.indices.filter { reader.header[$0] == name }
        guard let index = found.first else {
            throw reader.place(nil).error(
                "there is no column \(column.shown), which the column map takes for \(quantity.rawValue). \(Self.numbered(reader.header))"
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

    private static func kind(of axis: CSVQuantity) -> SensorKind {
        switch axis.dimension {
        case .rate: .gyroscope
        case .field: .magnetometer
        default: .accelerometer
        }
    }

    /// Reads all rows.
    mutating func read() throws(DeviceError) -> Recording {
        var row: Int64 = 0
        while try reader.next() {
            if reader.isOpenEnded, map.hasHeader, reader.cells.count < reader.header.count {
                isCut = true
                break
            }
            if let time = try time(row) {
                if isCivil == nil { isCivil = isSince1970(time) }
                try take(at: time)
            } else if try hasReadings() {
                throw reader.place(indices[.time]).error(
                    "the row has readings and no time. Fill the time in, or remove the row.")
            }
            row += 1
        }
        var recording = Recording(tracks: tracks, start: map.start)
        tracks = []
        recording.reports = reports
        reports = ReportTrack()
        if isCivil == true, let first = recording.firstTime {
            recording.start = .epoch
            recording.shift(by: 0 &- first)
        }
        recording.remarks = remarks
        recording.settle()
        guard recording.count > 0 || recording.reports.count > 0 else {
            throw DeviceError(
                .invalidTrace, "\(reader.name) has a header and no readings where the column map looks for them.")
        }
        return recording
    }

    private func isSince1970(_ time: Int64) -> Bool {
        guard let unit = map.columns[.time]?.unit else { return false }
        // Dates are, whenever it was.
        return unit.power == nil || time >= Self.earliestCivilTime
    }

    private func hasReadings() throws(DeviceError) -> Bool {
        for (quantity, index) in indices where quantity != .time {
            if try reader.number(index) != nil { return true }
        }
        return false
    }

    /// Nanoseconds of the row; nil when its cell is empty.
    private mutating func time(_ row: Int64) throws(DeviceError) -> Int64? {
        guard let index = indices[.time], let unit = map.columns[.time]?.unit else {
            return Int64(saturatingSeconds: Double(row) * (map.period ?? 0))
        }
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

    /// A number of the row in the unit of sources; NaN when there is none.
    private func value(_ quantity: CSVQuantity) throws(DeviceError) -> Double {
        guard let index = indices[quantity], let number = try reader.number(index) else { return .nan }
        let value = map.columns[quantity]?.unit?.value(number) ?? number
        return value.isFinite ? value : .nan
    }

    private mutating func take(at time: Int64) throws(DeviceError) {
        var track = 0
        for axes in CSVQuantity.vectors where indices[axes[0]] != nil {
            let value = SIMD3(try value(axes[0]), try value(axes[1]), try value(axes[2]))
            let known = (0..<3).count { !value[$0].isNaN }
            if known == 3 { tracks[track].append(value, at: time) } else if known > 0 { partial += 1 }
            track += 1
        }
        if indices[.pressure] != nil {
            let value = try value(.pressure)
            if !value.isNaN { tracks[track].append([value, 0, 0], at: time) }
        }
        if indices[.lat] != nil { try takePosition(at: time) }
    }

    private mutating func takePosition(at time: Int64) throws(DeviceError) {
        var report = PositionReport()
        report.latitude = try value(.lat)
        report.longitude = try value(.lon)
        let mode = indices[.mode] == nil ? nil : try value(.mode)
        guard !report.latitude.isNaN || !report.longitude.isNaN || mode.map({ $0 <= 1 }) == true else { return }
        guard mode.map({ $0 <= 1 }) == true || report.latitude.magnitude <= 90 && report.longitude.magnitude <= 180
        else {
            outOfRange += 1
            return
        }
        report.altitudeMSL = try value(.altMSL)
        report.altitudeHAE = try value(.altHAE)
        report.geoidSeparation = report.altitudeHAE - report.altitudeMSL
        // Programs write numbers below zero for what they do not know.
        report.speed = Self.known(try value(.speed))
        let course = Self.known(try value(.course))
        report.track = course <= 360 ? course : .nan
        report.climb = try value(.climb)
        report.horizontalError = Self.known(try value(.horizontalAccuracy))
        report.verticalError = Self.known(try value(.verticalAccuracy))
        report.speedError = Self.known(try value(.speedAccuracy))
        report.trackError = Self.known(try value(.courseAccuracy))
        report.mode =
            report.altitudeMSL.isNaN && report.altitudeHAE.isNaN ? .twoDimensional : .threeDimensional
        if let mode, mode <= 1 { report.mode = .none }
        if let mode, mode == 2 { report.mode = .twoDimensional }
        if repeats(report, at: time) { return }
        if isCivil == true {
            report.time = WallTime(nanoseconds: time)
        } else if let start = map.start {
            report.time = WallTime(nanoseconds: start.nanoseconds.addingSaturated(time))
        }
        if indices[.speed] == nil || indices[.course] == nil, motion.complete(&report, at: time) { derived += 1 }
        try takeSky(report, at: time)
        reports.append(report, at: time)
    }

    private static func known(_ value: Double) -> Double { value >= 0 ? value : .nan }

    /// True when the position only stands there again because its row has motion readings.
    private mutating func repeats(_ report: PositionReport, at time: Int64) -> Bool {
        guard !tracks.isEmpty else { return false }
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

    private mutating func takeSky(_ report: PositionReport, at time: Int64) throws(DeviceError) {
        var sky = SkyReport()
        sky.time = report.time
        sky.hdop = try value(.hdop)
        sky.vdop = try value(.vdop)
        sky.pdop = try value(.pdop)
        let count = try value(.sats)
        if count >= 0, count <= 1000 { sky.usedCount = Int32(count) }
        guard sky.usedCount >= 0 || !sky.hdop.isNaN || !sky.vdop.isNaN || !sky.pdop.isNaN else { return }
        reports.append(sky, at: time)
    }

    private var remarks: [String] {
        var remarks: [String] = []
        func remark(_ count: Int, _ text: String) { if count > 0 { remarks.append("\(count) \(text)") } }
        if isCut { remarks.append("The last line was cut off; it was left out.") }
        remark(partial, "times a row had only some axes of a sensor; it gives no reading of that sensor.")
        remark(outOfRange, "rows have no coordinates in range; they give no position.")
        remark(repeated, "times a row of motion readings repeats the position before; each counts once a second.")
        remark(derived, "positions got speed, course or climb from the way between them.")
        remark(unzoned, "times name no zone and were taken as UTC.")
        return remarks
    }
}
