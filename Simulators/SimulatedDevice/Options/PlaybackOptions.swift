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
    /// Seconds at which playback begins. The device is in the state of then: its battery, its accessories, what is lost,
    /// and the last position, which nobody is told of. Less than none, and what is not a number, is none.
    public var from = 0.0
    /// Seconds after which nothing more is played; what happens at that very time is.
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
/// Time goes on rising from round to round: the device's clock, the receivers' times and the sensors' stamps are those of
/// the trace and so much later as all rounds before took together. A round takes from its first to its last event and on
/// to where the next position would have come, or reading where there are no positions; where ``PlaybackOptions/to`` ends
/// it, and nothing happens at that very time, it takes from there to there. Each round begins with the state of its
/// beginning, as a seek does.
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
    /// Nothing more comes, as from hardware that has fallen silent. Everything stays as it was last, and time goes on as
    /// far as somebody asks it to, so that what waits for news times out.
    case hold
    /// Time ends with the trace: `advance(by:)` goes no further, and nothing times out.
    case stop
    /// The position source and all motion sensors are lost with that error, which managers are told as they are on live
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
    /// Other names, by the ids of sensors and the paths of receivers in the trace: what a program asks for by a name of its
    /// own machine can then be played from a recording of another one. Lines of gpsd that are handed on as they are keep
    /// theirs. Of two sensors with one name only the first is heard.
    public var names: [String: String] = [:]

    /// Streams of those kinds; nothing that is not named.
    public init(
        positions: Bool = false, kinds: Set<SensorKind> = [], sensors: Set<SensorDescription.ID>? = nil,
        battery: Bool = false, accessories: Bool = false
    ) {
        self.positions = positions
        self.kinds = kinds
        self.sensors = sensors
        self.battery = battery
        self.accessories = accessories
    }

    /// Everything.
    public static let all = TraceStreams(
        positions: true, kinds: Set(SensorKind.allCases), battery: true, accessories: true)

    /// True when that sensor is played.
    public func contains(_ sensor: SensorDescription) -> Bool {
        kinds.contains(sensor.kind) && sensors?.contains(sensor.id) ?? true
    }
}
