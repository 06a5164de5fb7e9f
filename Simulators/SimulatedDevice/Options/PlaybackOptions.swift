// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
@_exported public import TraceEditing

/// The options for the playback of a trace.
///
/// ```swift
/// var options = PlaybackOptions()
/// options.from = .seconds(120)
/// options.maximumGap = .seconds(5)
/// options.loops = .endless
/// let device = SimulatedDevice(trace, options: options)
/// ```
///
/// All times are relative to the start of the trace.
public struct PlaybackOptions: Sendable {
    /// The time at which playback starts. The device starts in the state that the trace has reached by then, including
    /// the battery, the accessories, and any sources and sensors that were lost. The last position is available but is
    /// not delivered. Negative values are treated as zero.
    public var from = Duration.zero
    /// The time at which playback ends, or nil for the end of the trace. Events at exactly this time are still played.
    public var to: Duration?
    /// The number of passes.
    public var loops = PlaybackLoops.once
    /// The maximum time between two events, or nil for no limit. Longer pauses are shortened to this time. The device's
    /// clock and the times of receivers and sensors are shifted by the same amount, so they stay consistent.
    public var maximumGap: Duration?
    /// The parts of the trace to play.
    public var streams = TraceStreams.all
    /// The behaviour at the end of the trace.
    public var end = PlaybackEnd.hold
    /// The faults to inject into the trace, such as `try TraceFault.list("loss@60s+30s")`. If a fault does not apply to
    /// the trace, for example because it starts after the end of playback, the trace is not played: the playback
    /// functions that throw errors throw one that names the fault, and the others do nothing.
    public var faults: [TraceFault] = []
    /// The seed for random decisions in ``faults``. The same trace, faults and seed produce the same decisions.
    public var seed: UInt64 = 0
    /// If true, a second thread reads ahead. If nil, the reader decides. This option affects only performance.
    package var readsAhead: Bool?

    /// Creates options that play the whole trace once.
    public init() {}
}

/// The number of times that a trace is played.
///
/// Time continues across passes: the duration of all earlier passes is added to the device's clock and to the times of
/// receivers and sensors. A pass ends when the next position would be due or, in a trace without positions, when the
/// next sample would be due. If ``PlaybackOptions/to`` is set and no event occurs at exactly that time, the pass ends
/// at that time instead. At the beginning of each pass, the device returns to its state at the start of playback, as
/// after a seek.
///
/// With `endless`, each call of `play()` ends after one pass, whereas `advance(by:)`, `step()` and `play(speed:)`
/// continue with the next pass.
public enum PlaybackLoops: Sendable, Hashable {
    /// Plays the trace once.
    case once
    /// Plays the trace the given number of times. Numbers below 2 are treated as 1.
    case times(Int)
    /// Plays the trace indefinitely.
    case endless
}

/// The behaviour at the end of a trace.
public enum PlaybackEnd: Sendable {
    /// No more events occur, as if the hardware had gone silent. All state is preserved. Time can still advance, so
    /// timeouts can occur.
    case hold
    /// Time stops at the end of the trace: `advance(by:)` does not advance any further, and timeouts do not occur.
    case stop
    /// The position source, all motion sensors and the beacon source become unavailable with the given error. Managers
    /// are notified as with live hardware.
    case fail(DeviceError)
}

/// The mapping from recorded times to the device's clock.
public enum TimestampPolicy: Sendable {
    /// The recorded times are preserved. The device's clock shows the time of the recording.
    case recorded
    /// All times are shifted by the same amount so that the trace starts at the given time.
    case rebased(to: WallTime)
}

/// The parts of a trace to play. The device has only these parts.
public struct TraceStreams: Sendable, Hashable {
    /// If true, positions and other receiver reports are played.
    public var positions: Bool
    /// The kinds of motion sensor to play.
    public var kinds: Set<SensorKind>
    /// The IDs of the motion sensors to play, or nil for all sensors. A sensor is played only if its kind is also
    /// played.
    public var sensors: Set<SensorDescription.ID>?
    /// If true, battery readings are played.
    public var battery: Bool
    /// If true, accessories and their bytes are played.
    public var accessories: Bool
    /// If true, beacons are played.
    public var beacons: Bool
    /// New names for sensors and receivers, keyed by the sensor ID or receiver path in the trace. With new names, a
    /// program that expects certain names can use a recording from a different machine. Raw gpsd lines are not changed.
    /// If several sensors end up with the same name, only the first is played.
    public var names: [String: String] = [:]

    /// Creates a selection of parts. By default, no part is included.
    public init(
        positions: Bool = false, kinds: Set<SensorKind> = [], sensors: Set<SensorDescription.ID>? = nil,
        battery: Bool = false, accessories: Bool = false, beacons: Bool = false
    ) {
        (self.positions, self.kinds, self.sensors, self.battery) = (positions, kinds, sensors, battery)
        (self.accessories, self.beacons) = (accessories, beacons)
    }

    /// All parts.
    public static let all = TraceStreams(
        positions: true, kinds: Set(SensorKind.allCases), battery: true, accessories: true, beacons: true)

    package func contains(_ sensor: SensorDescription) -> Bool {
        kinds.contains(sensor.kind) && sensors?.contains(sensor.id) ?? true
    }
}
