// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import Synchronization
import SystemCalls
import Trace

struct AttachedAccessory {
    let id: Int
    let ports: [(name: String, port: any SimulatedPort)]
    let announcementPath: String
}

enum SimulatorCommand: Sendable {
    case attach(TransferBox<AttachedAccessory>)
    case detach(Int, DetachMode, done: BinarySemaphore?)
    case setInputPaused(Int, Bool, done: BinarySemaphore)

    func notifyWaiter() {
        switch self {
        case .detach(_, _, let done): done?.signal()
        case .setInputPaused(_, _, let done): done.signal()
        case .attach: break
        }
    }
}

typealias SimulatorState = SharedServerState<SimulatorContent>

/// The state that the server's thread shares with other threads.
struct SimulatorContent: SharedServerContent {
    let openings = OpenWatcher()
    var commands: [SimulatorCommand] = []
    var attached: [Int: SimulatedTraffic] = [:]
    var isStopped = false
    var hasEnded = false

    mutating func drainCommands() -> [SimulatorCommand] {
        defer { commands = [] }
        return commands
    }
}

extension SimulatorState {
    convenience init() throws(DeviceError) { try self.init(for: "the accessory simulator") }

    var openings: OpenWatcher { content.withLock { $0.openings } }

    func add(_ command: SimulatorCommand) {
        let isAccepted = content.withLock { content in
            if !content.hasEnded { content.commands.append(command) }
            return !content.hasEnded
        }
        if isAccepted { wakeUp.signal() } else { command.notifyWaiter() }
    }

    /// Rejects further commands and wakes the threads waiting for pending commands.
    func end() {
        let rest = content.withLock { content in
            content.hasEnded = true
            return content.drainCommands()
        }
        for command in rest { command.notifyWaiter() }
    }
}

/// The main loop of a simulator's thread. It waits for events and deadlines, and transfers bytes.
final class SimulatorLoop: ServiceLoop {
    /// The maximum time, in seconds, that a closing port or a retained session waits for the remaining bytes to be
    /// read.
    private static let closingTimeout = 10.0
    private let state: SimulatorState
    private let clock = LiveClock()
    private var accessories: [Int: AttachedAccessory] = [:]
    /// The semaphores to signal when an accessory has been detached, keyed by the accessory's identifier.
    private var detachWaiters: [Int: [BinarySemaphore]] = [:]
    /// Sessions whose program has disconnected but whose peer has not yet received all bytes.
    private var sessions: [(session: AccessoryPeerSession, until: BootTime)] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    init(state: SimulatorState) { self.state = state }

    deinit { buffer.deallocate() }

    func run() {
        var pollSet = PollSet(wakeUp: state.wakeUp, clock: clock)
        // The element at index i belongs to `pollSet[i + 1]`. `pollSet[0]` is the descriptor of `openings`.
        var owners: [(accessory: Int, portIndex: Int)] = []
        var ready: [Int: [Int: Int16]] = [:]
        while true {
            if executeCommands() { break }
            serve(ready)
            state.notifyWaiters()
            ready.removeAll(keepingCapacity: true)
            owners.removeAll(keepingCapacity: true)
            // No event reports that a retained session has ended, so these sessions are checked every 20 ms.
            pollSet.begin(deadline: sessions.isEmpty ? .never : clock.now.advanced(bySeconds: 0.02))
            pollSet.add(state.openings.descriptor)
            for (id, accessory) in accessories {
                for (portIndex, entry) in accessory.ports.enumerated() where !entry.port.isClosed {
                    pollSet.expire(at: entry.port.deadline)
                    guard let interest = entry.port.pollDescriptor else { continue }
                    pollSet.add(interest)
                    owners.append((id, portIndex))
                }
            }
            pollSet.wait()
            if pollSet[0] != 0 { state.openings.drain() }
            for (index, owner) in owners.enumerated() where pollSet[index + 1] != 0 {
                ready[owner.accessory, default: [:]][owner.portIndex] = pollSet[index + 1]
            }
        }
        for accessory in accessories.values { finish(accessory) }
        for entry in sessions { entry.session.end() }
        state.end()
        state.notifyWaiters()
    }

    private func executeCommands() -> Bool {
        let (commands, isStopped) = state.content.withLock { ($0.drainCommands(), $0.isStopped) }
        for command in commands {
            switch command {
            case .attach(let box): if let accessory = box.take() { accessories[accessory.id] = accessory }
            case .detach(let id, let mode, let done): detach(id, mode, done)
            case .setInputPaused(let id, let isPaused, let done):
                for entry in accessories[id]?.ports ?? [] { entry.port.isInputPaused = isPaused }
                done.signal()
            }
        }
        return isStopped
    }

    private func detach(_ id: Int, _ mode: DetachMode, _ done: BinarySemaphore?) {
        guard let accessory = accessories[id] else {
            done?.signal()
            return
        }
        detachWaiters[id, default: []] += done.map { [$0] } ?? []
        switch mode {
        case .immediately: finish(accessory)
        case .afterReading:
            let deadline = clock.now.advanced(bySeconds: Self.closingTimeout)
            for entry in accessory.ports { entry.port.beginClosing(deadline: deadline) }
        }
    }

    /// Removes the announcement of an accessory, then closes its ports.
    private func finish(_ accessory: AttachedAccessory) {
        unlink(accessory.announcementPath)
        for entry in accessory.ports {
            if let session = entry.port.programSession?.session { retainSession(session) }
            entry.port.close()
        }
        accessories[accessory.id] = nil
        state.content.withLock { $0.attached[accessory.id] = nil }
        for semaphore in detachWaiters.removeValue(forKey: accessory.id) ?? [] { semaphore.signal() }
    }

    private func retainSession(_ session: AccessoryPeerSession) {
        sessions.append((session, clock.now.advanced(bySeconds: Self.closingTimeout)))
    }

    private func serve(_ ready: [Int: [Int: Int16]]) {
        let now = clock.now
        sessions.removeAll { entry in
            if !entry.session.hasEnded, entry.until <= now { entry.session.end() }
            return entry.session.hasEnded || entry.until <= now
        }
        for accessory in Array(accessories.values) {
            let id = accessory.id
            let context = PortContext(
                buffer: buffer, clock: clock, now: now, setNeedsService: { [wakeUp = state.wakeUp] in wakeUp.signal() },
                unplug: { [weak state] in state?.add(.detach(id, .immediately, done: nil)) },
                retain: { session in self.retainSession(session) })
            var traffic = SimulatedTraffic()
            // An accessory is detached once all of its ports are closed. If it has no ports, it remains attached.
            var isGone = !accessory.ports.isEmpty
            for (portIndex, entry) in accessory.ports.enumerated() where !entry.port.isClosed {
                entry.port.serve(revents: ready[id]?[portIndex] ?? 0, context: context)
                isGone = isGone && entry.port.isClosed
            }
            for entry in accessory.ports { traffic.add(entry.port) }
            if isGone { finish(accessory) } else { state.content.withLock { $0.attached[id] = traffic } }
        }
    }
}
