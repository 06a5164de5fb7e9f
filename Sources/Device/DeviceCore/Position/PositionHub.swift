// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Hands one stream of reports to any number of subscribers, each in the form it asked for.
///
/// A source owns one, calls its input functions from one thread at a time, and learns through `demandChanged` that the
/// first subscriber has come or the last one gone. No lock is held while subscribers run.
public final class PositionHub: PositionSource {
    private struct State {
        var flow = PositionFlow()
        var subscribers: [PositionSubscriber] = []
        var demand: UInt64 = 0
        var lost: DeviceError?
        var described: [ReceiverDescription] = []
    }

    private let state = Mutex(State())
    // Asked for each line, so kept where no lock is needed.
    private let lineWishes = Atomic<Int>(0)
    private let rawWishes = Atomic<Int>(0)
    private let isTogether = Atomic<Bool>(false)
    private let demandChanged: @Sendable () -> Void

    /// A hub without subscribers. The closure must look at `isWanted` itself: two changes may reach it out of order.
    public init(demandChanged: @escaping @Sendable () -> Void) { self.demandChanged = demandChanged }

    /// True while there is a subscriber.
    public var isWanted: Bool { state.withLock { !$0.subscribers.isEmpty } }

    /// Changes each time that a first subscriber comes: who comes anew shall not wait for what was begun for others.
    public var demand: UInt64 { state.withLock { $0.demand } }

    // MARK: Subscribers

    /// Adds a subscriber; the first one brings the source to life.
    public func subscribe(
        _ request: PositionRequest,
        receive: @escaping @Sendable (PositionEvent) -> Void,
        settled: @escaping @Sendable () -> Void
    ) -> Subscription {
        let subscriber = PositionSubscriber(request, receive: receive, settled: settled)
        count(request, by: 1)
        if add(subscriber) { demandChanged() }
        return Subscription { [weak self] in
            subscriber.leave()
            self?.remove(subscriber)
        }
    }

    /// Adds the subscriber when it knows what the others know, so that no event overtakes what it is told of a loss
    /// here; true when it is the first.
    private func add(_ subscriber: PositionSubscriber) -> Bool {
        var told: DeviceError?
        while true {
            let (isAdded, isFirst, lost) = state.withLock { state -> (Bool, Bool, DeviceError?) in
                let isFirst = state.subscribers.isEmpty
                // The others have left meanwhile. The loss stands for this one until the service is back.
                if isFirst { state.lost = told }
                guard (state.lost == nil) == (told == nil) else { return (false, false, state.lost) }
                state.subscribers.append(subscriber)
                if isFirst { state.demand += 1 }
                return (true, isFirst, nil)
            }
            if isAdded { return isFirst }
            subscriber.tell(lost.map { .lost($0) } ?? .regained)
            subscriber.settled()
            told = lost
        }
    }

    private func count(_ request: PositionRequest, by change: Int) {
        if request.lines { lineWishes.add(change, ordering: .relaxed) }
        if request.rawReports { rawWishes.add(change, ordering: .relaxed) }
    }

    private func remove(_ subscriber: PositionSubscriber) {
        count(subscriber.request, by: -1)
        let isLast = state.withLock { state in
            state.subscribers.removeAll { $0 === subscriber }
            guard state.subscribers.isEmpty else { return false }
            state.lost = nil
            state.flow.restart()
            return true
        }
        if isLast { demandChanged() }
    }

