// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The state of one subscriber: whether it receives readings, and whether the status of its source has to be reported
/// to it.
///
/// ```
/// joining ── start() ──▶ receiving ── cancel() ──▶ cancelled
/// ```
///
/// While it joins, a subscriber is notified of the status but receives no readings. The hub calls `setStatus` with its
/// lock held, so that statuses arrive in the hub's order, and all other functions without the lock. Only one thread at
/// a time notifies a subscriber. It also reports statuses that are set in the meantime.
struct SubscriberState: ~Copyable, Sendable {
    private enum Phase: UInt8, AtomicRepresentable {
        case joining, receiving, cancelled
    }

    private struct Report {
        var status = SourceStatus.unknown
        /// True if the last notification reported a loss.
        var isLossReported = false
        /// True while a thread notifies the subscriber. Initially true, because the subscribing thread notifies first.
        var isNotifying = true

        /// Returns the next status to report. If there is none, returns nil and ends the notification.
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

    /// True while readings are delivered to the subscriber.
    var isReceiving: Bool { phase.load(ordering: .acquiring) == .receiving }

    /// True once the subscription has been cancelled.
    var isCancelled: Bool { phase.load(ordering: .acquiring) == .cancelled }

    /// Sets the status of the source, without notifying the subscriber.
    func setStatus(_ status: SourceStatus) { report.withLock { $0.status = status } }

    /// Reports the status to the subscriber if it differs from the last report. Does nothing if another thread is
    /// already notifying the subscriber.
    func reportStatus<Event: StatusEvent>(_ deliver: (Event) -> Void) {
        let isFree = report.withLock { !exchange(&$0.isNotifying, with: true) }
        if isFree { notify(deliver) }
    }

    /// Reports a current loss, then lets the subscriber receive readings. Called once, on the subscribing thread.
    func start<Event: StatusEvent>(_ deliver: (Event) -> Void) {
        notify(deliver)
        start()
    }

    /// Lets the subscriber receive readings.
    func start() {
        _ = phase.compareExchange(expected: .joining, desired: .receiving, ordering: .acquiringAndReleasing)
    }

    /// Ends notifications and readings.
    func cancel() { phase.store(.cancelled, ordering: .releasing) }

    private func notify<Event: StatusEvent>(_ deliver: (Event) -> Void) {
        while let status = report.withLock({ $0.next() }) {
            if !isCancelled { deliver(status.error.map { .lost($0) } ?? .regained) }
        }
    }
}
