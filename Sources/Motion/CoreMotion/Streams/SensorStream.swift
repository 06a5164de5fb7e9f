// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// One of a manager's update streams. Stores the latest value and, if there is a handler, queues values and errors.
///
/// Input is converted and queued on the source's thread. The handler is called on the app's callback executor, one call
/// at a time even on a concurrent queue.
final class SensorStream<Converter: ReadingConverter>: Sendable {
    typealias Handler = StreamHandler<Converter.Value>

    // `@unchecked Sendable` because handlers are not Sendable. The handler is called only on its own executor.
    private struct State: @unchecked Sendable {
        var interval: TimeInterval
        var isStarted = false
        /// The generation of the current subscription. Events from earlier subscriptions are ignored.
        var generation: UInt32 = 0
        var configuration: StreamConfiguration<Converter>
        var converter: Converter
        var handler: Handler?
        /// Delivers queued values and errors to the handler. Created by `start` and then scheduled repeatedly.
        var drain: HandlerDrain?
        var callbacks: PendingMotionCallbacks<Converter.Value>
        var reportedLosses: [SensorKind] = []

        /// Returns the drain if it must be scheduled, or nil if it is already scheduled or the queue is empty.
        mutating func claimDrain() -> HandlerDrain? {
            drain != nil && callbacks.queue.scheduleDrainIfNeeded() ? drain : nil
        }

        mutating func replaceHandler(by new: Handler?, _ newDrain: HandlerDrain?) -> (Handler?, HandlerDrain?) {
            callbacks.reset(acceptsValues: new != nil)
            reportedLosses = []
            return (exchange(&handler, with: new), exchange(&drain, with: newDrain))
        }
    }

    private final class HandlerDrain: Sendable {
        private let executor: any CallbackExecutor
        private let work: @Sendable () -> Void

        init(_ executor: any CallbackExecutor, _ work: @escaping @Sendable () -> Void) {
            (self.executor, self.work) = (executor, work)
        }

        func schedule() { executor.schedule(work) }
    }

    private let device: Device
    private let state: Mutex<State>
    private let subscription = RequestSubscription<UInt32>()

    init(device: Device, configuration: StreamConfiguration<Converter>, interval: TimeInterval, limit: Int = 1024) {
        self.device = device
        state = Mutex(
            State(
                interval: interval, configuration: configuration, converter: configuration.makeConverter(),
                callbacks: PendingMotionCallbacks(limit: limit)))
    }

    // MARK: Properties

    var isAvailable: Bool { state.withLock { $0.configuration.source }.isAvailable() }

    var isActive: Bool { state.withLock { $0.isStarted } && isAvailable }

    var converter: Converter? { state.withLock { $0.isStarted ? $0.converter : nil } }

    var latest: Converter.Value? { state.withLock { $0.callbacks.latest } }

    var droppedCount: Int { state.withLock { $0.callbacks.queue.droppedCount } }

    var interval: TimeInterval {
        get { state.withLock { $0.interval } }
        set {
            let hasChanged = state.withLock { state in
                let former = UpdateInterval.effective(state.interval)
                state.interval = newValue
                guard state.isStarted, UpdateInterval.effective(newValue) != former else { return false }
                state.generation &+= 1
                return true
            }
            if hasChanged { updateSubscription() }
        }
    }

    // MARK: Starting and stopping

    /// Starts updates, or continues them with a different handler or configuration. If there is no handler, only the
    /// latest value is stored.
    func start(_ handler: Handler?, configuration: StreamConfiguration<Converter>? = nil) {
        let hasNewConfiguration = configuration != nil
        let configuration = configuration ?? state.withLock { $0.configuration }
        let converter = configuration.makeConverter()
        // The drain retains `self` until `stop()` releases the drain.
        let drain = handler.map { handler in HandlerDrain(handler.executor) { self.drain(handler) } }
        let former = state.withLock { state in
            state.isStarted = true
            state.generation &+= 1
            state.configuration = configuration
            state.converter = converter
            // Discard the latest value if it belongs to a different configuration.
            if hasNewConfiguration { state.callbacks.clearLatest() }
            return state.replaceHandler(by: handler, drain)
        }
        updateSubscription()
        // Releases the app's objects outside the lock, because their deinitializers may stop the manager.
        withExtendedLifetime(former) {}
    }

