// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// Motion readings and positions, stored in memory. Importers create a recording from files that are not in
/// chronological order.
///
/// ```swift
/// let recording = try Recording(path: "walk.csv")
/// for track in recording.tracks { print(track.sensor.name, track.times.count) }
/// ```
public struct Recording: Sendable, Hashable {
    /// The readings of each sensor.
    public var tracks: [MotionTrack]
    /// The reports from gpsd, which contain positions, satellites and other data.
    public var reports = ReportTrack()
    /// The battery readings.
    public var battery = BatteryTrack()
    /// The civil time at time zero, or nil if unknown.
    public var start: WallTime?
    /// True if horizontal accuracies are 68 % radii, as reported by phones. gpsd reports 95 % radii.
    var hasPhoneAccuracies = false
    /// The libiio contexts of the sensors, as XML.
    public var contexts: [String]
    /// Messages for the user about the import, for example about omitted readings or implausible units.
    public var remarks: [String] = []

    package init(tracks: [MotionTrack] = [], start: WallTime? = nil, contexts: [String] = []) {
        (self.tracks, self.start, self.contexts) = (tracks, start, contexts)
    }

    package var sensors: [SensorDescription] { tracks.map(\.sensor) }
    package var count: Int { tracks.reduce(0) { $0 + $1.count } }

    /// Returns the first track whose sensor is of the given kind, or nil if there is none.
    public func track(_ kind: SensorKind) -> MotionTrack? { tracks.first { $0.sensor.kind == kind } }

    /// The time between the first and the last event, in nanoseconds.
    package var duration: Int64 {
        let others = [reports.times.last, battery.times.last].compactMap(\.self)
        let last = (tracks.compactMap(\.times.last) + others).max() ?? 0
        return last.subtractingSaturated(firstTime ?? 0)
    }

    /// The first event's time in nanoseconds, or nil if there is none. Valid only if all tracks are sorted.
    var firstTime: Int64? {
        let others = [reports.times.first, battery.times.first].compactMap(\.self)
        return (tracks.compactMap(\.times.first) + others).min()
    }

    /// The remark about values that no receiver can measure. The caller prepends the number of values.
    static let impossibleValues = "impossible values in positions were treated as unknown."

    /// Sorts all tracks, removes empty tracks and sets missing sample rates. If an event has a negative time, time zero
    /// is moved to the first event. Each kind of change adds a remark.
    mutating func normalize() {
        for index in tracks.indices {
            let kind = tracks[index].sensor.kind.rawValue
            remarks.appendRemark(
                count: tracks[index].removeImpossibleValues(),
                "readings of the \(kind) have impossible values and were skipped.")
            let (misplaced, repeated) = tracks[index].sortAndRemoveDuplicates()
            remarks.appendRemark(count: misplaced, "readings of the \(kind) were out of order and were sorted.")
            remarks.appendRemark(
                count: repeated, "readings of the \(kind) had the same time as another reading and were skipped.")
            if case .unknown = tracks[index].sensor.rates, let rate = tracks[index].rate {
                tracks[index].sensor.rates = .list([rate])
            }
        }
        tracks.removeAll { $0.count == 0 }
        remarks.appendRemark(count: reports.impossibleValueCount, Self.impossibleValues)
        let misplaced = reports.sort()
        remarks.appendRemark(count: misplaced, "positions were out of order and were sorted.")
        battery.sort()
        if let first = firstTime, first < 0 { shift(by: first == .min ? .max : -first) }
    }

    /// Corrects clock steps: shifts the events after each step so that they follow on from the earlier ones. Must be
    /// called before the tracks are sorted.
    mutating func correct(_ steps: [ClockStepBack]) {
        guard let longest = steps.map(\.correction).max() else { return }
        for index in tracks.indices { tracks[index].correct(steps) }
        reports.correct(steps)
        remarks.append(ClockStepBack.remark(steps.count, longest: longest))
    }

    /// Adds an offset to all event times and moves time zero back by the same amount.
    mutating func shift(by nanoseconds: Int64) {
        for index in tracks.indices { tracks[index].shift(by: nanoseconds) }
        reports.shift(by: nanoseconds)
        battery.shift(by: nanoseconds)
        start = start.map { WallTime(nanoseconds: $0.nanoseconds.subtractingSaturated(nanoseconds)) }
    }
}
