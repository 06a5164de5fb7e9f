// SPDX-License-Identifier: Apache-2.0

/// The availability of a source or of one of its sensors.
///
/// A source may set the status in its hub at any time. For each subscriber, the hub records whether the last
/// notification reported a loss, and notifies the subscriber if the current status differs. A subscriber can rely on
/// these rules:
/// - A loss is reported once, with the error at that time, even if the error changes during the loss. The end of a
///   reported loss is reported once.
/// - If a subscriber joins during a loss, the loss is reported before `subscribe` returns, and readings are delivered
///   after that. If it joins at any other time, it is not notified until the next loss.
/// - A loss that begins and ends while the subscriber handles an earlier notification is not reported.
/// - A reading that is being delivered to several subscribers when a loss begins may arrive after the report of the loss.
/// - A change to `unknown` is not reported.
public enum SourceStatus: Sendable {
    /// The source has no subscribers, or has not determined its status yet.
    case unknown
    /// Readings are delivered, or will follow.
    case available
    /// Readings are unavailable, for the reason that the error states.
    indirect case unavailable(DeviceError)

    /// Creates `unavailable` with the error, or `available` if the error is nil.
    public init(_ error: DeviceError?) { self = error.map { .unavailable($0) } ?? .available }

    /// The error while readings are unavailable; otherwise nil.
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