    /// Stops updates. A handler that is already running on another thread completes.
    func stop() {
        let former = state.withLock { state in
            state.isStarted = false
            state.generation &+= 1
            state.callbacks.clearLatest()
            return state.replaceHandler(by: nil, nil)
        }
        updateSubscription()
        withExtendedLifetime(former) {}
    }

    private func updateSubscription() {
        subscription.update {
            state.withLock { $0.isStarted ? $0.generation : nil }
        } subscribe: { generation in
            let (interval, source, executor) = state.withLock {
                ($0.interval, $0.configuration.source, $0.handler?.executor)
            }
            // The subscription retains `self` until `stop()` cancels the subscription.
            return source.subscribe(UpdateInterval.effective(interval), ExecutorIdentity(executor)) { event in
                self.receive(event, generation)
            }
        }
    }

    // MARK: Events, on the source's thread

    private func receive(_ event: StreamEvent<Converter.Input>, _ generation: UInt32) {
        let drain = state.withLock { state -> HandlerDrain? in
            guard state.isStarted, state.generation == generation else { return nil }
            switch event {
            case .input(let input):
                if state.configuration.source.inputImpliesAvailable { state.reportedLosses = [] }
                state.converter.process(input, into: &state.callbacks)
            case .lost(let kind, let error):
                // A loss is reported only once, even if a new subscription delivers it again.
                guard !state.reportedLosses.contains(kind) else { return nil }
                state.reportedLosses.append(kind)
                state.callbacks.append(.loss(kind, error))
            case .regained(let kind): state.reportedLosses.removeAll { $0 == kind }
            }
            return state.claimDrain()
        }
        drain?.schedule()
    }

    // MARK: Handler calls, on the callback executor

    private func drain(_ handler: Handler) {
        var item: PendingMotionCallbacks<Converter.Value>.Item?
        var nextDrain = continueDrain(of: handler, into: &item, begins: true)
        guard item != nil else { return }
        device.withCurrent {
            while let current = item.take() {
                switch current {
                case .value(let value): handler.handleValue(value)
                case .failure(let error): handler.handleError(error.error)
                }
                // Each iteration checks the state, because the handler may have stopped or restarted the updates.
                nextDrain = continueDrain(of: handler, into: &item)
            }
        }
        nextDrain?.schedule()
    }

    /// Stores the next item in `item`. If the queue is empty, finishes the drain. Returns the drain if it must be
    /// scheduled again, otherwise nil. The item is an inout parameter, because copying large values is measurably slow.
    private func continueDrain(
        of handler: Handler, into item: inout PendingMotionCallbacks<Converter.Value>.Item?, begins: Bool = false
    ) -> HandlerDrain? {
        state.withLock { state in
            guard state.handler === handler else { return nil }
            if begins { state.callbacks.queue.beginDrain() }
            guard !state.callbacks.queue.isDraining else {
                item = state.callbacks.queue.popFirst()
                return nil
            }
            return state.callbacks.queue.finishDrain() ? state.drain : nil
        }
    }
}

extension SensorStream where Converter.Input == MotionBatch {
    convenience init(
        device: Device, kind: SensorKind, interval: TimeInterval, makeConverter: @escaping @Sendable () -> Converter
    ) {
        let configuration = StreamConfiguration(
            source: .sensor(kind, of: device, latency: 0), makeConverter: makeConverter)
        self.init(device: device, configuration: configuration, interval: interval)
    }
}

/// An app's handler and the callback executor on which it is called.
///
/// The type is unchecked Sendable, because handlers are not Sendable but are called only on their executor, one call at
/// a time.
final class StreamHandler<Value>: @unchecked Sendable {
    let executor: any CallbackExecutor
    let handleValue: (Value) -> Void
    let handleError: (any Error) -> Void

    init<Data>(
        _ executor: any CallbackExecutor, _ data: @escaping (Value) -> Data,
        _ handler: @escaping (Data?, (any Error)?) -> Void
    ) {
        self.executor = executor
        handleValue = { handler(data($0), nil) }
        handleError = { handler(nil, $0) }
    }
}
