// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
import SensorFusion
import Synchronization

/// The step counter and activity detector of a device, shared by all its managers.
///
/// The engine runs while it has subscribers. It subscribes to the accelerometer at 50 Hz, and to the barometer if a
/// subscriber needs floors and the device has one. It never requests positions; it uses the device's last fix if
/// another part of the app has requested it. Subscribers receive events in order, on the threads of the motion source,
/// with no lock held.
final class StepEngine: Sendable {
    private struct State: Sendable {
        var core: StepCore
        var clients: [StepClient] = []
        var outbox = Outbox<StepDelivery>()
        /// The status of the accelerometer.
        var status = SourceStatus.unknown
        var isLoaded = false
        /// The time at which the log was last stored. Before the first time, the time of the first change.
        var lastStore: BootTime?

        mutating func post(_ event: StepEvent) {
            for client in clients { outbox.append(StepDelivery(client: client, event: event), limit: 4096) }
        }
    }

    /// The interval at which a changed log is stored, in seconds.
    private static let pause = 300.0
    private static let interval = 0.02
    /// The maximum time that readings may be batched, in seconds. Updates are due once a second.
    private static let latency = 0.5
    /// The serial queue on which all engines access their files. Writes are asynchronous.
    private static let disk = DispatchQueue(label: "device-services.steps", qos: .utility)
    /// Registers an exit handler that waits up to five seconds for pending writes.
    private static let storesAtExit = atexit {
        // In the child of a fork, the threads that would run the queue do not exist.
        guard getpid() == StepEngine.process else { return }
        let isStored = DispatchSemaphore(value: 0)
        StepEngine.disk.async { isStored.signal() }
        _ = isStored.wait(timeout: .now() + 5)
    }
    private static let process = getpid()

    // The engine holds no reference to the device, because the device owns the engine.
    private let clock: any DeviceClock
    private let motion: any MotionSource
    private let positions: any PositionSource
    private let file: StepLogFile?
    private let state: Mutex<State>
    private let accelerometer = StandingSubscription<MotionRequest>()
    private let barometer = StandingSubscription<MotionRequest>()

    /// Returns the engine of the device.
    static func of(_ device: Device) -> StepEngine { device.component(StepEngine.self) { StepEngine(device: $0) } }

    init(device: Device, file: StepLogFile? = nil) {
        clock = device.clock
        motion = device.motionSource
        positions = device.positionSource
        self.file = file ?? StepLogFile(of: device)
        state = Mutex(State(core: StepCore()))
    }

    // MARK: Subscribers

    /// Delivers events to the closure until the subscription ends. The current state is delivered immediately.
    func subscribe(_ request: StepRequest, receive: @escaping @Sendable (StepEvent) -> Void) -> Subscription {
        load()
        let client = StepClient(request, receive: receive)
        let (now, wallTime) = (clock.now, clock.wallTime)
        state.withLock { state in
            // Flushes pending counts to the existing subscribers first, because the log, from which the new subscriber
            // receives its totals, already contains them.
            if state.clients.isEmpty { state.core.begin() } else { state.post(.news(state.core.news(now, wallTime))) }
            state.clients.append(client)
            let news = state.core.firstNews(since: request.start, now: now, wallTime: wallTime)
            state.outbox.append(StepDelivery(client: client, event: .news(news)))
            if let error = state.status.error { state.outbox.append(StepDelivery(client: client, event: .lost(error))) }
        }
        adjust()
        handOver()
        // The reference is strong, as in the motion engine: cancelling the last subscription also ends the
        // subscriptions to the sensors.
        return Subscription {
            client.leave()
            self.remove(client)
        }
    }

    private func remove(_ client: StepClient) {
        let wallTime = clock.wallTime
        let isLast = state.withLock { state in
            state.clients.removeAll { $0 === client }
            if state.clients.isEmpty {
                state.core.end(wallTime)
                state.status = .unknown
            }
            return state.clients.isEmpty
        }
        adjust()
        if isLast { store() }
    }

