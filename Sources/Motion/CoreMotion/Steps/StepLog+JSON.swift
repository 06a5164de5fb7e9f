// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import SensorFusion

extension StepLog {
    private static let format = "device-services-steps"

    /// Returns the contents of the log file: a single JSON object, so that a truncated file is recognized as invalid.
    /// If the keys or the order of the numbers change, `version` must also change.
    func json(lengthFactor: Double) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("format", Self.format)
            writer.member("version", 1)
            writer.member("factor", lengthFactor)
            writer.array("steps") { writer in
                for interval in intervals {
                    let totals = interval.totals
                    Self.writeRow(
                        [
                            Self.rounded(interval.start), Self.rounded(interval.end), totals.steps,
                            Self.rounded(totals.distance), Self.rounded(totals.activeTime),
                            Double(totals.floorsAscended), Double(totals.floorsDescended),
                        ], to: &writer)
                }
            }
            writer.array("activity") { writer in
                for activity in activities {
                    let (flags, confidence) = (activity.activity.rawValue, activity.confidence.rawValue)
                    Self.writeRow([Self.rounded(activity.start), Double(flags), Double(confidence)], to: &writer)
                }
            }
        }
        writer.newline()
        return writer.bytes
    }

    private static func writeRow(_ numbers: [Double], to writer: inout JSONWriter) {
        writer.array { writer in for number in numbers { writer.double(number) } }
    }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

    /// Parses the contents of a file. If they are unusable, returns an empty log, a length factor of 1, and the reason.
    static func read(_ bytes: [UInt8]) -> (log: StepLog, lengthFactor: Double, problem: String?) {
        bytes.withUnsafeBytes { bytes in
            do throws(JSONError) {
                return try parse(JSONReader(bytes))
            } catch {
                return (StepLog(), 1, "it is damaged or truncated (\(error.description))")
            }
        }
    }

    private static func parse(
        _ start: JSONReader
    ) throws(JSONError) -> (log: StepLog, lengthFactor: Double, problem: String?) {
        var reader = start
        var format = ""
        var version: Int64 = 0
        var factor = 1.0
        var intervals: [StepInterval] = []
        var activities: [Activity] = []
        var isPlausible = true
        try reader.beginObject()
        while let key = try reader.nextKey() {
            // A word holds at most eight bytes, so longer keys cannot be compared this way.
            switch key.word {
            case JSONText.word("format"): format = try reader.textIfPresent()?.string() ?? ""
            case JSONText.word("version"): version = try reader.int64IfPresent() ?? 0
            case JSONText.word("factor"): factor = try reader.doubleIfPresent()
            case JSONText.word("steps"):
                try forEachRow(&reader, limit: maximumIntervals) { row in
                    guard let interval = StepInterval(row) else { return isPlausible = false }
                    intervals.append(interval)
                }
            case JSONText.word("activity"):
                try forEachRow(&reader, limit: maximumActivities) { row in
                    guard let activity = Activity(row) else { return isPlausible = false }
                    activities.append(activity)
                }
            default: try reader.skipValue()
            }
        }
        try reader.finish()
        guard format == Self.format else { return (StepLog(), 1, "it is not a step log") }
        guard version == 1 else {
            return (StepLog(), 1, "its version is \(version), but this program supports only version 1")
        }
        guard isPlausible else { return (StepLog(), 1, "it contains implausible numbers") }
        return (StepLog(intervals: intervals, activities: activities), factor, nil)
    }

    /// Calls the closure with each row, up to `limit` rows. Rows are truncated to seven numbers. For an element that is
    /// not an array, the closure is called with an empty row, which does not count towards the limit.
    private static func forEachRow(
        _ reader: inout JSONReader, limit: Int, _ body: ([Double]) -> Void
    ) throws(JSONError) {
        guard try reader.beginArrayIfPresent() else { return }
        var count = 0
        while try reader.nextElement() {
            var row: [Double] = []
            guard try reader.beginArrayIfPresent() else {
                body([])
                continue
            }
            while try reader.nextElement() {
                if row.count < 7 { row.append(try reader.readDouble()) } else { try reader.skipValue() }
            }
            count += 1
            if count <= limit { body(row) }
        }
    }
}

extension StepLog.StepInterval {
    /// Returns nil if the values are implausible.
    fileprivate init?(_ row: [Double]) {
        guard row.count == 7, row.allSatisfy({ $0.isFinite && $0 >= 0 && $0 < 1e11 }), row[1] >= row[0],
            row[1] - row[0] <= 60, row[2] <= 1000, row[3] <= 10_000, row[4] <= 1000, row[5] <= 1000, row[6] <= 1000
        else { return nil }
        self.init(
            start: row[0], end: row[1],
            totals: StepTotals(
                steps: row[2], distance: row[3], activeTime: row[4], floorsAscended: Int(row[5]),
                floorsDescended: Int(row[6])))
    }
}

extension StepLog.Activity {
    fileprivate init?(_ row: [Double]) {
        guard row.count >= 3, row[0].isFinite, row[0] >= 0, row[0] < 1e11, (0...63).contains(row[1]),
            (0...2).contains(row[2]), let confidence = ActivityConfidence(rawValue: UInt8(row[2]))
        else { return nil }
        self.init(start: row[0], activity: CarriedActivity(rawValue: UInt8(row[1])), confidence: confidence)
    }
}