    /// The last fix of the chosen receiver, or of any.
    public var lastFix: PositionFix? {
        state.withLock { state in
            let receivers = state.flow.receivers
            if receivers.indices.contains(state.flow.chosen), let fix = receivers[state.flow.chosen].fix { return fix }
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
    public var receivers: [ReceiverDescription] { state.withLock { $0.described } }

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
                for subscriber in state.withLock({ $0.subscribers }) { subscriber.settled() }
            }
        }
        return try posts()
    }

    /// Hands events to one subscriber, and ends the run unless more may follow.
    private func tell(_ subscriber: PositionSubscriber, _ first: PositionEvent, _ second: PositionEvent? = nil) {
        subscriber.tell(first)
        if let second { subscriber.tell(second) }
        if !isTogether.load(ordering: .relaxed) { subscriber.settled() }
    }

    /// A position report has arrived.
    public func post(_ report: PositionReport) {
        let now = report.arrival
        var finished: PositionReport?
        let (subscribers, isChosen, outcome) = state.withLock { state in
            let (index, outcome) = state.flow.accept(report, now: now, finished: &finished)
            if let finished { state.flow.handedOver(finished, receiver: index) }
            if outcome == .immediate { state.flow.handedOver(report, receiver: index) }
            return (state.subscribers, index == state.flow.chosen, outcome)
        }
        for subscriber in subscribers where subscriber.wants(report.receiver, isChosen: isChosen) {
            if subscriber.request.everyReport || finished == nil && outcome == .immediate {
                tell(subscriber, .report(report))
            } else if let finished {
                tell(subscriber, .report(finished), outcome == .immediate ? .report(report) : nil)
            }
        }
    }

    /// A sky view has arrived.
    public func post(_ sky: SkyReport) {
        let (subscribers, isChosen, sky) = state.withLock { state in
            let (index, merged) = state.flow.accept(sky, now: sky.arrival)
            return (state.subscribers, index == state.flow.chosen, merged)
        }
        for subscriber in subscribers where subscriber.wants(sky.receiver, isChosen: isChosen) {
            tell(subscriber, .sky(sky))
        }
    }

    /// A compass or inertial report has arrived.
    public func post(_ attitude: AttitudeReport) {
        let (subscribers, isHeard) = state.withLock { state in
            (state.subscribers, state.flow.acceptAttitude(of: attitude.receiver, now: attitude.arrival))
        }
        for subscriber in subscribers where subscriber.wants(attitude.receiver, isChosen: isHeard) {
            tell(subscriber, .attitude(attitude))
        }
    }

    /// A line has arrived, before what it says is posted.
    public func post(line: UnsafeRawBufferPointer, arrival: BootTime) {
        let subscribers = state.withLock { $0.subscribers }
        let bytes = [UInt8](line)
        for subscriber in subscribers where subscriber.request.lines {
            tell(subscriber, .line(bytes, arrival: arrival))
        }
    }

    /// The service has listed its receivers.
    public func post(receivers: [ReceiverDescription]) {
        let subscribers = state.withLock { state in
            state.described = Array(receivers.prefix(PositionFlow.receiverLimit))
            return state.subscribers
        }
        for subscriber in subscribers { tell(subscriber, .receivers(receivers)) }
    }

    /// The service has described one receiver, which may be new, changed or gone.
    public func post(receiver: ReceiverDescription) {
        var all = receivers
        all.removeAll { $0.path == receiver.path }
        if receiver.isActive { all.append(receiver) }
        post(receivers: all)
    }

    /// The position is lost; what was held is handed over first. Says so once for each loss.
    public func postLost(_ error: DeviceError) {
        together {
            flush()
            let subscribers: [PositionSubscriber] = state.withLock { state in
                // A loss that nobody hears is none: the first to come shall hear of the next.
                guard state.lost == nil, !state.subscribers.isEmpty else { return [] }
                state.lost = error
                state.flow.restart()
                return state.subscribers
            }
            for subscriber in subscribers { tell(subscriber, .lost(error)) }
        }
    }

    /// The service is back after a loss.
    public func postRegained() {
        let subscribers: [PositionSubscriber] = state.withLock { state in
            guard state.lost != nil else { return [] }
            state.lost = nil
            return state.subscribers
        }
        for subscriber in subscribers { tell(subscriber, .regained) }
    }

    /// The stream goes on somewhere else, with those as the last fixes, which nobody is told of; what was held is dropped.
    package func restart(fixes: [PositionReport]) { state.withLock { $0.flow.restart(fixes: fixes) } }

    // MARK: Held epochs

    /// When `handOverDue` has something to do next; `never` when no epoch is held.
    public var nextDeadline: BootTime { state.withLock { $0.flow.nextDeadline } }

    /// Hands over the epochs that have been quiet long enough.
    public func handOverDue(now: BootTime) {
        together {
            while true {
                let due: (subscribers: [PositionSubscriber], report: PositionReport, isChosen: Bool)? = state.withLock {
                    state in
                    guard let due = state.flow.takeDue(now: now) else { return nil }
                    state.flow.handedOver(due.report, receiver: due.receiver)
                    return (state.subscribers, due.report, due.receiver == state.flow.chosen)
                }
                guard let due else { return }
                for subscriber in due.subscribers
                where !subscriber.request.everyReport && subscriber.wants(due.report.receiver, isChosen: due.isChosen) {
                    tell(subscriber, .report(due.report))
                }
            }
        }
    }

    /// Hands over every held epoch, because no more will come.
    public func flush() { handOverDue(now: BootTime(nanoseconds: .max - 1)) }

    /// Drops held epochs: they are from before a standstill of the process.
    public func discardHeld() { state.withLock { $0.flow.discardHeld() } }
}
