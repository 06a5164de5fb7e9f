// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import Synchronization
import SystemCalls

/// The thread of a server: waits for sockets and times, and lets the engine work.
final class GPSDLoop: ServiceLoop {
    private let engine: GPSDEngine
    private let shared: SharedState
    private let clock = LiveClock()
    private let door: LoopbackDoor
    private var descriptors: [pollfd] = []

    init(_ engine: GPSDEngine, shared: SharedState, listener: LoopbackListener) {
        self.engine = engine
        self.shared = shared
        door = LoopbackDoor(listener)
    }

    func run() {
        while true {
            let watched = wait()
            let now = clock.now
            let (isStopped, faults) = shared.content.withLock { content in
                defer { content.faults = [] }
                return (content.isStopped, content.faults)
            }
            if isStopped { break }
            for fault in faults { engine.inject(fault) }
            for (client, descriptor) in zip(watched, descriptors.dropFirst(2)) where descriptor.revents != 0 {
                engine.serve(client, isGone: descriptor.revents & Int16(POLLHUP | POLLERR) != 0, now: now)
            }
            if engine.isListening {
                door.letIn(revents: descriptors[1].revents, now: now) { engine.adopt($0, now: now) }
            }
            engine.advance(now: now)
            door.isOpen = engine.isListening
            tell()
        }
        door.isOpen = false
    }

    /// Waits until something is due, and answers the clients in the order of their descriptors.
    private func wait() -> [GPSDClient] {
        let now = clock.now
        let clients = engine.clients
        descriptors.removeAll(keepingCapacity: true)
        descriptors.append(pollfd(fd: shared.wakeUp.readEnd, events: Int16(POLLIN), revents: 0))
        descriptors.append(door.interest(now: now))
        for client in clients {
            descriptors.append(pollfd(fd: client.descriptor, events: engine.events(of: client, now: now), revents: 0))
        }
        clock.wait(for: &descriptors, until: min(engine.deadline(now: now), door.deadline(now: now)))
        if descriptors[0].revents != 0 { shared.wakeUp.drain() }
        return clients
    }

    private func tell() {
        let (clients, reports, lost) = (engine.clients.count, engine.reportCount, engine.allLost)
        let hasPlayed = engine.hasPlayed && !engine.clients.contains(where: \.hasPending)
        let isNew = shared.content.withLock { content in
            content.clientCount != clients || content.reportCount != reports || content.lostCount != lost
                || content.hasPlayed != hasPlayed
        }
        guard isNew else { return }
        shared.change { content in
            (content.clientCount, content.reportCount) = (clients, reports)
            (content.lostCount, content.hasPlayed) = (lost, hasPlayed)
        }
    }
}
