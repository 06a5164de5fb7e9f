// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// One context: keeps at most one thread for it, which runs while there is something to do.
final class ContextSession: Sendable {
    private struct State {
        var isRunning = false
        /// Something has changed since the thread looked.
        var isCalled = false
        var wantsDiscovery = false
        var hasDiscovered = false
        /// The names of devices when they were last looked at.
        var presence: [String]?
        var waiters: [Bell] = []
        var sensors: [SensorDescription.ID] = []
        var problem: DeviceError?
        var saidProblem: String?
        var saidRemarks: Set<String> = []
        /// Readers whose threads did not come back.
        var abandoned: [DeviceReader] = []
        /// Nobody has to wait for a look before.
        var retryAt: BootTime?
    }

    let address: MotionSourceAddress
    /// The place of the context among those of the source.
    let index: Int
    let parts: SourceParts
    let bell = Bell()
    private let state = Mutex(State())

    init(address: MotionSourceAddress, index: Int, parts: SourceParts) {
        self.address = address
        self.index = index
        self.parts = parts
    }

    /// Why the context could not be opened when it was tried last; nil when it could.
    var problem: DeviceError? { state.withLock { $0.problem } }

    /// The sensors that have been found when it could be opened last.
    var sensors: [SensorDescription.ID] { state.withLock { $0.sensors } }

    /// True when the hub wants something of this context.
    func isNeeded(_ hub: MotionHub) -> Bool {
        if hub.isMissingSensor { return true }
        let (sensors, wantsDiscovery) = state.withLock { ($0.sensors, $0.wantsDiscovery) }
        return wantsDiscovery || sensors.contains { hub.demand(of: $0) != nil }
    }

    /// Lets the thread look at what is wanted; starts it when there is none and it is needed. The thread keeps the owner,
    /// which passes on what subscribers want.
    func call(hub: MotionHub, catalog: Catalog, owner: any AnyObject & Sendable) {
        let needed = isNeeded(hub)
        let starts = state.withLock { state -> Bool in
            state.isCalled = true
            guard !state.isRunning, needed else { return false }
            state.isRunning = true
            return true
        }
        bell.ring()
        guard starts else { return }
        do throws(DeviceError) {
            try parts.spawn { withExtendedLifetime(owner) { self.run(hub: hub, catalog: catalog) } }
        } catch {
            state.withLock { state in
                state.isRunning = false
                state.problem = error
            }
            finishDiscovery(error)
            for sensor in sensors { hub.setStatus(.unavailable(error), of: sensor) }
        }
    }

    /// Asks for a look at the devices; the bell rings when it has been taken. Nil when the last look will do.
    func requestDiscovery() -> Bell? {
        let present = parts.library.devices(at: address)
        let now = parts.clock.now
        return state.withLock { state in
            if state.hasDiscovered, state.isRunning { return nil }
            if let present {
                if state.presence == present { return nil }
            } else if state.hasDiscovered || state.retryAt.map({ now < $0 }) ?? false {
                // A server that has just failed is not waited for again.
                return nil
            }
            state.wantsDiscovery = true
            let waiter = Bell()
            state.waiters.append(waiter)
            return waiter
        }
    }

    // MARK: The thread

    private func run(hub: MotionHub, catalog: Catalog) {
        let supervisor = ContextSupervisor(session: self, hub: hub, catalog: catalog)
        while true {
            state.withLock { $0.isCalled = false }
            if let deadline = supervisor.step() {
                bell.wait(until: deadline, clock: parts.clock)
                continue
            }
            // Without subscribers, nothing is known of sensors that could not be reached.
            for sensor in sensors { hub.setStatus(.unknown, of: sensor) }
            let leaves = state.withLock { state -> Bool in
                // Whoever called meanwhile counts on this thread.
                guard !state.isCalled, !state.wantsDiscovery else { return false }
                state.isRunning = false
                return true
            }
            if leaves { return }
        }
    }

    /// True while somebody waits for a look at the devices.
    var wantsDiscovery: Bool { state.withLock { $0.wantsDiscovery } }

    /// True when the problem is another one than last time.
    func isNews(_ problem: DeviceError) -> Bool {
        state.withLock { state in
            defer { state.saidProblem = problem.message }
            return state.saidProblem != problem.message
        }
    }

    /// True when the remark has not been made before.
    func isNews(remark: String) -> Bool {
        state.withLock { state in
            if state.saidRemarks.count >= 256 { state.saidRemarks.removeAll() }
            return state.saidRemarks.insert(remark).inserted
        }
    }

    /// How many threads that did not come back are still away.
    var abandonedCount: Int {
        state.withLock { state in
            state.abandoned.removeAll { $0.isEnded }
            return state.abandoned.count
        }
    }

    /// Leaves a thread to itself.
    func abandon(_ reader: DeviceReader) { state.withLock { $0.abandoned.append(reader) } }

    /// The devices have been looked at.
    func finishDiscovery(_ problem: DeviceError?, sensors: [SensorDescription.ID]? = nil, presence: [String]? = nil) {
        let now = parts.clock.now
        let waiters = state.withLock { state in
            state.wantsDiscovery = false
            state.problem = problem
            if problem == nil { state.saidProblem = nil }
            state.presence = presence
            // One that could not be opened is looked at again when somebody asks.
            state.hasDiscovered = problem == nil
            state.retryAt = problem == nil ? nil : now.advanced(bySeconds: parts.options.lastRetry)
            if let sensors { state.sensors = sensors }
            return exchange(&state.waiters, with: [])
        }
        for waiter in waiters { waiter.ring() }
    }
}

/// What all the work of a source is done with.
struct SourceParts: Sendable {
    let library: any IIOLibrary
    let clock: any DeviceClock
    let settings: [SensorSetting]
    let options: IIOSourceOptions
    /// Starts a thread.
    let spawn: @Sendable (_ body: @escaping @Sendable () -> Void) throws(DeviceError) -> Void
    /// Whether somebody says when devices of this machine come or go.
    let watch = DeviceWatch()
}

/// Whether somebody says when devices of this machine come or go.
final class DeviceWatch: Sendable {
    private let on = Atomic<Bool>(false)

    var isOn: Bool { on.load(ordering: .relaxed) }

    func set(_ isOn: Bool) { on.store(isOn, ordering: .relaxed) }
}
