// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// Converts rows to positions: reads their values, drops repeated positions and assigns times.
extension TableRowConverter {
    /// The maximum time that a moving receiver's position may stay the same, in nanoseconds (3 s). After that, the
    /// logger is assumed to be repeating an old fix.
    private static let maximumUnchangedDuration: Int64 = 3_000_000_000
    /// The minimum speed, in m/s, at which a receiver counts as moving.
    private static let minimumMovingSpeed = 1.0
    /// A dilution of precision at or above this value means that the receiver has no fix.
    private static let noFixDilution = 99.0

    /// Converts a row's position. The parameters are the same as those of `process`.
    mutating func processPosition(
        _ reader: borrowing CSVReader, at time: Int64?, _ civil: WallTime?, _ fix: FixTime?
    ) throws(DeviceError) {
        var report = PositionReport()
        report.latitude = try coordinate(.lat, .latitudeDirection, "NS", reader)
        report.longitude = try coordinate(.lon, .longitudeDirection, "EW", reader)
        // NaN if the row does not state the mode, which makes all comparisons with `mode` false.
        let mode = try value(.mode, reader)
        guard !report.latitude.isNaN || !report.longitude.isNaN || mode <= 1 else { return }
        guard mode <= 1 || report.hasValidCoordinates else {
            recordOutOfRange(report, reader)
            return
        }
        for quantity in CSVQuantity.ofPositions {
            let value = try value(quantity, reader)
            report.set(quantity, value)
            if quantity == .course, value > 360, let column = columns[quantity] {
                recordUnreadable(column.index, reader)
            }
        }
        report.setMode()
        var sky = SkyReport()
        sky.hdop = try value(.hdop, reader)
        sky.vdop = try value(.vdop, reader)
        sky.pdop = try value(.pdop, reader)
        let count = try countOfSatellites(reader)
        if (0...1000).contains(count), count == count.rounded() {
            sky.usedCount = Int32(count)
        } else if !count.isNaN, count != -1, let column = columns[.sats] {
            recordUnreadable(column.index, reader)
        }
        if mode <= 1 {
            report.mode = .none
        } else if mode.isNaN, isWithoutFix(report, sky, reader) {
            report.mode = .none
        }
        if mode == 2 { report.mode = .twoDimensional }
        if mode == 3, keepsAllPositions { report.mode = .threeDimensional }
        if let column = columns[.mode], !mode.isNaN, ![0, 1, 2, 3].contains(mode) {
            recordUnreadable(column.index, reader)
        }
        var civil = civil
        if let fix {
            if let known = fix.civil { civil = known }
            // A row repeats the last fix only if both its fix time and its values are the same. The fix time alone is
            // not sufficient: if its resolution is low, several fixes have the same time.
            let values = values(report)
            if let last = earlier.fix, fix.time == last.time {
                if Self.areEqual(values, last.values) {
                    repeatedPositionCount += 1
                    return
                }
                if fix.civil != nil, let time, let first = last.rowTime {
                    let later = time.subtractingSaturated(first)
                    civil = civil.map { WallTime(nanoseconds: $0.nanoseconds.addingSaturated(later)) }
                }
                earlier.fix?.values = values
            } else {
                earlier.fix = (fix.time, values, time)
            }
        } else if let time, !keepsAllPositions {
            recordUnchanged(report, at: time, reader)
            if dropsRepetitions, !tracks.isEmpty, isRepetition(report, at: time) { return }
        }
        append(Item(report: report, sky: sky, time: time, civil: civil, line: reader.line))
    }

    /// Returns a coordinate in degrees, or NaN if it is missing or its hemisphere is ambiguous.
    private mutating func coordinate(
        _ quantity: CSVQuantity, _ direction: CSVQuantity, _ letters: String, _ reader: borrowing CSVReader
    ) throws(DeviceError) -> Double {
        guard let column = columns[quantity] else { return .nan }
        var value = Double.nan
        var letter: Character?
        if case .unreadable = reader.content(column.index) {
            let text = reader.text(column.index).uppercased().trimmed
            letter = [text.first, text.last].compactMap(\.self).first { letters.contains($0) }
            let number = text.filter { $0 != letter }.trimmed
            if letter != nil, let found = DecimalNumber(text: number)?.double {
                value = column.unit?.value(found) ?? found
            }
        }
        if value.isNaN { value = try self.value(quantity, reader) }
        if let other = columns[direction] {
            let text = reader.text(other.index).uppercased().trimmed
            let found = text.first.flatMap { first in
                text.count == 1 || Self.hemispheres.contains(text) ? letters.first { $0 == first } : nil
            }
            if let found {
                if let letter, letter != found { return contradiction(quantity, "\(letter) \(found)", reader) }
                letter = found
            } else if !text.isEmpty, !reader.isMissing(other.index), !value.isNaN {
                recordUnreadable(other.index, reader)
                return .nan
            } else if letter == nil, value > 0 {
                diagnostics.record(
                    "the row does not specify the hemisphere of its \(quantity == .lat ? "latitude" : "longitude"), and its position was skipped",
                    line: reader.line, text: "\(value)")
                return .nan
            }
        }
        guard let letter else { return value }
        if value < 0, letter == letters.first { return contradiction(quantity, "\(value) \(letter)", reader) }
        return letter == letters.last ? -value.magnitude : value.magnitude
    }

