// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// Motion readings and positions in memory: what the importers of files that are not in the order of time make.
///
/// ```swift
/// let recording = try Recording(csv: bytes, name: "walk.csv")
/// try recording.write(to: try TraceWriter(path: "walk.trace"))
/// ```
public struct Recording: Sendable, Hashable {
    /// The readings of each sensor.
    public var tracks: [MotionTrack]
    /// The positions, satellites and the like.
    public var reports = ReportTrack()
    /// What the battery said.
    public var battery = BatteryTrack()
    /// Civil time at time zero; nil when the recording does not say.
    public var start: WallTime?
    /// True when accuracies of positions are a phone's radii of 68 per cent; gpsd's are of 95.
    var hasPhoneAccuracies = false
    /// What contexts of sensors say of themselves, as libiio's XML.
    public var contexts: [String]
    /// What somebody should know about the import: samples that were left out, units that look wrong.
    public var remarks: [String] = []

    /// A recording of those parts.
    public init(tracks: [MotionTrack] = [], start: WallTime? = nil, contexts: [String] = []) {
        self.tracks = tracks
        self.start = start
        self.contexts = contexts
    }

    /// The sensors.
    public var sensors: [SensorDescription] { tracks.map(\.sensor) }

    /// The number of motion readings.
    public var count: Int { tracks.reduce(0) { $0 + $1.count } }

    /// The first sensor of that kind.
    public func track(_ kind: SensorKind) -> MotionTrack? { tracks.first { $0.sensor.kind == kind } }

    /// The time from the first reading or report to the last, in nanoseconds.
    public var duration: Int64 {
        let others = [reports.times.last, battery.times.last].compactMap(\.self)
        let last = (tracks.compactMap(\.times.last) + others).max() ?? 0
        return last.subtractingSaturated(firstTime ?? 0)
    }

    /// The time of the first event, once everything is in order; nil when there is none.
    var firstTime: Int64? {
        let others = [reports.times.first, battery.times.first].compactMap(\.self)
        return (tracks.compactMap(\.times.first) + others).min()
    }

    /// What is told of numbers that no receiver can have measured.
    static let impossibleValues = "impossible values in positions were treated as unknown."

    /// Brings everything in order, drops empty tracks, notes the rates, and moves time zero so that nothing is before it.
    /// What was changed is said in the remarks.
    mutating func settle() {
        for index in tracks.indices {
            let kind = tracks[index].sensor.kind.rawValue
            remarks.tell(
                tracks[index].refuseImpossibleValues(),
                "readings of the \(kind) have numbers that cannot be and were left out.")
            let (misplaced, repeated) = tracks[index].settle()
            remarks.tell(misplaced, "readings of the \(kind) stood out of order and were sorted.")
            remarks.tell(repeated, "readings of the \(kind) had the time of another one and were left out.")
            if case .unknown = tracks[index].sensor.rates, let rate = tracks[index].rate {
                tracks[index].sensor.rates = .list([rate])
            }
        }
        tracks.removeAll { $0.count == 0 }
        remarks.tell(reports.impossibleValues, Self.impossibleValues)
        let misplaced = reports.settle()
        remarks.tell(misplaced, "positions stood out of order and were sorted.")
        battery.settle()
        if let first = firstTime, first < 0 { shift(by: first == .min ? .max : -first) }
    }

    /// Moves what a clock that was set back measured behind what came before. Before anything is put in order.
    mutating func undo(_ steps: [ClockStep]) {
        guard let longest = steps.map(\.amount).max() else { return }
        for index in tracks.indices { tracks[index].undo(steps) }
        reports.undo(steps)
        remarks.append(ClockStep.remark(steps.count, longest: longest))
    }

    /// Moves all readings and reports, and time zero with them, so that each stays at its civil time.
    mutating func shift(by nanoseconds: Int64) {
        for index in tracks.indices { tracks[index].shift(by: nanoseconds) }
        reports.shift(by: nanoseconds)
        battery.shift(by: nanoseconds)
        start = start.map { WallTime(nanoseconds: $0.nanoseconds.subtractingSaturated(nanoseconds)) }
    }
}