    private func adjust() {
        accelerometer.follow {
            state.withLock(\.clients).isEmpty
                ? nil : MotionRequest(kind: .accelerometer, interval: Self.interval, latency: Self.latency)
        } subscribe: { request in
            motion.subscribe(request) {
                self.receive($0)
            } quiet: {
                self.settle()
            }
        }
        let hasBarometer = motion.sensors.contains { $0.kind == .pressure }
        barometer.follow {
            hasBarometer && state.withLock(\.clients).contains { $0.request.wantsFloors }
                ? MotionRequest(kind: .pressure, interval: MeanPressure.readingInterval, latency: Self.latency) : nil
        } subscribe: { request in
            motion.subscribe(request) { event in
                if case .samples(let batch) = event { self.state.withLock { $0.core.take(pressures: batch) } }
            }
        }
    }

    // MARK: History

    /// Returns the totals between two times, in seconds since 1970.
    func totals(from start: Double, to end: Double) -> StepTotals {
        load()
        return state.withLock { $0.core.log.totals(from: start, to: end) }
    }

    func activities(from start: Double, to end: Double) -> [StepLog.Activity] {
        load()
        return state.withLock { $0.core.log.activities(from: start, to: end) }
    }

    /// Loads the file once.
    private func load() {
        guard let file, !state.withLock(\.isLoaded) else { return }
        // Problems are logged after `sync` returns. A log handler that queries steps would deadlock on the queue.
        var problems: [String] = []
        defer { for problem in problems { StepLogFile.log(problem) } }
        Self.disk.sync {
            guard !state.withLock(\.isLoaded) else { return }
            let stored = file.load { problems.append($0) }
            let now = clock.wallTime.seconds
            state.withLock { state in
                state.isLoaded = true
                state.core.begin(with: stored.log, lengthFactor: stored.lengthFactor, now: now)
            }
        }
    }

    private func store() {
        guard let file else { return }
        _ = (Self.process, Self.storesAtExit)
        Self.disk.async { [self] in
            let (log, factor, isNew) = state.withLock { state in
                defer { state.core.hasNews = false }
                return (state.core.log, state.core.lengthFactor, state.core.hasNews)
            }
            if isNew { file.store(log, lengthFactor: factor, now: clock.wallTime) }
        }
    }

    // MARK: Motion events, on the source's threads

    private func receive(_ event: MotionEvent) {
        var hasToStore = false
        switch event {
        case .samples(let batch):
            let (now, wallTime, fix) = (clock.now, clock.wallTime, positions.lastFix)
            hasToStore = state.withLock { state in
                if state.status.change(to: .available) { state.post(.regained) }
                state.core.look(at: fix, now: now)
                for index in 0..<batch.count {
                    let news = state.core.take(
                        batch.values[index], at: batch.times[index], now: now, wallTime: wallTime)
                    if let news { state.post(.news(news)) }
                }
                // The first store is due one `pause` after the first change.
                guard state.core.hasNews else { return false }
                let last = state.lastStore ?? now
                let isDue = now.seconds(since: last) >= Self.pause
                state.lastStore = isDue ? now : last
                return isDue
            }
        case .lost(let error):
            state.withLock { state in
                if state.status.change(to: .unavailable(error)) { state.post(.lost(error)) }
            }
        case .regained:
            state.withLock { state in
                if state.status.change(to: .available) { state.post(.regained) }
            }
        }
        if hasToStore { store() }
        handOver()
    }

    /// Publishes the final update when the source expects no further readings for now.
    private func settle() {
        let (now, wallTime) = (clock.now, clock.wallTime)
        state.withLock { state in state.post(.news(state.core.lastNews(now: now, wallTime: wallTime))) }
        handOver()
    }

    private func handOver() { state.handOn(\.outbox) { $0.client.tell($0.event) } }
}

/// An event of the step engine.
enum StepEvent: Sendable {
    case news(StepNews)
    /// The accelerometer delivers no readings, for the reason that the error gives.
    indirect case lost(DeviceError)
    case regained
}

/// An event for one subscriber.
private struct StepDelivery: Sendable {
    let client: StepClient
    let event: StepEvent
}

/// A subscriber of the engine.
final class StepClient: Sendable {
    let request: StepRequest
    private let receive: @Sendable (StepEvent) -> Void
    private let isActive = Atomic<Bool>(true)

    init(_ request: StepRequest, receive: @escaping @Sendable (StepEvent) -> Void) {
        self.request = request
        self.receive = receive
    }

    /// Delivers the event unless the subscription has been cancelled.
    func tell(_ event: StepEvent) { if isActive.load(ordering: .acquiring) { receive(event) } }

    func leave() { isActive.store(false, ordering: .releasing) }
}
