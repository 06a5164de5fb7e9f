// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
import MotionEngine
import SensorFusion
import Synchronization

/// A device's step counter and activity detector, shared by all of its managers.
///
/// While the engine has subscribers, it subscribes to the accelerometer, and to the barometer if a subscriber needs
/// floors. It uses the device's last fix, but never requests fixes. Subscribers receive events in order, on the motion
/// source's threads or on the subscribing thread. A subscriber must not end its subscription while it is handling a
/// loss. The source may report a loss during the call to `subscribe`, while `RequestSubscription` holds its lock, so
/// ending the subscription could cause a deadlock.
final class StepEngine: Sendable {
    private struct State: Sendable {
        var state: StepEngineState
        var subscribers: [StepSubscriber] = []
        var queue = BoundedQueue<QueuedStepEvent>()
        var status = SourceStatus.unknown
        var isLoaded = false
        /// The time when the log was last stored, or the time of the first change if the log has not been stored yet.
        var lastStore: BootTime?

        mutating func post(_ event: StepEvent) {
            for subscriber in subscribers {
                queue.append(QueuedStepEvent(subscriber: subscriber, event: event), limit: 4096)
            }
        }
    }

    /// The interval between log writes, in seconds.
    private static let storeInterval = 300.0
    /// The requested interval between accelerometer readings, in seconds.
    private static let interval = 0.02
    /// The maximum time that readings may be batched, in seconds.
    private static let latency = 0.5
    /// The serial queue on which all engines access their files.
    private static let fileQueue = DispatchQueue(label: "device-services.steps", qos: .utility)
    /// Waits up to five seconds for pending writes when the process exits.
    private static let exitHandler = atexit {
        // A forked child process must not wait, because it has no threads to run the queue.
        guard getpid() == StepEngine.process else { return }
        let isStored = DispatchSemaphore(value: 0)
        StepEngine.fileQueue.async { isStored.signal() }
        _ = isStored.wait(timeout: .now() + 5)
    }
    private static let process = getpid()

    // The engine stores only these parts of the device. The device owns the engine, so storing the device itself would
    // create a reference cycle.
    private let clock: any DeviceClock
    private let motion: any MotionSource
    private let positions: any PositionSource
    private let file: StepLogFile?
    private let state: Mutex<State>
    private let accelerometer = RequestSubscription<MotionRequest>()
    private let barometer = RequestSubscription<MotionRequest>()

    static func of(_ device: Device) -> StepEngine { device.component(StepEngine.self) { StepEngine(device: $0) } }

    init(device: Device, file: StepLogFile? = nil) {
        clock = device.clock
        motion = device.motionSource
        positions = device.positionSource
        self.file = file ?? StepLogFile(of: device)
        state = Mutex(State(state: StepEngineState()))
    }

    // MARK: Subscribers

    /// Delivers the current state immediately, followed by events until the subscription ends.
    func subscribe(_ request: StepRequest, receive: @escaping @Sendable (StepEvent) -> Void) -> Subscription {
        load()
        let subscriber = StepSubscriber(request, receive: receive)
        let (now, wallTime) = (clock.now, clock.wallTime)
        state.withLock { state in
            // Existing subscribers receive the unreported steps and floors. The new subscriber receives them as part of
            // its totals.
            if state.subscribers.isEmpty {
                state.state.start()
            } else {
                state.post(.update(state.state.update(now, wallTime)))
            }
            state.subscribers.append(subscriber)
            let update = state.state.initialUpdate(since: request.start, now: now, wallTime: wallTime)
            state.queue.append(QueuedStepEvent(subscriber: subscriber, event: .update(update)))
            if let error = state.status.error {
                state.queue.append(QueuedStepEvent(subscriber: subscriber, event: .lost(error)))
            }
        }
        updateSubscriptions()
        drain()
        // The strong reference keeps the engine alive until its last subscriber has been removed.
        return Subscription {
            subscriber.cancel()
            self.remove(subscriber)
        }
    }

    private func remove(_ subscriber: StepSubscriber) {
        let wallTime = clock.wallTime
        let isLast = state.withLock { state in
            state.subscribers.removeAll { $0 === subscriber }
            if state.subscribers.isEmpty {
                state.state.stop(at: wallTime)
                state.status = .unknown
            }
            return state.subscribers.isEmpty
        }
        updateSubscriptions()
        if isLast { store() }
    }