    private static let hemispheres: Set = ["NORTH", "SOUTH", "EAST", "WEST"]

    private mutating func contradiction(
        _ quantity: CSVQuantity, _ text: String, _ reader: borrowing CSVReader
    ) -> Double {
        diagnostics.record(
            "the hemispheres of the row's \(quantity == .lat ? "latitude" : "longitude") contradict each other, and its position was skipped",
            line: reader.line, text: text)
        return .nan
    }

    /// Returns the number of satellites used: the first number in a cell such as `18 / 19` (used and in view).
    private mutating func countOfSatellites(_ reader: borrowing CSVReader) throws(DeviceError) -> Double {
        guard let column = columns[.sats] else { return .nan }
        if case .unreadable = reader.content(column.index) {
            let parts = reader.text(column.index).split(separator: "/").map { String($0).trimmed }
            if parts.count == 2, let used = DecimalNumber(text: parts[0]), DecimalNumber(text: parts[1]) != nil {
                return used.double
            }
        }
        return try value(.sats, reader)
    }

    /// Returns true if the values of a row without a fix mode show that the receiver had no fix.
    private mutating func isWithoutFix(
        _ report: PositionReport, _ sky: SkyReport, _ reader: borrowing CSVReader
    ) -> Bool {
        let reason: String
        if report.latitude == 0, report.longitude == 0 {
            reason = "has the coordinates 0, 0"
        } else if sky.hdop >= Self.noFixDilution {
            reason = "has a dilution of 99 or more"
        } else if sky.usedCount == 0, !(report.horizontalError > 0) {
            // Positions with an accuracy are kept, because they may be a phone's network positions, which need no
            // satellites.
            reason = "has no satellites"
        } else {
            return false
        }
        diagnostics.record(
            "the row \(reason) and was treated as having no fix", line: reader.line,
            text: report.coordinates)
        return true
    }

    private mutating func recordOutOfRange(_ report: PositionReport, _ reader: borrowing CSVReader) {
        let isWhole = [report.latitude, report.longitude].allSatisfy { $0.magnitude >= 1e5 && $0 == $0.rounded() }
        let unit = [columns[.lat], columns[.lon]].contains { $0?.unit?.name == "deg" }
        let hint =
            isWhole && unit ? "; for integers of 1e-7 degrees, write :e7 after the columns in the column map" : ""
        diagnostics.record(
            "the row has no valid latitude and longitude, and its position was skipped\(hint)", line: reader.line,
            text: report.coordinates)
    }

    /// Returns the values that are compared to determine whether two positions are equal.
    private func values(_ report: PositionReport) -> [Double] {
        [report.latitude, report.longitude, report.altitudeMSL, report.altitudeHAE, report.speed, report.track]
    }

    private static func areEqual(_ left: [Double], _ right: [Double]) -> Bool {
        zip(left, right).allSatisfy { $0 == $1 || ($0.isNaN && $1.isNaN) }
    }

    /// Records a problem if the position has stayed the same for longer than `maximumUnchangedDuration` although the
    /// receiver is moving. The logger is then probably repeating an old fix.
    private mutating func recordUnchanged(_ report: PositionReport, at time: Int64, _ reader: borrowing CSVReader) {
        let values = values(report)
        guard let former = earlier.unchanged, Self.areEqual(values, former.values) else {
            earlier.unchanged = (values, time)
            return
        }
        guard report.speed >= Self.minimumMovingSpeed,
            time.subtractingSaturated(former.since) > Self.maximumUnchangedDuration
        else { return }
        diagnostics.record(
            "the position has not changed for seconds although the speed is not zero; if the logger repeats its last fix, name the column with the time of the fix: fix.time=COLUMN",
            line: reader.line, text: "\(report.coordinates), \(report.speed) m/s")
    }

    /// Returns true if the position equals the last kept position and follows it within `repetitionInterval`. If so,
    /// counts the repetition.
    private mutating func isRepetition(_ report: PositionReport, at time: Int64) -> Bool {
        let values = values(report)
        if let last = earlier.kept, time.subtractingSaturated(last.time) < Self.repetitionInterval,
            Self.areEqual(values, last.values)
        {
            repeatedPositionCount += 1
            return true
        }
        earlier.kept = (values, time)
        return false
    }

