// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The availability of a source or of one of its sensors.
///
/// A source may set the status in its hub at any time. The hub reports changes to each subscriber and guarantees:
/// - A loss is reported once, with the error at the time of the report. If a loss was reported, its end is reported
///   once.
/// - If a subscriber joins during a loss, the loss is reported before `subscribe` returns and before any readings. A
///   subscriber that joins at any other time is not notified until the next loss.
/// - A loss that begins and ends while the subscriber handles an earlier notification is not reported.
/// - If a loss begins while a reading is being delivered to several subscribers, the reading may arrive after the loss
///   is reported.
/// - A change to `unknown` is not reported.
///
/// Accessories have no status: an unavailable accessory is reported as detached. A problem in the accessory source
/// rarely affects all accessories, and there may be several problems at once. The source therefore lists them in
/// `problems`, as motion sources and calibration stores do.
package enum SourceStatus: Sendable {
    /// The source is not reading, or has not yet determined its status. A source sets this status when it stops
    /// reading. The hub does not set it when the last subscriber leaves, because a loss may outlast the subscribers.
    /// During playback, a loss ends at the time given in the trace. A failed device makes all its sensors unavailable,
    /// even those without subscribers.
    case unknown
    /// Readings are being delivered or will follow.
    case available
    indirect case unavailable(DeviceError)

    package init(_ error: DeviceError?) { self = error.map { .unavailable($0) } ?? .available }

    package var error: DeviceError? { if case .unavailable(let error) = self { error } else { nil } }

    /// Replaces the status. Returns true if a loss has begun or ended.
    package mutating func change(to new: SourceStatus) -> Bool {
        let isLost = error != nil
        self = new
        return isLost != (new.error != nil)
    }

    var isAvailable: Bool { if case .available = self { true } else { false } }
}

/// A type of event that can report the loss of a source, or that the source is available again.
protocol StatusEvent: Sendable {
    static func lost(_ error: DeviceError) -> Self
    static var regained: Self { get }
}

extension PositionEvent: StatusEvent {}
extension MotionEvent: StatusEvent {}

/// A subscriber's state, which determines whether the subscriber receives readings and whether to notify it of a status
/// change.
///
/// ```
/// joining ── startReceiving() ──▶ receiving ── cancel() ──▶ cancelled
/// ```
///
/// A joining subscriber is notified of the status but receives no readings. The hub holds its lock while it calls
/// `setStatus`, so that all subscribers receive status changes in the same order. The hub calls all other functions
/// without the lock. Only one thread at a time notifies a subscriber. If the status changes in the meantime, that
/// thread also reports the new status.
struct SubscriberState: ~Copyable, Sendable {
    private enum Phase: UInt8, AtomicRepresentable { case joining, receiving, cancelled }

    private struct Report {
        var status = SourceStatus.unknown
        var isLossReported = false
        /// True while a thread is notifying the subscriber. The initial value prevents other threads from notifying the
        /// subscriber before the subscribing thread does.
        var isNotifying = true

        /// Returns the next status to report. If there is nothing to report, returns nil and clears `isNotifying`.
        mutating func next() -> SourceStatus? {
            switch (status, isLossReported) {
            case (.available, true), (.unavailable, false):
                isLossReported.toggle()
                return status
            case (.unknown, _), (.available, false), (.unavailable, true):
                isNotifying = false
                return nil
            }
        }
    }

    private let phase = Atomic<Phase>(.joining)
    private let report = Mutex(Report())

    var isReceiving: Bool { phase.load(ordering: .acquiring) == .receiving }
    var isCancelled: Bool { phase.load(ordering: .acquiring) == .cancelled }
    func setStatus(_ status: SourceStatus) { report.withLock { $0.status = status } }

    /// Notifies the subscriber of the status if it differs from the last reported one. Does nothing if another thread
    /// is already notifying the subscriber.
    func reportStatus<Event: StatusEvent>(_ deliver: (Event) -> Void) {
        let isFree = report.withLock { !exchange(&$0.isNotifying, with: true) }
        if isFree { notify(deliver) }
    }

    /// Reports the current loss, if there is one, and then starts delivering readings. Called once, on the subscribing
    /// thread. Must be called before the subscription exists, because `startReceiving()` could otherwise overwrite
    /// `cancelled`.
    func start<Event: StatusEvent>(_ deliver: (Event) -> Void) {
        notify(deliver)
        startReceiving()
    }

    /// Starts delivering readings. For a source without a status, the hub calls only this function. `isNotifying` then
    /// stays true, so `reportStatus` has no effect.
    func startReceiving() { phase.store(.receiving, ordering: .releasing) }

    func cancel() { phase.store(.cancelled, ordering: .releasing) }

    private func notify<Event: StatusEvent>(_ deliver: (Event) -> Void) {
        while let status = report.withLock({ $0.next() }) {
            if !isCancelled { deliver(status.error.map { .lost($0) } ?? .regained) }
        }
    }
}
