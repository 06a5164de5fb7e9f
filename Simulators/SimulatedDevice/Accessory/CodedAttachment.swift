// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Trace

/// An attached accessory that code speaks for.
final class CodedAttachment: SimulatedAttachment {
    private struct Session {
        let name: String
        let channel: MemoryChannel
        let peer: AccessoryPeerSession
    }

    private struct State {
        var sessions: [Session] = []
        var isDetached = false
    }

    private let accessory: SimulatedAccessory
    private let clock: any DeviceClock
    private let unplug: @Sendable (CodedAttachment) -> Void
    private let state = Mutex(State())

    init(
        _ accessory: SimulatedAccessory, clock: any DeviceClock, unplug: @escaping @Sendable (CodedAttachment) -> Void
    ) {
        self.accessory = accessory
        self.clock = clock
        self.unplug = unplug
    }

    func open(_ name: String) throws(DeviceError) -> any ByteChannel {
        guard let endpoint = accessory.endpoints.first(where: { $0.name == name }) else {
            throw DeviceError(.notFound, "The accessory has nobody who speaks \(name).")
        }
        let (theirs, ours) = MemoryChannel.pair()
        let peer = AccessoryPeerSession(
            peer: endpoint.peer, channel: ours, clock: clock, faults: endpoint.faults
        ) { [weak self] in
            if let self { unplug(self) }
        }
        try state.withLock { state throws(DeviceError) in
            // It may have been unplugged since it was looked up.
            guard !state.isDetached else { throw SimulatedAccessorySource.unplugged(accessory.description.name) }
            state.sessions.removeAll { $0.peer.isOver }
            guard !state.sessions.contains(where: { $0.name == name && $0.channel.end == nil }) else {
                throw SimulatedAccessorySource.busy(name)
            }
            state.sessions.append(Session(name: name, channel: ours, peer: peer))
        }
        peer.begin()
        return theirs
    }

    func detach() {
        let sessions = state.withLock { state in
            state.isDetached = true
            return state.sessions
        }
        for session in sessions {
            session.channel.end(SimulatedAccessorySource.end(unsentBytes: session.channel.bytesAvailable))
        }
    }
}