    // Consecutive positions with the same time are spread evenly over the interval to the next time, or over one second
    // if that is shorter.

    private mutating func append(_ item: Item) {
        if keepsAllPositions, let time = item.time { return write(item, at: time) }
        guard var first = firstItems else {
            spread(item)
            return
        }
        if let time = item.time, let firstTime, time != firstTime {
            firstItems = nil
            spread(first)
            spread(item)
            return
        }
        if firstTime == nil { firstTime = item.time }
        // While `firstItems` is nil, appending to `first` does not copy the array.
        firstItems = nil
        first.append(item)
        firstItems = first
    }

    /// Assigns times to the positions that were read before the time first changed. If the first positions have no
    /// time, they are placed one second apart, before the first position that has one.
    private mutating func spread(_ first: [Item]) {
        let leading = first.prefix { $0.time == nil }
        if let time = first.dropFirst(leading.count).first?.time {
            for (index, item) in leading.enumerated() {
                write(item, at: time.subtractingSaturated(Int64(leading.count - index) * 1_000_000_000))
            }
        }
        for item in first.dropFirst(leading.count) { spread(item) }
    }

    private mutating func spread(_ item: Item) {
        // The spreader is moved out of `self`, because the closure modifies `self`.
        var spreader = spreader
        self.spreader = EqualTimeSpreader()
        spreader.append(item, at: item.time) { write($0, at: $1) }
        self.spreader = spreader
    }

    /// Assigns final times to the remaining positions and writes them. Must be called after the last row.
    mutating func finishPositions() {
        if let first = firstItems, !first.isEmpty {
            firstItems = nil
            let timedCount = first.count { $0.time != nil }
            if timedCount == 0 || (tracks.isEmpty && timedCount > 1) {
                diagnostics.record(
                    timedCount == 0
                        ? "the positions have no time and were placed one second apart"
                        : "all positions have the same time, which was ignored; they were placed one second apart",
                    line: first[0].line, text: "")
                // The motion readings keep their times. The times of the positions are unknown, so the positions are
                // placed before the first motion reading.
                let firstReading = tracks.compactMap(\.times.first).min()
                ignoresTimes = firstReading == nil
                let beginning = firstReading?.subtractingSaturated(Int64(first.count) * 1_000_000_000) ?? firstTime ?? 0
                for (index, var item) in first.enumerated() {
                    let own = beginning.addingSaturated(Int64(index) * 1_000_000_000)
                    (item.civil, item.time) = (nil, own)
                    write(item, at: own)
                }
                return
            }
            spread(first)
        }
        var spreader = spreader
        self.spreader = EqualTimeSpreader()
        spreader.finish { write($0, at: $1) }
    }

    private mutating func write(_ item: Item, at time: Int64) {
        var (report, sky) = (item.report, item.sky)
        let shift = item.time.map { time.subtractingSaturated($0) } ?? 0
        if item.time == nil {
            diagnostics.record(
                "the position has no time although others do; it was placed between its neighbours, or one second away from them",
                line: item.line, text: report.coordinates)
        } else if shift != 0 {
            diagnostics.record(
                "the position has the same time as the previous one; positions with equal times were spread over the interval to the next time, at most one second",
                line: item.line, text: report.coordinates)
        }
        report.time = item.civil.map { WallTime(nanoseconds: $0.nanoseconds.addingSaturated(shift)) }
        sky.time = report.time
        reports.removeImpossibleValues(from: &report)
        if columns[.speed] == nil || columns[.course] == nil, motion.complete(&report, at: time) {
            derivedMotionCount += 1
        }
        let exact = keepsAllPositions ? report.time?.nanoseconds ?? 0 : shift
        let line = GPSDEncoder.encode(report, timeDecimals: exact % 1_000_000 == 0 ? 3 : 9)
        let hasSky = sky.usedCount >= 0 || !sky.hdop.isNaN || !sky.vdop.isNaN || !sky.pdop.isNaN
        // If a report of satellites has no time, it belongs to the preceding position. An empty report ends the validity
        // of the last one.
        let isLate = keepsAllPositions && report.time == nil
        if isLate { reports.append(line: line, at: time) }
        if hasSky || keepsAllPositions && isSkyValid { reports.append(sky, at: time) }
        if !isLate { reports.append(line: line, at: time) }
        isSkyValid = hasSky
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

extension DecimalNumber {
    init?(text: String) {
        var text = text
        guard let number = text.withUTF8({ DecimalNumber(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = number
    }
}
