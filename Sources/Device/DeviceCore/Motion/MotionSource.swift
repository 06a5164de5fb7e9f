// SPDX-License-Identifier: Apache-2.0

/// A source of motion readings.
public protocol MotionSource: Sendable {
    /// The available sensors, with the best sensor of each kind first.
    ///
    /// The first access may search for sensors, which takes up to a few seconds if a server has to be queried.
    var sensors: [SensorDescription] { get }

    /// Returns a sensor, or nil if it does not exist. Does not block.
    func description(of sensor: SensorDescription.ID) -> SensorDescription?

    /// The XML descriptions of the libiio contexts, for recorders; empty if there are none.
    var contextDescriptions: [String] { get }

    /// The errors of the last search for sensors, for contexts that could not be queried; empty if there are none.
    var problems: [DeviceError] { get }

    /// Delivers events to the closure until the subscription ends, in order and on threads of the source, or on the
    /// request's `place` if the source reads there. Events are delivered one at a time, except that a loss may be
    /// delivered while the closure still processes earlier readings.
    ///
    /// If the sensor is already lost, the loss is delivered before this call returns. If the sensor does not exist yet,
    /// no event is delivered until it appears. The hardware runs at the rate of the fastest subscriber. Readings for
    /// slower subscribers are decimated by time stamp. `quiet` is called if the source knows that no readings follow
    /// for now, for example at the end of a trace. A subscriber that is waiting for readings of other sensors can then
    /// stop waiting.
    func subscribe(
        _ request: MotionRequest, receive: @escaping @Sendable (MotionEvent) -> Void,
        quiet: @escaping @Sendable () -> Void
    ) -> Subscription

    /// Returns the actual rate of a sensor in hertz, measured from time stamps, or nil if it is not known yet.
    func measuredRate(of sensor: SensorDescription.ID) -> Double?
}

extension MotionSource {
    /// Always empty, for sources without a search for sensors.
    public var problems: [DeviceError] { [] }

    /// Delivers events to the closure, in order and on threads of the source, until the subscription ends.
    public func subscribe(
        _ request: MotionRequest, receive: @escaping @Sendable (MotionEvent) -> Void
    ) -> Subscription {
        subscribe(request, receive: receive, quiet: {})
    }
}

/// An event of a motion source.
public enum MotionEvent: Sendable {
    /// Readings. The batch is not empty.
    case samples(MotionBatch)
    /// The sensor delivers no readings for now. Sent once for each loss. Indirect to keep the enum small, so that
    /// readings are passed on quickly.
    indirect case lost(DeviceError)
    /// The sensor is available again. Readings follow.
    case regained
}
