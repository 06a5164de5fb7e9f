// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// A context and its thread. Each context has at most one thread, which runs while work is pending.
final class ContextSession: Sendable {
    /// The phase of the context's thread.
    ///
    /// ```
    /// stopped ── `wakeThread` is called, and the context is needed ──▶ running
    /// waiting ── `wakeThread` is called, also by the timer ──▶ running
    /// running ── the system could not create the thread ──▶ creationFailed
    /// creationFailed ── the subscribers were notified ──▶ waiting
    /// running ── no work is left, and no wake or discovery was requested during this pass ──▶ stopped
    /// ```
    private enum ThreadPhase {
        case stopped
        /// True if `wakeThread` has been called since the thread's current pass began.
        case running(isWakeRequested: Bool)
        /// The system could not create a thread, and the subscribers are being notified.
        case creationFailed
        /// The timer will try again to create a thread.
        case waiting(ClockTimer)
    }

    /// The result of the last discovery, which is kept while another one is pending. `presence` lists the devices
    /// present before the discovery, or is nil if they could not be listed, as on a server.
    ///
    /// ```
    /// any ── the context was opened ──▶ succeeded
    /// any ── the context could not be opened, or no thread could be created ──▶ failed
    /// ```
    private enum Discovery {
        case notAttempted
        case succeeded(presence: [String]?)
        /// If the devices cannot be listed, callers do not request another discovery until `retryTime`.
        case failed(DeviceError, presence: [String]?, retryTime: BootTime)
    }

    private struct State {
        var thread = ThreadPhase.stopped
        var discovery = Discovery.notAttempted
        /// The semaphores of callers waiting for the requested discovery. Empty if no discovery is requested.
        var waiters: [BinarySemaphore] = []
        var sensors: [SensorDescription.ID] = []
        var lastLoggedProblem: String?
        var loggedRemarks: Set<String> = []
        var abandoned: [DeviceReader] = []

        var isRunning: Bool { if case .running = thread { true } else { false } }
        var wantsDiscovery: Bool { !waiters.isEmpty }
        var problem: DeviceError? { if case .failed(let problem, _, _) = discovery { problem } else { nil } }
    }

    let address: MotionSourceAddress
    /// The index of the context in the `SensorCatalog`.
    let index: Int
    let dependencies: IIOSourceDependencies
    /// The thread waits for this semaphore between passes. `wakeThread` and the reader threads signal it.
    let semaphore = BinarySemaphore()
    private let state = Mutex(State())

    init(address: MotionSourceAddress, index: Int, dependencies: IIOSourceDependencies) {
        self.address = address
        self.index = index
        self.dependencies = dependencies
    }

    var problem: DeviceError? { state.withLock { $0.problem } }
    var sensors: [SensorDescription.ID] { state.withLock { $0.sensors } }

    func isNeeded(_ hub: MotionHub) -> Bool {
        if hub.isMissingSensor { return true }
        let (sensors, wantsDiscovery) = state.withLock { ($0.sensors, $0.wantsDiscovery) }
        return wantsDiscovery || sensors.contains { hub.demand(of: $0) != nil }
    }

    /// Wakes the thread. If no thread is running and the context is needed, starts one, which retains `owner`. If the
    /// system cannot create a thread, the sensors become unavailable, and a timer tries again. The timer does so even
    /// if the context is no longer needed, because the thread resets the sensors' status before it ends.
    func wakeThread(hub: MotionHub, catalog: SensorCatalog, owner: any AnyObject & Sendable) {
        let isNeeded = isNeeded(hub)
        // Returns the former phase, so that its timer is released outside the lock.
        let former = state.withLock { state -> ThreadPhase? in
            switch state.thread {
            case .running:
                state.thread = .running(isWakeRequested: true)
                return nil
            case .creationFailed: return nil
            case .stopped where !isNeeded: return nil
            case .stopped, .waiting: return exchange(&state.thread, with: .running(isWakeRequested: false))
            }
        }
        semaphore.signal()
        guard former != nil else { return }
        do throws(DeviceError) {
            try dependencies.spawn { withExtendedLifetime(owner) { self.run(hub: hub, catalog: catalog) } }
        } catch {
            // No other thread can start while the error is published. Otherwise, the error could replace newer results.
            state.withLock { $0.thread = .creationFailed }
            for sensor in sensors { hub.setStatus(.unavailable(error), of: sensor) }
            finishDiscovery(error)
            let time = dependencies.clock.now.advanced(bySeconds: dependencies.options.maximumRetryDelay)
            state.withLock { state in
                // The timer is created with the lock held, so that it cannot fire before the phase is set.
                state.thread = .waiting(
                    dependencies.clock.timer(at: time) { self.wakeThread(hub: hub, catalog: catalog, owner: owner) })
            }
        }
    }

