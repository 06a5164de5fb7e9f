// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import Synchronization
import SystemCalls
import Trace

/// An announced accessory with its ports.
struct AttachedAccessory {
    let id: Int
    let ports: [(name: String, port: any SimulatedPort)]
    let file: String
}

/// A command for the server's thread.
enum SimulatorCommand: Sendable {
    case attach(Handover<AttachedAccessory>)
    case detach(Int, SimulatedUnplug, done: Bell?)
    case hold(Int, Bool, done: Bell)

    /// Wakes the thread that waits for the command.
    func isOver() {
        switch self {
        case .detach(_, _, let done): done?.ring()
        case .hold(_, _, let done): done.ring()
        case .attach: break
        }
    }
}

typealias SimulatorState = ServedState<SimulatorContent>

/// The state that the server's thread shares with other threads.
struct SimulatorContent: ServedContent {
    let openings = OpeningWatch()
    var commands: [SimulatorCommand] = []
    var attached: [Int: SimulatedTraffic] = [:]
    var isStopped = false
    /// True if the thread executes no more commands.
    var hasEnded = false

    mutating func takeCommands() -> [SimulatorCommand] {
        defer { commands = [] }
        return commands
    }
}

extension SimulatorState {
    convenience init() throws(DeviceError) { try self.init(for: "the accessory simulator") }

    var openings: OpeningWatch { content.withLock { $0.openings } }

    func add(_ command: SimulatorCommand) {
        let isTaken = content.withLock { content in
            if !content.hasEnded { content.commands.append(command) }
            return !content.hasEnded
        }
        if isTaken { wakeUp.signal() } else { command.isOver() }
    }

    /// Rejects further commands and wakes the threads that wait for pending ones.
    func end() {
        let rest = content.withLock { content in
            content.hasEnded = true
            return content.takeCommands()
        }
        for command in rest { command.isOver() }
    }
}

/// The work of a simulator's thread: waits for descriptors and deadlines, and transfers bytes.
final class SimulatorLoop: ServiceLoop {
    /// The maximum time that a port waits for its program to read before it closes, in seconds.
    private static let longestLeave = 10.0

    private let state: SimulatorState
    private let clock: LiveClock
    private var accessories: [Int: AttachedAccessory] = [:]
    /// The accessories being detached, with the threads that wait for this.
    private var leaving: [Int: [Bell]] = [:]
    /// Sessions without a program whose peers have not received all bytes yet.
    private var sessions: [(session: AccessoryPeerSession, until: BootTime)] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    init(state: SimulatorState, clock: LiveClock) {
        self.state = state
        self.clock = clock
    }

    deinit { buffer.deallocate() }

    func run() {
        var pollSet = PollSet(wakeUp: state.wakeUp, clock: clock)
        var owners: [(accessory: Int, place: Int)] = []
        var ready: [Int: [Int: Int16]] = [:]
        while true {
            if obey() { break }
            serve(ready)
            state.tell()
            ready.removeAll(keepingCapacity: true)
            owners.removeAll(keepingCapacity: true)
            pollSet.begin(deadline: sessions.isEmpty ? .never : clock.now.advanced(bySeconds: 0.02))
            pollSet.add(state.openings.descriptor)
            for (id, accessory) in accessories {
                for (place, entry) in accessory.ports.enumerated() where !entry.port.isClosed {
                    pollSet.expire(at: entry.port.deadline)
                    guard let interest = entry.port.interest else { continue }
                    pollSet.add(interest)
                    owners.append((id, place))
                }
            }
            pollSet.wait()
            if pollSet[0] != 0 { state.openings.drain() }
            for (index, owner) in owners.enumerated() where pollSet[index + 1] != 0 {
                ready[owner.accessory, default: [:]][owner.place] = pollSet[index + 1]
            }
        }
        for accessory in accessories.values { finish(accessory) }
        for entry in sessions { entry.session.end() }
        state.end()
        state.tell()
    }

    /// Executes pending commands. Returns true if the thread must end.
    private func obey() -> Bool {
        let (commands, isStopped) = state.content.withLock { ($0.takeCommands(), $0.isStopped) }
        for command in commands {
            switch command {
            case .attach(let box): if let accessory = box.take() { accessories[accessory.id] = accessory }
            case .detach(let id, let how, let done): detach(id, how, done)
            case .hold(let id, let isHeld, let done):
                for entry in accessories[id]?.ports ?? [] { entry.port.isInputHeld = isHeld }
                done.ring()
            }
        }
        return isStopped
    }

    private func detach(_ id: Int, _ how: SimulatedUnplug, _ done: Bell?) {
        guard let accessory = accessories[id] else {
            done?.ring()
            return
        }
        leaving[id, default: []] += done.map { [$0] } ?? []
        switch how {
        case .atOnce: finish(accessory)
        case .afterReading:
            let deadline = clock.now.advanced(bySeconds: Self.longestLeave)
            for entry in accessory.ports { entry.port.leave(until: deadline) }
        }
    }

    /// Removes an accessory: first its announcement, then its ports. For real devices, the udev event can precede or
    /// follow the hang-up.
    private func finish(_ accessory: AttachedAccessory) {
        unlink(accessory.file)
        for entry in accessory.ports {
            if let session = entry.port.conversation?.session { keep(session) }
            entry.port.close()
        }
        accessories[accessory.id] = nil
        state.content.withLock { $0.attached[accessory.id] = nil }
        for bell in leaving.removeValue(forKey: accessory.id) ?? [] { bell.ring() }
    }

    private func keep(_ session: AccessoryPeerSession) {
        sessions.append((session, clock.now.advanced(bySeconds: Self.longestLeave)))
    }

    private func serve(_ ready: [Int: [Int: Int16]]) {
        let now = clock.now
        sessions.removeAll { entry in
            if !entry.session.isOver, entry.until <= now { entry.session.end() }
            return entry.session.isOver || entry.until <= now
        }
        for accessory in Array(accessories.values) {
            let id = accessory.id
            let context = PortContext(
                buffer: buffer, clock: clock, now: now, changed: { [wakeUp = state.wakeUp] in wakeUp.signal() },
                unplug: { [weak state] in state?.add(.detach(id, .atOnce, done: nil)) },
                keep: { session in self.keep(session) })
            var traffic = SimulatedTraffic()
            // An accessory without ports cannot be removed by closing them.
            var isGone = !accessory.ports.isEmpty
            for (place, entry) in accessory.ports.enumerated() where !entry.port.isClosed {
                entry.port.serve(revents: ready[id]?[place] ?? 0, context: context)
                isGone = isGone && entry.port.isClosed
            }
            for entry in accessory.ports { traffic.add(entry.port) }
            if isGone {
                finish(accessory)
            } else {
                state.content.withLock { $0.attached[id] = traffic }
            }
        }
    }
}
