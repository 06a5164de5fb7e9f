// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import GPSDProtocol

/// Reports from gpsd, stored in memory. Each report is a line in gpsd's JSON protocol.
public struct ReportTrack: Sendable, Hashable {
    /// The arrival time of each report, in nanoseconds since the start of the recording. Non-decreasing after an
    /// import.
    public private(set) var times: [Int64] = []
    private var bytes: [UInt8] = []
    /// The range of each report in `bytes`, one for each element of ``times``. Sorting does not move the bytes.
    private var ranges: [Range<Int>] = []
    /// The number of values removed because no receiver can measure them.
    private(set) var impossibleValueCount = 0

    package init() {}

    package var count: Int { times.count }

    /// Returns a report as one line of JSON without a line ending. The line is empty if the index is out of range.
    public func line(_ index: Int) -> [UInt8] { ranges.indices.contains(index) ? [UInt8](bytes[ranges[index]]) : [] }

    /// Removes a position's impossible values, then appends the position. Reports may be appended in any order.
    package mutating func append(_ report: PositionReport, at time: Int64) {
        var report = report
        removeImpossibleValues(from: &report)
        append(line: GPSDEncoder.encode(report), at: time)
    }

    /// Removes and counts a position's impossible values. Call this method before deriving other values from the
    /// position.
    mutating func removeImpossibleValues(from report: inout PositionReport) {
        impossibleValueCount += report.discardOutOfRangeValues()
    }

    /// Removes a satellite report's impossible values, then appends the report.
    package mutating func append(_ report: SkyReport, at time: Int64) {
        var report = report
        impossibleValueCount += report.discardOutOfRangeValues()
        append(line: GPSDEncoder.encode(report), at: time)
    }

    /// Appends a gpsd report of any class, given as one line of JSON without a line ending.
    package mutating func append(line: [UInt8], at time: Int64) {
        times.append(time)
        ranges.append(bytes.count..<bytes.count + line.count)
        bytes.append(contentsOf: line)
    }

    /// Sorts the reports by time and returns the number of reports that were out of order. The sort is stable.
    @discardableResult package mutating func sort() -> Int { times.sort(with: &ranges) }

    mutating func shift(by nanoseconds: Int64) { times.shift(by: nanoseconds) }

    /// The points at which the clock was set back. Must be read before `sort()` is called, because the reports must be
    /// in file order. A report with the same time and text as an earlier report counts as a repetition.
    var clockSteps: [ClockStepBack] { times.clockSteps { bytes[ranges[$0]] == bytes[ranges[$1]] } }

    /// After each clock step, shifts the later times so that they follow on from the earlier ones. The reports must be
    /// in file order.
    mutating func correct(_ steps: [ClockStepBack]) { times.correct(steps) }
}