    /// Requests a discovery, which the next call to `wakeThread` starts. Returns a semaphore that is signaled when the
    /// discovery ends, or nil if none is needed or the caller should not wait.
    func requestDiscovery() -> BinarySemaphore? {
        let present = dependencies.library.devices(at: address)
        let now = dependencies.clock.now
        return state.withLock { state -> BinarySemaphore? in
            // A subscriber that is being notified must not wait, because the discovery fails on the same thread.
            if case .creationFailed = state.thread { return nil }
            // Only local devices can be listed. A caller must not wait for a server that has just failed.
            switch state.discovery {
            case .succeeded(let presence) where state.isRunning || present == nil || present == presence: return nil
            case .failed(_, let presence, let retryTime) where present.map({ $0 == presence }) ?? (now < retryTime):
                return nil
            case .notAttempted, .succeeded, .failed: break
            }
            let waiter = BinarySemaphore()
            state.waiters.append(waiter)
            return waiter
        }
    }

    func finishDiscovery(_ problem: DeviceError?, sensors: [SensorDescription.ID]? = nil, presence: [String]? = nil) {
        let now = dependencies.clock.now
        let waiters = state.withLock { state in
            if let problem {
                let retryTime = now.advanced(bySeconds: dependencies.options.maximumRetryDelay)
                state.discovery = .failed(problem, presence: presence, retryTime: retryTime)
            } else {
                state.discovery = .succeeded(presence: presence)
                state.lastLoggedProblem = nil
            }
            if let sensors { state.sensors = sensors }
            return exchange(&state.waiters, with: [])
        }
        for waiter in waiters { waiter.signal() }
    }

    // MARK: Used only on the thread

    private func run(hub: MotionHub, catalog: SensorCatalog) {
        let supervisor = ContextSupervisor(session: self, hub: hub, catalog: catalog)
        while true {
            state.withLock { $0.thread = .running(isWakeRequested: false) }
            if let deadline = supervisor.performPass() {
                semaphore.wait(until: deadline, clock: dependencies.clock)
                continue
            }
            // Without subscribers, the status of unavailable sensors becomes unknown. It is set before another thread
            // can start and set a newer status.
            for sensor in sensors { hub.setStatus(.unknown, of: sensor) }
            let isFinished = state.withLock { state -> Bool in
                guard case .running(isWakeRequested: false) = state.thread, !state.wantsDiscovery else { return false }
                state.thread = .stopped
                return true
            }
            if isFinished { return }
        }
    }

    var wantsDiscovery: Bool { state.withLock { $0.wantsDiscovery } }

    func recordIfNew(_ problem: DeviceError) -> Bool {
        state.withLock { state in
            defer { state.lastLoggedProblem = problem.message }
            return state.lastLoggedProblem != problem.message
        }
    }

    func recordIfNew(remark: String) -> Bool {
        state.withLock { state in
            if state.loggedRemarks.count >= 256 { state.loggedRemarks.removeAll() }
            return state.loggedRemarks.insert(remark).inserted
        }
    }

    var abandonedCount: Int {
        state.withLock { state in
            state.abandoned.removeAll { $0.isEnded }
            return state.abandoned.count
        }
    }

    func abandon(_ reader: DeviceReader) { state.withLock { $0.abandoned.append(reader) } }
}

/// A source's configuration and its access to the system, shared by all of its contexts.
struct IIOSourceDependencies: Sendable {
    let library: any IIOLibrary
    let clock: any DeviceClock
    let settings: [SensorSetting]
    let options: IIOSourceOptions
    let spawn: WorkerThread.Spawn
    let watch = DeviceWatch()
}

/// Records whether the source is notified of added and removed local devices. If so, it searches less frequently.
final class DeviceWatch: Sendable {
    private let on = Atomic<Bool>(false)

    var isOn: Bool { on.load(ordering: .relaxed) }

    func set(_ isOn: Bool) { on.store(isOn, ordering: .relaxed) }
}