    private func updateSubscriptions() {
        accelerometer.update {
            state.withLock(\.subscribers).isEmpty
                ? nil : MotionRequest(kind: .accelerometer, interval: Self.interval, latency: Self.latency)
        } subscribe: { request in
            motion.subscribe(request) {
                self.receive($0)
            } onInputIdle: {
                self.flush()
            }
        }
        let hasBarometer = motion.sensors.contains { $0.kind == .pressure }
        barometer.update {
            hasBarometer && state.withLock(\.subscribers).contains { $0.request.needsFloors }
                ? MotionRequest(kind: .pressure, interval: PressureAverager.readingInterval, latency: Self.latency)
                : nil
        } subscribe: { request in
            motion.subscribe(request) { event in
                if case .samples(let batch) = event { self.state.withLock { $0.state.process(pressures: batch) } }
            }
        }
    }

    // MARK: History

    /// Times are in seconds since 1970.
    func totals(from start: Double, to end: Double) -> StepTotals {
        load()
        return state.withLock { $0.state.log.totals(from: start, to: end) }
    }

    func activities(from start: Double, to end: Double) -> [StepLog.Activity] {
        load()
        return state.withLock { $0.state.log.activities(from: start, to: end) }
    }

    private func load() {
        guard let file, !state.withLock(\.isLoaded) else { return }
        // Problems are logged only after `sync` has returned, because a log handler that queries steps would otherwise
        // deadlock on the queue.
        var problems: [String] = []
        defer { for problem in problems { StepLogFile.log(problem) } }
        Self.fileQueue.sync {
            guard !state.withLock(\.isLoaded) else { return }
            let stored = file.load { problems.append($0) }
            let now = clock.wallTime.seconds
            state.withLock { state in
                state.isLoaded = true
                state.state.restore(stored.log, lengthFactor: stored.lengthFactor, now: now)
            }
        }
    }

    private func store() {
        guard let file else { return }
        // Accesses both static properties to initialize them before the process can fork.
        _ = (Self.process, Self.exitHandler)
        Self.fileQueue.async { [self] in
            let (log, factor, isNew) = state.withLock { state in
                defer { state.state.hasUnstoredChanges = false }
                return (state.state.log, state.state.lengthFactor, state.state.hasUnstoredChanges)
            }
            if isNew { file.store(log, lengthFactor: factor, now: clock.wallTime) }
        }
    }

    // MARK: Motion events, on the source's threads

    private func receive(_ event: MotionEvent) {
        var shouldStore = false
        switch event {
        case .samples(let batch):
            let (now, wallTime, fix) = (clock.now, clock.wallTime, positions.lastFix)
            shouldStore = state.withLock { state in
                if state.status.change(to: .available) { state.post(.regained) }
                state.state.updateSpeed(from: fix, now: now)
                for index in 0..<batch.count {
                    let update = state.state.process(
                        batch.values[index], at: batch.times[index], now: now, wallTime: wallTime)
                    if let update { state.post(.update(update)) }
                }
                // The log is first stored one interval after the first change.
                guard state.state.hasUnstoredChanges else { return false }
                let last = state.lastStore ?? now
                let isDue = now.seconds(since: last) >= Self.storeInterval
                state.lastStore = isDue ? now : last
                return isDue
            }
        case .lost(let error):
            state.withLock { if $0.status.change(to: .unavailable(error)) { $0.post(.lost(error)) } }
        case .regained: state.withLock { if $0.status.change(to: .available) { $0.post(.regained) } }
        }
        if shouldStore { store() }
        drain()
    }

    /// Called when the source has no more readings for now, for example at the end of a trace.
    private func flush() {
        let (now, wallTime) = (clock.now, clock.wallTime)
        state.withLock { state in state.post(.update(state.state.finalUpdate(now: now, wallTime: wallTime))) }
        drain()
    }

    private func drain() { state.drain(\.queue) { $0.subscriber.deliver($0.event) } }
}

enum StepEvent: Sendable {
    case update(StepUpdate)
    indirect case lost(DeviceError)
    case regained
}

private struct QueuedStepEvent: Sendable {
    let subscriber: StepSubscriber
    let event: StepEvent
}

typealias StepSubscriber = EventSubscriber<StepRequest, StepEvent>
