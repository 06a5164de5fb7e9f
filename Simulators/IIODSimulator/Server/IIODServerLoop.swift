// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import Synchronization
import SystemCalls

/// The work of a server's thread: waits for sockets and deadlines, and advances the sessions.
final class IIODServerLoop: ServiceLoop {
    private let shared: SharedWorld
    private let maximumConnections: Int
    private let clock = LiveClock()
    private let door: LoopbackDoor
    private var connections: [Connection] = []
    private var pollSet: PollSet
    private var seenRevision = 0
    private var seenCount = 0
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    init(shared: SharedWorld, wakeUp: WakeUp, listener: LoopbackListener, maximumConnections: Int) {
        self.shared = shared
        pollSet = PollSet(wakeUp: wakeUp, clock: clock)
        door = LoopbackDoor(listener)
        self.maximumConnections = max(1, maximumConnections)
    }

    deinit { buffer.deallocate() }

    func run() {
        // Initial faults take effect before the first client connects.
        var nextFault = clock.now
        while true {
            wait(until: nextFault)
            let now = clock.now
            let (orders, isStopped, hasChanged) = shared.state.withLock { state in
                let hasChanged = state.world.applyFaults(now: now) || state.revision != seenRevision
                seenRevision = state.revision
                return (state.world.faults.takeOrders(), state.isStopped, hasChanged)
            }
            if isStopped { break }
            follow(orders)
            door.letIn(revents: pollSet[0], now: now) { adopt($0) }
            for (place, connection) in connections.enumerated() {
                let events = pollSet[place + 1]
                if events != 0 || hasChanged || connection.deadline <= now {
                    serve(connection, events: events, now: now)
                }
            }
            // A fault that waits for a sample may have added connection actions, and the first use starts the clock of
            // timed faults.
            let (lateOrders, next) = shared.state.withLock { ($0.world.faults.takeOrders(), $0.world.nextFault) }
            follow(lateOrders)
            nextFault = next
            closeEnded()
        }
        for connection in connections { connection.isOver = true }
        closeEnded()
        door.isOpen = false
    }

    private func wait(until fault: BootTime) {
        let now = clock.now
        pollSet.begin(deadline: fault)
        pollSet.add(door.interest(now: now))
        pollSet.expire(at: door.deadline(now: now))
        for connection in connections {
            var events: Int16 = 0
            if !connection.hasEnded, connection.session.takesInput, !connection.isBlocked { events |= Int16(POLLIN) }
            if connection.isBlocked { events |= Int16(POLLOUT) }
            // A half-closed connection is polled only if events are requested. poll(2) would otherwise report it on
            // every call.
            let isWatched = events != 0 || !connection.hasEnded
            pollSet.add(isWatched ? connection.descriptor : nil, events: events)
            pollSet.expire(at: connection.deadline)
        }
        // Samples have to arrive on time.
        pollSet.wait(isPrecise: true)
    }

    private func follow(_ orders: IIODFaultState.Orders) {
        if orders.drops { for connection in connections { connection.abort() } }
        if let isListening = orders.isListening { door.isOpen = isListening }
    }

    private func adopt(_ descriptor: Int32) {
        // A connection beyond the limit is closed when its object is released.
        let connection = Connection(descriptor)
        let current = connections.lazy.filter { !$0.isOver }
        if current.count >= maximumConnections {
            // An idle connection must not prevent a new client from connecting.
            guard let idle = current.first(where: { !$0.hasAsked }) else { return }
            idle.isOver = true
        }
        connections.append(connection)
    }

    private func serve(_ connection: Connection, events: Int16, now: BootTime) {
        guard !connection.isOver else { return }
        if events & Int16(POLLIN | POLLHUP | POLLERR) != 0 { connection.read(through: buffer) }
        if events & Int16(POLLHUP | POLLERR) != 0, connection.hasEnded || !connection.session.takesInput {
            connection.isOver = true
            return
        }
        connection.deadline = .never
        if connection.session.heldUntil > now, !connection.session.output.isEmpty {
            connection.deadline = connection.session.heldUntil
            return
        }
        // The limit gives other clients a chance while one client requests a lot of data.
        for _ in 0..<64 {
            if !connection.session.output.isEmpty {
                connection.write()
                if connection.isBlocked || connection.isOver { return }
            }
            switch shared.state.withLock({ connection.session.advance(&$0.world, now: now) }) {
            case .output:
                guard connection.session.heldUntil <= now else {
                    connection.deadline = connection.session.heldUntil
                    return
                }
            case .input:
                if connection.hasEnded { connection.isOver = true }
                return
            case .time(let deadline):
                // The client cannot request the samples any more.
                if connection.hasEnded { connection.isOver = true }
                connection.deadline = deadline
                return
            case .ended:
                connection.isOver = true
                return
            }
        }
        connection.deadline = now
    }

    private func closeEnded() {
        guard connections.count != seenCount || connections.contains(where: \.isOver) else { return }
        let over = connections.filter(\.isOver)
        connections.removeAll(where: \.isOver)
        let count = connections.count
        seenCount = count
        shared.state.withLock { state in
            state.connectionCount = count
            for connection in over { connection.session.close(&state.world) }
        }
    }
}
