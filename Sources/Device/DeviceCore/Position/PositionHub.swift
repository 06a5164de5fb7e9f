// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Hands one stream of reports to any number of subscribers, each in the form it asked for.
///
/// A source owns one, calls its input functions from one thread at a time, and learns through `demandChanged` that the
/// first subscriber has come or the last one gone. No lock is held while subscribers run.
public final class PositionHub: PositionSource {
    private typealias Member = Subscriber<PositionRequest, PositionEvent>

    private struct Content {
        var flow = PositionFlow()
        var demand: UInt64 = 0
        var described: [ReceiverDescription] = []
    }

    private let registry: SubscriberRegistry<Content, PositionRequest, PositionEvent>
    // Asked for each line, so kept where no lock is needed.
    private let lineWishes = Atomic<Int>(0)
    private let rawWishes = Atomic<Int>(0)
    private let isTogether = Atomic<Bool>(false)
    /// When a held epoch is due, in nanoseconds. Asked after each report, so kept where no lock is needed.
    private let due = Atomic<Int64>(BootTime.never.nanoseconds)

    /// A hub without subscribers. The closure must look at `isWanted` itself: two changes may reach it out of order.
    public init(demandChanged: @escaping @Sendable () -> Void) {
        registry = SubscriberRegistry(Content(), demandChanged: demandChanged)
    }

    /// True while there is a subscriber.
    public var isWanted: Bool { registry.isWanted }

    /// Changes each time that a first subscriber comes: who comes anew shall not wait for what was begun for others.
    public var demand: UInt64 { registry.withLock { $0.content.demand } }

    /// The executor of the only subscriber; nil if it does not poll, or if there are several subscribers.
    package var executor: (any PollingExecutor)? {
        registry.withLock { $0.subscribers.count == 1 ? $0.subscribers[0].request.place?.delivery : nil }
    }

    // MARK: Subscribers

