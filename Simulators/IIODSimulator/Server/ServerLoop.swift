// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import Synchronization
import SystemCalls

/// The thread of a server: waits for sockets and times, and lets sessions work.
final class ServerLoop: ServiceLoop {
    private let shared: SharedWorld
    private let wakeUp: WakeUp
    private let maximumConnections: Int
    private let clock = LiveClock()
    private let door: LoopbackDoor
    private var connections: [Connection] = []
    private var descriptors: [pollfd] = []
    private var seenRevision = 0
    private var seenCount = 0
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    init(shared: SharedWorld, wakeUp: WakeUp, listener: LoopbackListener, maximumConnections: Int) {
        self.shared = shared
        self.wakeUp = wakeUp
        door = LoopbackDoor(listener)
        self.maximumConnections = max(1, maximumConnections)
    }

    deinit { buffer.deallocate() }

    func run() {
        // What is wrong from the start is so before the first client comes.
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
            door.letIn(revents: descriptors[1].revents, now: now) { adopt($0) }
            for (place, connection) in connections.enumerated() {
                let events = place + 2 < descriptors.count ? descriptors[place + 2].revents : 0
                if events != 0 || hasChanged || connection.deadline <= now {
                    serve(connection, events: events, now: now)
                }
            }
            // Faults that wait for a sample may have given orders, and a first use starts the clock of the others.
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
        descriptors.removeAll(keepingCapacity: true)
        descriptors.append(pollfd(fd: wakeUp.readEnd, events: Int16(POLLIN), revents: 0))
        let now = clock.now
        descriptors.append(door.interest(now: now))
        var deadline = min(fault, door.deadline(now: now))
        for connection in connections {
            var events: Int16 = 0
            if !connection.hasEnded, connection.session.takesInput, !connection.isBlocked { events |= Int16(POLLIN) }
            if connection.isBlocked { events |= Int16(POLLOUT) }
            // A client that has sent its end would be reported again and again.
            let isWatched = events != 0 || !connection.hasEnded
            descriptors.append(pollfd(fd: isWatched ? connection.descriptor : -1, events: events, revents: 0))
            deadline = min(deadline, connection.deadline)
        }
        var milliseconds: Int32 = -1
        var rest: Int64 = 0
        if deadline != .never {
            rest = max(0, deadline.nanoseconds.subtractingSaturated(clock.now.nanoseconds))
            // Rounded down: what is left of a millisecond is slept below, so that samples come on time.
            milliseconds = Int32(min(rest / 1_000_000, 60_000))
        }
        let ready = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
        if ready < 0 { for place in descriptors.indices { descriptors[place].revents = 0 } }
        if ready == 0, milliseconds == 0, rest > 0 {
            var time = timespec(tv_sec: 0, tv_nsec: Int(rest))
            nanosleep(&time, nil)
        }
        if descriptors[0].revents != 0 { wakeUp.drain() }
    }

    private func follow(_ orders: IIODFaultState.Orders) {
        if orders.drops { for connection in connections { connection.abort() } }
        if let isListening = orders.isListening { door.isOpen = isListening }
    }

    private func adopt(_ descriptor: Int32) {
        // One too many is closed with its object.
        let connection = Connection(descriptor)
        let current = connections.lazy.filter { !$0.isOver }
        if current.count >= maximumConnections {
            // Whoever connected and asked for nothing must not keep out who would.
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
        // A client that asks for much gives way to the others from time to time.
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
                // Nobody would read the samples.
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
