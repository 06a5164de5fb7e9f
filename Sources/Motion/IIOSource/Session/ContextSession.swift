// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// A context and its thread. Each context has at most one thread, which runs while work is pending.
final class ContextSession: Sendable {
    private enum ThreadPhase {
        case stopped, running
        /// The system could not create a thread. The timer tries again.
        case waiting(ClockTimer)
    }

    private struct State {
        var thread = ThreadPhase.stopped
        /// True if `wakeThread` was called since the thread's current pass began.
        var isWakeRequested = false
        var wantsDiscovery = false
        var hasDiscovered = false
        var presentDevices: [String]?
        var waiters: [BinarySemaphore] = []
        var sensors: [SensorDescription.ID] = []
        var problem: DeviceError?
        var lastLoggedProblem: String?
        var loggedRemarks: Set<String> = []
        var abandoned: [DeviceReader] = []
        /// Before this time, callers do not wait for discovery, because the context was unreachable.
        var nextDiscovery: BootTime?

        var isRunning: Bool { if case .running = thread { true } else { false } }
    }

    let address: MotionSourceAddress
    let index: Int
    let dependencies: IIOSourceDependencies
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
    /// system cannot create a thread, the sensors become unavailable, and a timer tries again.
    func wakeThread(hub: MotionHub, catalog: SensorCatalog, owner: any AnyObject & Sendable) {
        let isNeeded = isNeeded(hub)
        let former = state.withLock { state -> ThreadPhase? in
            state.isWakeRequested = true
            guard !state.isRunning, isNeeded else { return nil }
            return exchange(&state.thread, with: .running)
        }
        semaphore.signal()
        guard former != nil else { return }
        do throws(DeviceError) {
            try dependencies.spawn { withExtendedLifetime(owner) { self.run(hub: hub, catalog: catalog) } }
        } catch {
            let time = dependencies.clock.now.advanced(bySeconds: dependencies.options.maximumRetryDelay)
            state.withLock { state in
                // Created with the lock held, so that the timer cannot fire before the phase is set.
                state.thread = .waiting(
                    dependencies.clock.timer(at: time) { self.wakeThread(hub: hub, catalog: catalog, owner: owner) })
            }
            finishDiscovery(error)
            for sensor in sensors { hub.setStatus(.unavailable(error), of: sensor) }
        }
    }

    /// Returns a semaphore that is signaled when discovery ends, or nil if the caller should not wait.
    func requestDiscovery() -> BinarySemaphore? {
        let present = dependencies.library.devices(at: address)
        let now = dependencies.clock.now
        return state.withLock { state in
            if state.hasDiscovered, state.isRunning { return nil }
            if let present {
                if state.presentDevices == present { return nil }
            } else if state.hasDiscovered || state.nextDiscovery.map({ now < $0 }) ?? false {
                // A caller must not wait for a server that has just failed.
                return nil
            }
            state.wantsDiscovery = true
            let waiter = BinarySemaphore()
            state.waiters.append(waiter)
            return waiter
        }
    }

    func finishDiscovery(_ problem: DeviceError?, sensors: [SensorDescription.ID]? = nil, presence: [String]? = nil) {
        let now = dependencies.clock.now
        let waiters = state.withLock { state in
            state.wantsDiscovery = false
            state.problem = problem
            if problem == nil { state.lastLoggedProblem = nil }
            state.presentDevices = presence
            state.hasDiscovered = problem == nil
            state.nextDiscovery = problem == nil ? nil : now.advanced(bySeconds: dependencies.options.maximumRetryDelay)
            if let sensors { state.sensors = sensors }
            return exchange(&state.waiters, with: [])
        }
        for waiter in waiters { waiter.signal() }
    }

    // MARK: The thread

    private func run(hub: MotionHub, catalog: SensorCatalog) {
        let supervisor = ContextSupervisor(session: self, hub: hub, catalog: catalog)
        while true {
            state.withLock { $0.isWakeRequested = false }
            if let deadline = supervisor.performPass() {
                semaphore.wait(until: deadline, clock: dependencies.clock)
                continue
            }
            // Without subscribers, the status of unavailable sensors becomes unknown.
            for sensor in sensors { hub.setStatus(.unknown, of: sensor) }
            let isFinished = state.withLock { state -> Bool in
                // If a caller has requested work in the meantime, keep the thread running to do it.
                guard !state.isWakeRequested, !state.wantsDiscovery else { return false }
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

struct IIOSourceDependencies: Sendable {
    let library: any IIOLibrary
    let clock: any DeviceClock
    let settings: [SensorSetting]
    let options: IIOSourceOptions
    let spawn: WorkerThread.Spawn
    let watch = DeviceWatch()
}

final class DeviceWatch: Sendable {
    private let on = Atomic<Bool>(false)

    var isOn: Bool { on.load(ordering: .relaxed) }

    func set(_ isOn: Bool) { on.store(isOn, ordering: .relaxed) }
}