    /// Adds a subscriber; the first one brings the source to life.
    public func subscribe(
        _ request: PositionRequest,
        receive: @escaping @Sendable (PositionEvent) -> Void,
        settled: @escaping @Sendable () -> Void
    ) -> Subscription {
        let subscriber = Member(request, executor: request.place, receive: receive, onBatchComplete: settled)
        count(request, by: 1)
        registry.add(subscriber) { if $0.subscribers.isEmpty { $0.content.demand += 1 } }
        subscriber.state.start { notify(subscriber, $0) }
        // Also for the second subscriber, with which no executor may poll any more.
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
            if state.subscribers.isEmpty { state.content.flow.restart() }
        }
        registry.demandChanged()
    }

    /// Changes what is known, and with it when something is due.
    private func change<Result: Sendable>(
        _ body: (inout SubscriberRegistry<Content, PositionRequest, PositionEvent>.State) -> Result
    ) -> Result {
        registry.withLock { state in
            defer { due.store(state.content.flow.nextDeadline.nanoseconds, ordering: .releasing) }
            return body(&state)
        }
    }

    private func count(_ request: PositionRequest, by change: Int) {
        if request.lines { lineWishes.add(change, ordering: .relaxed) }
        if request.rawReports { rawWishes.add(change, ordering: .relaxed) }
    }

    /// The last fix of the chosen receiver, or of any.
    public var lastFix: PositionFix? {
        registry.withLock { state in
            let receivers = state.content.flow.receivers
            let chosen = state.content.flow.chosen
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

    /// The receivers as the service has described them.
    public var receivers: [ReceiverDescription] { registry.withLock { $0.content.described } }

    /// True when somebody wants each line.
    public var wantsLines: Bool { lineWishes.load(ordering: .relaxed) > 0 }

    /// True when somebody wants reports with their own bytes.
    public var wantsRawReports: Bool { rawWishes.load(ordering: .relaxed) > 0 }

    // MARK: Input

    /// Takes all that is posted inside as one run of events that came in together.
    ///
    /// At the end of a run subscribers wake whoever waits for them, once. What is posted elsewhere is a run of its own.
    public func together<Result, Failure: Error>(_ posts: () throws(Failure) -> Result) throws(Failure) -> Result {
        let isOutermost = !isTogether.exchange(true, ordering: .relaxed)
        defer {
            if isOutermost {
                isTogether.store(false, ordering: .relaxed)
                for subscriber in registry.withLock({ $0.subscribers }) { subscriber.completeBatch() }
            }
        }
        return try posts()
    }

    /// Delivers events to one subscriber, and completes the batch unless more may follow.
    private func deliver(to subscriber: Member, _ first: PositionEvent, _ second: PositionEvent? = nil) {
        subscriber.deliver(first)
        if let second { subscriber.deliver(second) }
        if !isTogether.load(ordering: .relaxed) { subscriber.completeBatch() }
    }

    private func notify(_ subscriber: Member, _ event: PositionEvent) {
        subscriber.notify(event)
        if !isTogether.load(ordering: .relaxed) { subscriber.completeBatch() }
    }

    /// A position report has arrived.
    public func post(_ report: PositionReport) {
        let now = report.arrival
        var finished: PositionReport?
        let (subscribers, isChosen, outcome) = change { state in
            let (index, outcome) = state.content.flow.accept(report, now: now, finished: &finished)
            if let finished { state.content.flow.handedOver(finished, receiver: index) }
            if outcome == .immediate { state.content.flow.handedOver(report, receiver: index) }
            return (state.subscribers, index == state.content.flow.chosen, outcome)
        }
        for subscriber in subscribers where subscriber.request.takes(report.receiver, isChosen: isChosen) {
            if subscriber.request.everyReport || finished == nil && outcome == .immediate {
                deliver(to: subscriber, .report(report))
            } else if let finished {
                deliver(to: subscriber, .report(finished), outcome == .immediate ? .report(report) : nil)
            }
        }
    }

    /// A sky view has arrived.
    public func post(_ sky: SkyReport) {
        let (subscribers, isChosen, sky) = change { state in
            let (index, merged) = state.content.flow.accept(sky, now: sky.arrival)
            return (state.subscribers, index == state.content.flow.chosen, merged)
        }
        for subscriber in subscribers where subscriber.request.takes(sky.receiver, isChosen: isChosen) {
            deliver(to: subscriber, .sky(sky))
        }
    }

    /// A compass or inertial report has arrived.
    public func post(_ attitude: AttitudeReport) {
        let (subscribers, isHeard) = change { state in
            (state.subscribers, state.content.flow.acceptAttitude(of: attitude.receiver, now: attitude.arrival))
        }
        for subscriber in subscribers where subscriber.request.takes(attitude.receiver, isChosen: isHeard) {
            deliver(to: subscriber, .attitude(attitude))
        }
    }

    /// A line has arrived, before what it says is posted.
    public func post(line: UnsafeRawBufferPointer, arrival: BootTime) {
        let subscribers = registry.withLock { $0.subscribers }
        let bytes = [UInt8](line)
        for subscriber in subscribers where subscriber.request.lines {
            deliver(to: subscriber, .line(bytes, arrival: arrival))
        }
    }

    /// The service has listed its receivers.
    public func post(receivers: [ReceiverDescription]) {
        let subscribers = registry.withLock { state in
            state.content.described = Array(receivers.prefix(PositionFlow.receiverLimit))
            return state.subscribers
        }
        for subscriber in subscribers { deliver(to: subscriber, .receivers(receivers)) }
    }

    /// The service has described one receiver, which may be new, changed or gone.
    public func post(receiver: ReceiverDescription) {
        var all = receivers
        all.removeAll { $0.path == receiver.path }
        if receiver.isActive { all.append(receiver) }
        post(receivers: all)
    }

    /// Sets whether positions can be had. Before a loss, held epochs are delivered.
    public func setStatus(_ status: SourceStatus) {
        guard status.error != nil, registry.status.error == nil else { return report(status) }
        together {
            flush()
            change { $0.content.flow.restart() }
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

    /// The stream goes on somewhere else, with those as the last fixes, which nobody is told of; what was held is dropped.
    package func restart(fixes: [PositionReport]) { change { $0.content.flow.restart(fixes: fixes) } }

    // MARK: Held epochs

    /// When `handOverDue` has something to do next; `never` when no epoch is held.
    public var nextDeadline: BootTime { BootTime(nanoseconds: due.load(ordering: .acquiring)) }

    /// Hands over the epochs that have been quiet long enough.
    public func handOverDue(now: BootTime) {
        together {
            while true {
                let due: (subscribers: [Member], report: PositionReport, isChosen: Bool)? = change { state in
                    guard let due = state.content.flow.takeDue(now: now) else { return nil }
                    state.content.flow.handedOver(due.report, receiver: due.receiver)
                    return (state.subscribers, due.report, due.receiver == state.content.flow.chosen)
                }
                guard let due else { return }
                let receiver = due.report.receiver
                for subscriber in due.subscribers
                where !subscriber.request.everyReport && subscriber.request.takes(receiver, isChosen: due.isChosen) {
                    deliver(to: subscriber, .report(due.report))
                }
            }
        }
    }

    /// Hands over every held epoch, because no more will come.
    public func flush() { handOverDue(now: BootTime(nanoseconds: .max - 1)) }

    /// Drops held epochs: they are from before a standstill of the process.
    public func discardHeld() { change { $0.content.flow.discardHeld() } }
}

extension PositionRequest {
    /// True when a reading of that receiver is asked for.
    fileprivate func takes(_ receiver: String, isChosen: Bool) -> Bool {
        guard let named = self.receiver else { return isChosen }
        return named == receiver
    }
}
