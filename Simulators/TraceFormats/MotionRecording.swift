// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// Motion readings in memory, sensor by sensor: what every importer makes and every exporter takes.
///
///     let recording = try MotionRecording(csv: bytes, name: "walk.csv")
///     try recording.write(to: try TraceWriter(path: "walk.trace"))
public struct MotionRecording: Sendable, Hashable {
    /// The readings of each sensor.
    public var tracks: [MotionTrack]
    /// Civil time at time zero; nil when the recording does not say.
    public var start: WallTime?
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

    /// The number of readings.
    public var count: Int { tracks.reduce(0) { $0 + $1.count } }

    /// The first sensor of that kind.
    public func track(_ kind: SensorKind) -> MotionTrack? { tracks.first { $0.sensor.kind == kind } }

    /// The time from the first reading to the last, in nanoseconds.
    public var duration: Int64 {
        let first = tracks.compactMap(\.times.first).min() ?? 0
        let last = tracks.compactMap(\.times.last).max() ?? 0
        return last.subtractingSaturated(first)
    }

    /// Brings every track in order, drops empty ones, notes the rates, and moves time zero so that no reading is before
    /// it. What was changed is said in the remarks.
    mutating func settle() {
        for index in tracks.indices {
            let (misplaced, repeated) = tracks[index].settle()
            let kind = tracks[index].sensor.kind.rawValue
            if misplaced > 0 {
                remarks.append("\(misplaced) readings of the \(kind) stood out of order and were sorted.")
            }
            if repeated > 0 {
                remarks.append("\(repeated) readings of the \(kind) had the time of another one and were left out.")
            }
            if case .unknown = tracks[index].sensor.rates, let rate = tracks[index].rate {
                tracks[index].sensor.rates = .list([rate])
            }
        }
        tracks.removeAll { $0.count == 0 }
        if let first = tracks.compactMap(\.times.first).min(), first < 0 { shift(by: 0 &- first) }
    }

    /// Moves all readings, and time zero with them, so that each stays at its civil time.
    mutating func shift(by nanoseconds: Int64) {
        for index in tracks.indices { tracks[index].shift(by: nanoseconds) }
        start = start.map { WallTime(nanoseconds: $0.nanoseconds.subtractingSaturated(nanoseconds)) }
    }
}
