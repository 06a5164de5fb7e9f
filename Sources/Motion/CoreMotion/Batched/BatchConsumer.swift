// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization

/// Everything behind one loop over batches.
final class BatchConsumer<Shaper: ReadingShaper>: Sendable {
    /// More batches than this do not wait: the oldest are dropped.
    static var limit: Int { Batches.limit }

    /// What a loop is told: a batch, or why there is none. The loop is over after a failure.
    enum Element: Sendable {
        case batch(Shaper.Value)
        case failure(StreamFailure)
        case end
    }

    private struct State {
        var waiting: CheckedContinuation<Element, Never>?
        var mailbox = Mailbox<Shaper.Value>(limit: BatchConsumer.limit)
        var shaper: Shaper
        var isStarted = false
        var isFinished = false
        /// True while the program works on an element.
        var isBusy = false
    }

    private let device: Device
    private let source: StreamSource<Shaper.Input>
    private let interval: TimeInterval
    private let state: Mutex<State>
    private let subscription = Mutex<Subscription?>(nil)

    init(device: Device, plan: StreamPlan<Shaper>, interval: TimeInterval) {
        self.device = device
        source = plan.source
        self.interval = interval
        state = Mutex(State(shaper: plan.makeShaper()))
    }

    /// True when the device has what it takes now.
    var isAvailable: Bool { source.isAvailable() }

    // MARK: The program's side

    func next() async -> Element {
        start()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Element? in
                    if state.isBusy { device.playback?.consumers.end() }
                    state.isBusy = false
                    if state.isFinished || Task.isCancelled { return .end }
                    guard let element = takeElement(&state) else {
                        state.waiting = continuation
                        return nil
                    }
                    return element
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            finish()
        }
    }

    /// The loop was left, or its task cancelled.
    func finish() {
        let waiting = state.withLock { state -> CheckedContinuation<Element, Never>? in
            guard !state.isFinished else { return nil }
            state.isFinished = true
            if state.isStarted {
                if state.isBusy { device.playback?.consumers.end() }
                device.playback?.consumers.leave()
            }
            state.isBusy = false
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: .end)
        adjustSubscription()
    }

    private func start() {
        let isFirst = state.withLock { state in
            guard !state.isStarted, !state.isFinished else { return false }
            state.isStarted = true
            state.mailbox.empty(isOpen: true)
            return true
        }
        guard isFirst else { return }
        device.playback?.consumers.enter()
        adjustSubscription()
    }

    // MARK: The source's side

    private func adjustSubscription() {
        let former = subscription.withLock { subscription -> Subscription? in
            let isWanted = state.withLock { $0.isStarted && !$0.isFinished }
            guard isWanted, subscription == nil else {
                defer { if !isWanted { subscription = nil } }
                return isWanted ? nil : subscription
            }
            subscription = source.subscribe(interval) { event in self.receive(event) }
            return nil
        }
        former?.cancel()
    }

    private func receive(_ event: StreamEvent<Shaper.Input>) {
        let handOver = state.withLock { state -> (CheckedContinuation<Element, Never>, Element)? in
            guard !state.isFinished else { return nil }
            switch event {
            case .input(let input): state.shaper.take(input, into: &state.mailbox)
            case .lost(let kind, let error): state.mailbox.add(.loss(kind, error))
            case .regained: return nil
            }
            guard let waiting = state.waiting, let element = takeElement(&state) else { return nil }
            state.waiting = nil
            return (waiting, element)
        }
        if let (waiting, element) = handOver { waiting.resume(returning: element) }
    }

    /// The next element for the program, which works on it from now on.
    private func takeElement(_ state: inout State) -> Element? {
        guard let item = state.mailbox.takeFirst() else { return nil }
        state.isBusy = true
        device.playback?.consumers.begin()
        switch item {
        case .value(let batch): return .batch(batch)
        case .failure(let error): return .failure(error)
        }
    }
}
