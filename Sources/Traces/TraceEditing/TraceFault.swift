// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Something that goes wrong in a trace: ``FaultEdit`` brings it about.
public struct TraceFault: Sendable, Hashable {
    /// What goes wrong.
    public enum Action: Sendable, Hashable {
        /// Receivers report no fix.
        case noFix
        /// gpsd, or the sensor named, says nothing.
        case silence
        /// gpsd, or the sensor named, is gone and comes back: the program is told of both.
        case loss
        /// Every event is left out with that probability.
        case drop(Double)
        /// Every event happens twice with that probability.
        case duplicate(Double)
        /// Events come later by up to that many seconds, evenly spread. When readings were measured stays as it is.
        case jitter(Double)
        /// A sensor, or one axis of it (0 to 2), gives the last value again and again.
        case stuck(axis: Int?)
        /// Values are held at that magnitude, in the unit of the sensor's kind. Needs a target where the trace has sensors of
        /// several kinds.
        case saturation(Double)
        /// That is added to the readings, in the sensor's own axes and the unit of its kind. Needs a target as ``saturation(_:)``
        /// does.
        case disturbance(SIMD3<Double>)
        /// The receivers' clocks go wrong by that many seconds.
        case clockStep(Double)
        /// An accessory is unplugged, and nothing is heard of it until the trace attaches it again. Has no duration.
        case unplug
        /// An accessory is unplugged in the middle of the next write of the program. Has no duration.
        case unplugInWrite
    }

    /// What goes wrong.
    public var action: Action
    /// What it happens to: for gpsd "gpsd", for a sensor its id or its kind, for ``Action/noFix`` and ``Action/clockStep(_:)``
    /// also a receiver's path, for an accessory its name in the trace; nil for everything that it can happen to.
    public var target: String?
    /// From when on, in seconds from the start. ``FaultEdit`` refuses one behind the last event.
    public var start: Double
    /// For how many seconds; nil for ever. A loss that lasts longer than the trace does not end in it.
    public var duration: Double?

    /// A fault of those parts.
    public init(_ action: Action, target: String? = nil, at start: Double = 0, for duration: Double? = nil) {
        self.action = action
        self.target = target
        self.start = start
        self.duration = duration
    }
}
