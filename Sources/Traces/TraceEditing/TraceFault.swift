// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A fault that a ``FaultEdit`` injects into a trace.
public struct TraceFault: Sendable, Hashable {
    /// The kind of fault.
    public enum Action: Sendable, Hashable {
        /// Receivers report no fix.
        case noFix
        /// gpsd or the target sensor delivers no events.
        case silence
        /// gpsd or the target sensor is lost and becomes available again; the trace contains both events.
        case loss
        /// Each event is omitted with this probability.
        case drop(Double)
        /// Each event is duplicated with this probability.
        case duplicate(Double)
        /// Events are delayed by up to this number of seconds, uniformly distributed. The measurement times of readings
        /// do not change.
        case jitter(Double)
        /// A sensor, or one of its axes (0 to 2), repeats its last value.
        case stuck(axis: Int?)
        /// The magnitude of each component is limited to this value, in the unit of the sensor's kind. Requires a
        /// target if the trace has sensors of several kinds.
        case saturation(Double)
        /// This value is added to the readings, in the sensor's own axes and the unit of its kind. Requires a target
        /// under the same condition as ``saturation(_:)``.
        case disturbance(SIMD3<Double>)
        /// The receivers' clocks are wrong by this number of seconds.
        case clockStep(Double)
        /// An accessory is unplugged. Its events are omitted until the trace attaches it again. Has no duration.
        case unplug
        /// An accessory is unplugged during the program's next write. Has no duration.
        case unplugDuringWrite
    }

    /// The kind of fault.
    public var action: Action
    /// The target: "gpsd"; a sensor's id or kind; for ``Action/noFix`` and ``Action/clockStep(_:)`` also a receiver's
    /// path; for an accessory its id in the trace. nil for every possible target.
    public var target: String?
    /// The beginning in seconds since the start of the trace. ``FaultEdit`` throws an error if it is after the last
    /// event.
    public var start: Double
    /// The duration in seconds; nil if the fault does not end. A loss that lasts beyond the last event has no end in
    /// the trace.
    public var duration: Double?

    /// Creates a fault.
    public init(_ action: Action, target: String? = nil, at start: Double = 0, for duration: Double? = nil) {
        self.action = action
        self.target = target
        self.start = start
        self.duration = duration
    }
}
