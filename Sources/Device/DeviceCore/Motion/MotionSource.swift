// SPDX-License-Identifier: Apache-2.0

/// Where motion readings come from.
public protocol MotionSource: Sendable {
    /// The sensors there are now, the best one of each kind first.
    ///
    /// The first call may look for them, for at most a few seconds when a server has to be asked.
    var sensors: [SensorDescription] { get }

    /// The sensor of that name, at once; nil when there is none.
    func description(of sensor: SensorDescription.ID) -> SensorDescription?

    /// What each context of sensors says of itself, as libiio's XML; empty when there is none. Recorders keep it.
    var contextDescriptions: [String] { get }

    /// Why places where sensors were looked for could not be asked, when that was tried last; empty when all is well.
    var problems: [DeviceError] { get }

    /// Hands events to the closure, on threads of the source's own and in order, until the subscription ends. (In the
    /// request's `place` instead, when the source reads there.) Only a loss may be told while the closure is still busy
    /// with readings from before it.
    ///
    /// When the sensor is known to be lost, the closure hears so before this call returns. A sensor that is not there
    /// yet is waited for in silence. The hardware runs at the rate of the fastest subscriber; others get as many of its
    /// readings as they asked for, chosen by time stamp. `quiet` is called when the source knows that nothing follows for
    /// now, as at the end of a trace: a subscriber that waits for the readings of other sensors need wait no longer.
    func subscribe(
        _ request: MotionRequest, receive: @escaping @Sendable (MotionEvent) -> Void,
        quiet: @escaping @Sendable () -> Void
    ) -> Subscription

    /// The rate at which a sensor really gives readings, in hertz, measured from their time stamps; nil until known.
    func measuredRate(of sensor: SensorDescription.ID) -> Double?
}

extension MotionSource {
    /// None, for sources that always have their sensors at hand.
    public var problems: [DeviceError] { [] }

    /// Hands events to the closure, on threads of the source's own and in order, until the subscription ends.
    public func subscribe(
        _ request: MotionRequest, receive: @escaping @Sendable (MotionEvent) -> Void
    ) -> Subscription {
        subscribe(request, receive: receive, quiet: {})
    }
}

/// What a motion source has to say to a subscriber.
public enum MotionEvent: Sendable {
    /// Readings, never an empty batch.
    case samples(MotionBatch)
    /// The sensor gives nothing for now, and why. Sent once for each loss. Indirect, so that readings are passed on quickly.
    indirect case lost(DeviceError)
    /// The sensor is back; readings follow.
    case regained
}
