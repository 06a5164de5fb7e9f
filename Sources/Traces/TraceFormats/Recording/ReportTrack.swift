// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import GPSDProtocol

/// gpsd's reports in memory: the positions of a recording, each as the line that gpsd would have sent.
public struct ReportTrack: Sendable, Hashable {
    /// When each report came, in nanoseconds since the start of the recording; rising once it is settled.
    public private(set) var times: [Int64] = []
    /// All lines, one behind the other.
    private var bytes: [UInt8] = []
    /// Where each line lies.
    private var ranges: [Range<Int>] = []

    /// Numbers that no receiver can have measured, which count as unknown.
    private(set) var impossibleValues = 0

    /// A track without reports.
    public init() {}

    /// The number of reports.
    public var count: Int { times.count }

    /// A report as one line of JSON, without its line end; empty for an index that there is not.
    public func line(_ index: Int) -> [UInt8] { ranges.indices.contains(index) ? [UInt8](bytes[ranges[index]]) : [] }

    /// Adds a position, without numbers that cannot be. The order may be set right later.
    public mutating func append(_ report: PositionReport, at time: Int64) {
        var report = report
        refuseImpossibleValues(&report)
        append(line: GPSDEncoder.line(report), at: time)
    }

    /// Counts and takes out the numbers of a position that cannot be, before others are reckoned from them.
    mutating func refuseImpossibleValues(_ report: inout PositionReport) {
        impossibleValues += report.refuseImpossibleValues()
    }

    /// Adds satellites, without numbers that cannot be.
    public mutating func append(_ report: SkyReport, at time: Int64) {
        var report = report
        impossibleValues += report.refuseImpossibleValues()
        append(line: GPSDEncoder.line(report), at: time)
    }

    /// Adds any report of gpsd's.
    public mutating func append(line: [UInt8], at time: Int64) {
        times.append(time)
        ranges.append(bytes.count..<bytes.count + line.count)
        bytes.append(contentsOf: line)
    }

    /// Puts the reports in the order of their times, those of one time as they were added.
    ///
    /// - Returns: how many stood out of order.
    @discardableResult
    public mutating func settle() -> Int {
        let misplaced = zip(times, times.dropFirst()).count { $1 < $0 }
        guard misplaced > 0 else { return 0 }
        let order = times.placesInOrder
        times = order.map { times[$0] }
        ranges = order.map { ranges[$0] }
        return misplaced
    }

    /// Moves all times.
    mutating func shift(by nanoseconds: Int64) { times.shift(by: nanoseconds) }

    /// Where the clock was set back, in the order of the file.
    var clockSteps: [ClockStep] { times.clockSteps { bytes[ranges[$0]] == bytes[ranges[$1]] } }

    /// Moves what a clock that was set back measured behind what came before.
    mutating func undo(_ steps: [ClockStep]) { times.undo(steps) }
}

/// What a battery said of itself during a recording.
public struct BatteryTrack: Sendable, Hashable {
    /// When each reading came, in nanoseconds since the start of the recording; rising once it is settled.
    public private(set) var times: [Int64] = []
    /// The readings; one for each time.
    public private(set) var readings: [BatteryReading] = []

    /// A track without readings.
    public init() {}

    /// The number of readings.
    public var count: Int { times.count }

    /// Adds a reading. The order may be set right later.
    public mutating func append(_ reading: BatteryReading, at time: Int64) {
        times.append(time)
        readings.append(reading)
    }

    /// Puts the readings in the order of their times, those of one time as they were added.
    mutating func settle() {
        guard zip(times, times.dropFirst()).contains(where: { $1 < $0 }) else { return }
        let order = times.placesInOrder
        times = order.map { times[$0] }
        readings = order.map { readings[$0] }
    }

    /// Moves all times.
    mutating func shift(by nanoseconds: Int64) { times.shift(by: nanoseconds) }
}
