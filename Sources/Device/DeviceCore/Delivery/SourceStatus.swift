// SPDX-License-Identifier: Apache-2.0

/// Whether a source, or one of its sensors, delivers readings.
///
/// A source sets the status in its hub, as often as it likes. The hub keeps, for each subscriber, whether that subscriber was
/// last notified of a loss, and notifies it when the current status differs. A subscriber can rely on this:
/// - It is notified of a loss once, with the error of the moment, whatever errors follow while the loss lasts, and of the
///   end of that loss once.
/// - If it joins during a loss, it is notified before `subscribe` returns, and receives readings after that. If it joins at
///   any other time, it is not notified until the next loss.
/// - A loss that begins and ends while the subscriber handles an earlier notification is not reported to it.
/// - A change to `unknown` is not reported.
public enum SourceStatus: Sendable {
    /// The source has no subscribers, or has not found out yet.
    case unknown
    /// Readings are delivered, or follow.
    case available
    /// No readings can be had, for the reason that the error gives.
    indirect case unavailable(DeviceError)

    /// Creates `unavailable` with the error, or `available` without one.
    public init(_ error: DeviceError?) { self = error.map { .unavailable($0) } ?? .available }

    /// The error while readings cannot be had; otherwise nil.
    public var error: DeviceError? { if case .unavailable(let error) = self { error } else { nil } }

    /// Replaces the status. Returns true if a loss has begun or ended.
    package mutating func change(to new: SourceStatus) -> Bool {
        let isLost = error != nil
        self = new
        return isLost != (new.error != nil)
    }

    var isAvailable: Bool { if case .available = self { true } else { false } }
}

/// An event of a source that has a status.
protocol StatusEvent: Sendable {
    static func lost(_ error: DeviceError) -> Self
    static var regained: Self { get }
}

extension PositionEvent: StatusEvent {}
extension MotionEvent: StatusEvent {}
extension BeaconEvent: StatusEvent {}
