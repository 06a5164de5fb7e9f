// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import SimulatedDevice
import Trace
import TraceEditing

/// The options that determine which part of a trace is played, and how.
struct PlaybackArguments: ParsableArguments {
    @Option(
        help:
            "The time at which playback starts: the time since the start of the trace, or a date. The devices are initially in the state that they had at that time.",
        transform: TraceTime.parse
    )
    var from: TraceTime?

    @Option(
        help: "The time at which playback ends: the time since the start of the trace, or a date.",
        transform: TraceTime.parse)
    var to: TraceTime?
    @Option(
        help: "The maximum length of a gap in the trace, in seconds. Longer gaps are shortened to this length.",
        transform: Seconds.parse)
    var maxGap: Double?

    @Option(
        help:
            "The number of times to play the trace, or `forever` to repeat it endlessly. Timestamps continue to increase from one repetition to the next."
    )
    var loop: PlaybackLoop?

    @Option(
        help: .init(
            "The streams to play, separated by commas.",
            valueName: "streams"))
    var streams: StreamList?

    @Option(
        help: .init("Rename a sensor or a receiver in the trace. This option may be repeated.", valueName: "old=new"))
    var rename: [Renaming] = []

    @Option(
        help:
            "What to do at the end of the trace: hold (deliver no more data), stop (also stop the clock) or fail (report an error)."
    )
    var atEnd = EndName.hold

    func validate() throws {
        try TraceTime.validate(from: from, to: to)
        if let maxGap, !(maxGap > 0) { throw ValidationError("--max-gap must be more than 0 seconds.") }
    }

    /// Returns the options for playing the trace. Exits with an error if it does not contain the times.
    func options(for trace: TraceFile) throws -> PlaybackOptions {
        var options = PlaybackOptions()
        let range = try TraceTime.range(from: from, to: to, in: trace)
        options.from = range.from
        if let end = range.to { options.to = end }
        options.maximumGap = maxGap.map { Duration(clampingSeconds: $0) }
        if let loop { options.loops = loop.rounds }
        if let streams { options.streams = streams.streams }
        for renaming in rename { options.streams.names[renaming.old] = renaming.new }
        switch atEnd {
        case .hold: options.end = .hold
        case .stop: options.end = .stop
        case .fail: options.end = .fail(DeviceError(.connectionLost, "The trace has ended."))
        }
        return options
    }

    /// Exits with an error if an option names a sensor or receiver that the trace does not contain.
    func check(against trace: TraceFile) throws {
        let sensors = trace.findSensors().map(\.id)
        for id in (streams?.streams.sensors ?? []).sorted() where !sensors.contains(id) {
            let known = sensors.map { "sensor:\($0)" }.joined(separator: ", ")
            Log.error("\(trace.name) contains no sensor \(id). It contains \(known.isEmpty ? "no sensors" : known).")
            try ExitStatus.usage.exit()
        }
        let renamed = rename.map(\.old).filter { !sensors.contains($0) }
        guard !renamed.isEmpty else { return }
        var names = sensors
        for stream in TraceSummary(trace).streams where Self.receiverKinds.contains(stream.kind) {
            if !stream.origin.isEmpty, !names.contains(stream.origin) { names.append(stream.origin) }
        }
        for name in renamed where !names.contains(name) {
            let known = names.joined(separator: ", ")
            Log.error(
                "\(trace.name) contains no \(name) to rename. It contains \(known.isEmpty ? "no sensors or receivers" : known)."
            )
            try ExitStatus.usage.exit()
        }
    }

    /// The types of gpsd reports that contain the receiver's device path.
    private static let receiverKinds: Set = ["TPV", "SKY", "ATT", "DEVICE"]

    /// The specified options, under the names used in files of expected callbacks.
    var description: [String: String] {
        let values: [String: String?] = [
            "from": from?.description, "to": to?.description, "max-gap": maxGap?.description, "loop": loop?.text,
            "streams": streams?.text,
            "rename": rename.isEmpty ? nil : rename.map { "\($0.old)=\($0.new)" }.joined(separator: ","),
            "at-end": atEnd == .hold ? nil : atEnd.rawValue,
        ]
        return values.compactMapValues(\.self)
    }
}

struct Renaming: ExpressibleByArgument, Equatable {
    let old: String
    let new: String

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        (old, new) = (String(parts[0]), String(parts[1]))
    }
}

enum EndName: String, CaseIterable, ExpressibleByArgument { case hold, stop, fail }

struct PlaybackLoop: ExpressibleByArgument, Equatable {
    let rounds: PlaybackLoops
    let text: String

    init?(argument: String) {
        text = argument
        if argument == "forever" {
            rounds = .endless
        } else if let count = Int(argument), count > 0 {
            rounds = .times(count)
        } else {
            return nil
        }
    }

    static var allValueStrings: [String] { ["COUNT", "forever"] }
}

struct StreamList: ExpressibleByArgument, Equatable {
    static var allValueStrings: [String] {
        ["positions", "motion"] + SensorKindName.allValueStrings + ["battery", "accessories", "beacons", "sensor:ID"]
    }

    let streams: TraceStreams
    let text: String

    init?(argument: String) {
        text = argument
        var streams = TraceStreams()
        var ids: Set<String> = []
        var hasWholeKinds = false
        for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
            switch name {
            case "positions": streams.positions = true
            case "battery": streams.battery = true
            case "accessories": streams.accessories = true
            case "beacons": streams.beacons = true
            case "motion":
                streams.kinds = Set(SensorKind.allCases)
                hasWholeKinds = true
            default:
                if name.hasPrefix("sensor:"), name.count > 7 {
                    ids.insert(String(name.dropFirst(7)))
                } else if let kind = SensorKindName(argument: String(name))?.kind {
                    streams.kinds.insert(kind)
                    hasWholeKinds = true
                } else {
                    return nil
                }
            }
        }
        // A list may contain sensor kinds or individual sensors, but not both, because a mix would be ambiguous.
        guard ids.isEmpty || !hasWholeKinds else { return nil }
        if !ids.isEmpty {
            streams.kinds = Set(SensorKind.allCases)
            streams.sensors = ids
        }
        self.streams = streams
    }
}
