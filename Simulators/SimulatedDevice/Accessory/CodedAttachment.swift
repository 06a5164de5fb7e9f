// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Trace

/// An attached accessory that code speaks for.
final class CodedAttachment: SimulatedAttachment {
    private struct Session {
        let name: String
        /// The accessory's end.
        let channel: MemoryChannel
        let peer: AccessoryPeerSession
    }

    private let accessory: SimulatedAccessory
    private let clock: any DeviceClock
    private let unplug: @Sendable (CodedAttachment) -> Void
    private let sessions = Mutex<[Session]>([])

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
        let isFree = sessions.withLock { sessions in
            sessions.removeAll { $0.peer.isOver }
            if sessions.contains(where: { $0.name == name && $0.channel.end == nil }) { return false }
            sessions.append(Session(name: name, channel: ours, peer: peer))
            return true
        }
        guard isFree else { throw SimulatedAccessorySource.busy(name) }
        peer.begin()
        return theirs
    }

    func detach() {
        for session in sessions.withLock({ $0 }) {
            session.channel.end(SimulatedAccessorySource.end(unsentBytes: session.channel.bytesAvailable))
        }
    }
}
