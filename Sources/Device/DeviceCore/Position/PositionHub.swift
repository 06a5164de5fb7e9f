// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Delivers a stream of reports to each subscriber, in the form that the subscriber requested. The source that owns the
/// hub calls the input functions on one thread at a time. No lock is held while subscribers run.
package final class PositionHub: PositionSource {
    private typealias Member = Subscriber<PositionRequest, PositionEvent>

    private struct Content {
        var selector = ReportSelector()
        var demand: UInt64 = 0
        var receiverDescriptions: [ReceiverDescription] = []
    }

    private let registry: SubscriberRegistry<Content, PositionRequest, PositionEvent>
    // The number of subscribers that request lines, and the number that request raw reports. Both are atomic because
    // they are read for each line.
    private let lineRequestCount = Atomic<Int>(0)
    private let rawRequestCount = Atomic<Int>(0)
    /// True inside `withBatch`. Atomic because a joining subscriber reads it on its own thread.
    private let isInBatch = Atomic<Bool>(false)
    /// The time, in nanoseconds, at which the next held report is due. Atomic because it is read without the lock.
    private let nextDueTime = Atomic<Int64>(BootTime.never.nanoseconds)

    /// - Parameter demandChanged: Called whenever a subscriber is added or removed. Calls may arrive out of order, so
    ///   the closure must read the current value of `hasSubscribers`.
    package init(demandChanged: @escaping @Sendable () -> Void) {
        registry = SubscriberRegistry(Content(), demandChanged: demandChanged)
    }

    package var hasSubscribers: Bool { registry.hasSubscribers }

    /// A counter that is incremented each time the number of subscribers rises from 0 to 1. A source that is waiting to
    /// try again watches the counter and tries again as soon as it changes.
    package var demand: UInt64 { registry.withLock { $0.content.demand } }

    /// The executor of the only subscriber, or nil if it cannot poll or there is not exactly one subscriber.
    package var executor: (any PollingExecutor)? {
        registry.withLock { $0.subscribers.count == 1 ? $0.subscribers[0].request.executor?.executor : nil }
    }

    // MARK: Subscribers

    package func subscribe(
        _ request: PositionRequest, receive: @escaping @Sendable (PositionEvent) -> Void,
        onBatchComplete: @escaping @Sendable () -> Void
    ) -> Subscription {
        let subscriber = Member(request, executor: request.executor, receive: receive, onBatchComplete: onBatchComplete)
        count(request, by: 1)
        registry.add(subscriber) { if $0.subscribers.isEmpty { $0.content.demand += 1 } }
        subscriber.state.start { notify(subscriber, $0) }
        // Called for every new subscriber, because an executor must stop polling when a second subscriber joins.
        registry.demandChanged()
        return Subscription { [weak self] in
            subscriber.state.cancel()
            self?.remove(subscriber)
        }
    }

    private func remove(_ subscriber: Member) {
        count(subscriber.request, by: -1)
        change { state in
            state.remove(subscriber)
            if state.subscribers.isEmpty { state.content.selector.reset() }
        }
        registry.demandChanged()
    }

    private func change<Result: Sendable>(
        _ body: (inout SubscriberRegistry<Content, PositionRequest, PositionEvent>.State) -> Result
    ) -> Result {
        registry.withLock { state in
            defer { nextDueTime.store(state.content.selector.nextDeadline.nanoseconds, ordering: .releasing) }
            return body(&state)
        }
    }

    private func count(_ request: PositionRequest, by change: Int) {
        if request.includesLines { lineRequestCount.add(change, ordering: .relaxed) }
        if request.includesRawBytes { rawRequestCount.add(change, ordering: .relaxed) }
    }

    /// The last fix of the chosen receiver or, if that receiver has none, the most recent fix of any receiver.
    package var lastFix: PositionFix? {
        registry.withLock { state in
            let receivers = state.content.selector.receivers
            let chosen = state.content.selector.chosen
            if receivers.indices.contains(chosen), let fix = receivers[chosen].fix { return fix }
            var last: PositionFix?
            for receiver in receivers {
                guard let fix = receiver.fix else { continue }
                if let last, fix.report.arrival <= last.report.arrival { continue }
                last = fix
            }
            return last
        }
    }

    package var receivers: [ReceiverDescription] { registry.withLock { $0.content.receiverDescriptions } }
    package var wantsLines: Bool { lineRequestCount.load(ordering: .relaxed) > 0 }
    package var wantsRawReports: Bool { rawRequestCount.load(ordering: .relaxed) > 0 }

    // MARK: Input

    /// Treats all events that are posted inside the closure as one batch, and then calls `onBatchComplete` once for
    /// each subscriber. Outside this function, each posted event is a separate batch.
    package func withBatch<Result, Failure: Error>(_ posts: () throws(Failure) -> Result) throws(Failure) -> Result {
        let isOutermost = !isInBatch.exchange(true, ordering: .relaxed)
        defer {
            if isOutermost {
                isInBatch.store(false, ordering: .relaxed)
                for subscriber in registry.withLock({ $0.subscribers }) { subscriber.completeBatch() }
            }
        }
        return try posts()
    }

    /// Delivers events to one subscriber and, outside `withBatch`, ends the batch.
    private func deliver(to subscriber: Member, _ first: PositionEvent, _ second: PositionEvent? = nil) {
        subscriber.deliver(first)
        if let second { subscriber.deliver(second) }
        if !isInBatch.load(ordering: .relaxed) { subscriber.completeBatch() }
    }

    private func notify(_ subscriber: Member, _ event: PositionEvent) {
        subscriber.notify(event)
        if !isInBatch.load(ordering: .relaxed) { subscriber.completeBatch() }
    }

    /// Delivers the report immediately to subscribers that request every report. Subscribers that request one report
    /// per epoch may receive it later, at the end of the epoch, or not at all.
    package func post(_ report: PositionReport) {
        let now = report.arrival
        var finished: PositionReport?
        let (subscribers, isChosen, outcome) = change { state in
            let (index, outcome) = state.content.selector.accept(report, now: now, finished: &finished)
            if let finished { state.content.selector.recordDelivery(finished, receiver: index) }
            if outcome == .immediate { state.content.selector.recordDelivery(report, receiver: index) }
            return (state.subscribers, index == state.content.selector.chosen, outcome)
        }
        for subscriber in subscribers where subscriber.request.includes(report.receiver, isChosen: isChosen) {
            if subscriber.request.includesAllReports || finished == nil && outcome == .immediate {
                deliver(to: subscriber, .report(report))
            } else if let finished {
                deliver(to: subscriber, .report(finished), outcome == .immediate ? .report(report) : nil)
            }
        }
    }

    /// Delivers the report. If the report has no satellite list, first adds the receiver's last list, unless that list
    /// is too old.
    package func post(_ sky: SkyReport) {
        let (subscribers, isChosen, sky) = change { state in
            let (index, merged) = state.content.selector.accept(sky, now: sky.arrival)
            return (state.subscribers, index == state.content.selector.chosen, merged)
        }
        for subscriber in subscribers where subscriber.request.includes(sky.receiver, isChosen: isChosen) {
            deliver(to: subscriber, .sky(sky))
        }
    }

    package func post(_ attitude: AttitudeReport) {
        let (subscribers, isChosen) = change { state in
            (state.subscribers, state.content.selector.acceptAttitude(of: attitude.receiver, now: attitude.arrival))
        }
        for subscriber in subscribers where subscriber.request.includes(attitude.receiver, isChosen: isChosen) {
            deliver(to: subscriber, .attitude(attitude))
        }
    }

    /// Delivers a line to the subscribers that request lines. Must be called before the line's reports are posted.
    package func post(line: UnsafeRawBufferPointer, arrival: BootTime) {
        let subscribers = registry.withLock { $0.subscribers }
        let bytes = [UInt8](line)
        for subscriber in subscribers where subscriber.request.includesLines {
            deliver(to: subscriber, .line(bytes, arrival: arrival))
        }
    }

    package func post(receivers: [ReceiverDescription]) {
        let subscribers = registry.withLock { state in
            state.content.receiverDescriptions = Array(receivers.prefix(ReportSelector.maximumReceivers))
            return state.subscribers
        }
        for subscriber in subscribers { deliver(to: subscriber, .receivers(receivers)) }
    }

    package func post(receiver: ReceiverDescription) {
        var all = receivers
        all.removeAll { $0.path == receiver.path }
        if receiver.isActive { all.append(receiver) }
        post(receivers: all)
    }

    /// Sets the status. If the new status begins a loss, held reports are delivered before the loss is reported.
    package func setStatus(_ status: SourceStatus) {
        guard status.error != nil, registry.status.error == nil else { return report(status) }
        withBatch {
            flush()
            change { $0.content.selector.reset() }
            report(status)
        }
    }

    private func report(_ status: SourceStatus) {
        let subscribers = registry.withLock { state in
            state.setStatus(status)
            return state.subscribers
        }
        for subscriber in subscribers { subscriber.state.reportStatus { notify(subscriber, $0) } }
    }

    /// Called when the stream jumps to a different time. Drops held reports and replaces the receivers' last fixes with
    /// the given ones, without delivering them.
    package func restart(fixes: [PositionReport]) { change { $0.content.selector.restart(fixes: fixes) } }

    // MARK: Held epochs

    /// The time at which `deliverDueReports` must be called next, or `.never` if no report is held.
    package var nextDeadline: BootTime { BootTime(nanoseconds: nextDueTime.load(ordering: .acquiring)) }

    /// Delivers the held reports of epochs that are considered complete, because no further report arrived before the
    /// deadline.
    package func deliverDueReports(now: BootTime) {
        withBatch {
            while true {
                let due: (subscribers: [Member], report: PositionReport, isChosen: Bool)? = change { state in
                    guard let due = state.content.selector.removeDue(now: now) else { return nil }
                    state.content.selector.recordDelivery(due.report, receiver: due.receiver)
                    return (state.subscribers, due.report, due.receiver == state.content.selector.chosen)
                }
                guard let due else { return }
                for subscriber in due.subscribers
                where !subscriber.request.includesAllReports
                    && subscriber.request.includes(due.report.receiver, isChosen: due.isChosen)
                { deliver(to: subscriber, .report(due.report)) }
            }
        }
    }

    /// Delivers all held reports. Called when no more reports will follow.
    package func flush() { deliverDueReports(now: BootTime(nanoseconds: .max - 1)) }

    /// Drops held reports. Called after the process was suspended, because held reports are then outdated.
    package func discardPending() { change { $0.content.selector.discardPending() } }
}

extension PositionRequest {
    fileprivate func includes(_ receiver: String, isChosen: Bool) -> Bool {
        guard let named = self.receiver else { return isChosen }
        return named == receiver
    }
}
