// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// What is played of a trace, and how.
///
/// ```swift
/// var options = PlaybackOptions()
/// options.from = 120
/// options.maximumGap = 5
/// options.rounds = .endless
/// let device = SimulatedDevice(trace, options: options)
/// ```
///
/// All seconds are those of the trace, counted from its start.
public struct PlaybackOptions: Sendable {
    /// Seconds at which playback begins, with the state of that time: the battery, accessories, what is lost, and the
    /// last position, which nobody is told of. Negative numbers and NaN count as 0.
    public var from = 0.0
    /// Seconds after which nothing more is played; what happens at exactly that time is still played.
    public var to = Double.infinity
    /// How often it is played.
    public var rounds = PlaybackRounds.once
    /// The most seconds between two events; longer pauses are shortened to it. Nil to keep them all. The times of the
    /// receivers, of the sensors and of the device's clock are moved alike, so that they still agree.
    public var maximumGap: Double?
    /// What is played of it.
    public var streams = TraceStreams.all
    /// What happens at the end.
    public var end = PlaybackEnd.hold
    /// Whether a second thread reads the trace ahead of the player, which nobody can see but by the time that it takes. Nil
    /// for where it is worth it.
    package var readsAhead: Bool?

    /// The whole trace, once.
    public init() {}
}

/// How often a trace is played.
///
/// Time goes on rising from round to round: the length of all earlier rounds is added to the device's clock, the
/// receivers' times and the sensors' stamps. A round lasts from its first to its last event, and on to when the next
/// position would have come, or the next reading if there are no positions. If ``PlaybackOptions/to`` ends it, and
/// nothing happens at exactly that time, it lasts until then. Each round begins with the state at its start, as after a
/// seek.
///
/// Without an end `play()` plays one round at each call; `advance(by:)`, `step()` and `play(speed:)` go on and on.
public enum PlaybackRounds: Sendable, Hashable {
    /// Once.
    case once
    /// That many times; less than two are once.
    case times(Int)
    /// Without an end.
    case endless
}

/// What happens at the end of a trace.
public enum PlaybackEnd: Sendable {
    /// Nothing more comes, as from hardware that has fallen silent. Everything keeps its last state. Time goes on as
    /// far as it is asked to, so time-outs run.
    case hold
    /// Time ends with the trace: `advance(by:)` goes no further, and nothing times out.
    case stop
    /// The position source, all motion sensors and beacons are lost with that error. Managers are told of it as on live
    /// hardware.
    case fail(DeviceError)
}

/// What becomes of the times in a trace.
public enum TraceStamps: Sendable {
    /// They stay as they were recorded: the device's clock shows the time of the recording.
    case kept
    /// They are moved, all by the same amount, so that the trace starts at that time.
    case rebased(to: WallTime)
}

/// What is played of a trace. The device has nothing of the rest.
public struct TraceStreams: Sendable, Hashable {
    /// Positions, and all else that a receiver says.
    public var positions: Bool
    /// The kinds of motion sensors.
    public var kinds: Set<SensorKind>
    /// The ids of motion sensors, as far as their kinds are played; nil for all of them.
    public var sensors: Set<SensorDescription.ID>?
    /// The battery.
    public var battery: Bool
    /// Accessories, and what they say.
    public var accessories: Bool
    /// Beacons.
    public var beacons: Bool
    /// New names, by the ids of sensors and the paths of receivers in the trace. So a program that asks for a name on
    /// its own machine can play a recording of another one. Raw lines of gpsd keep their names. Of two sensors with one
    /// name only the first is heard.
    public var names: [String: String] = [:]

    /// Streams of those kinds; nothing that is not named.
    public init(
        positions: Bool = false, kinds: Set<SensorKind> = [], sensors: Set<SensorDescription.ID>? = nil,
        battery: Bool = false, accessories: Bool = false, beacons: Bool = false
    ) {
        self.positions = positions
        self.kinds = kinds
        self.sensors = sensors
        self.battery = battery
        self.accessories = accessories
        self.beacons = beacons
    }

    /// Everything.
    public static let all = TraceStreams(
        positions: true, kinds: Set(SensorKind.allCases), battery: true, accessories: true, beacons: true)

    /// True when that sensor is played.
    public func contains(_ sensor: SensorDescription) -> Bool {
        kinds.contains(sensor.kind) && sensors?.contains(sensor.id) ?? true
    }
}
