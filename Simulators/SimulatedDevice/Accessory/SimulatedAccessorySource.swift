// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Trace

/// The accessories of a simulated device: those recorded in its trace and those added by code. Can be used from any
/// thread.
final class SimulatedAccessorySource: AccessorySource {
    private let hub = AccessoryHub()
    private let attachments = Mutex<[AccessoryDescription.ID: any SimulatedAttachment]>([:])

    var accessories: [AccessoryDescription] { hub.accessories }
    var problems: [DeviceError] { [] }

    func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription { hub.subscribe(receive) }

    func open(_ accessory: AccessoryDescription.ID, protocol name: String) throws(DeviceError) -> any ByteChannel {
        guard let description = hub.description(of: accessory),
            let attachment = attachments.withLock({ $0[accessory] })
        else { throw DeviceError(.notFound, "There is no accessory \(accessory).") }
        guard description.accessoryProtocol(named: name) != nil else {
            throw DeviceError(.notFound, "\(description.name) does not offer the protocol \(name).")
        }
        return try attachment.open(name)
    }

    func attach(_ description: AccessoryDescription, _ attachment: any SimulatedAttachment) -> AccessoryDescription.ID {
        // The attachment is registered before subscribers are notified, because they may open a protocol immediately.
        hub.attach(description) { id in attachments.withLock { $0[id] = attachment } }.id
    }

    func change(_ description: AccessoryDescription) { hub.update(description) }
    func has(_ id: AccessoryDescription.ID) -> Bool { hub.description(of: id) != nil }

    /// Detaches an accessory, or does nothing if the accessory is not attached.
    func detach(_ id: AccessoryDescription.ID) {
        let attachment = attachments.withLock { $0.removeValue(forKey: id) }
        // The sessions end before subscribers are notified of the detachment. Managers depend on this order.
        attachment?.detach()
        hub.detach(id)
    }

    func detach(_ attachment: any SimulatedAttachment) {
        let id = attachments.withLock { attachments in attachments.first { $0.value === attachment }?.key }
        if let id { detach(id) }
    }

    static func busy(_ name: String) -> DeviceError {
        DeviceError(.busy, "The protocol \(name) is in use in this process. Close that session first.")
    }

    static func unplugged(_ name: String) -> DeviceError { DeviceError(.notFound, "\(name) has been unplugged.") }
}

extension MemoryChannel {
    /// Ends the channel of a detached accessory. Reports an error if the accessory has not received all bytes.
    func detach() {
        let count = bytesAvailable
        guard count > 0 else { return end(ByteChannelEnd(.detached)) }
        let error = DeviceError(.connectionLost, "The accessory was unplugged before \(count) bytes were sent to it.")
        end(ByteChannelEnd(.detached, error: error, unsentBytes: count))
    }
}

/// An attached accessory that is simulated by code or played from a recording.
protocol SimulatedAttachment: AnyObject, Sendable {
    func open(_ name: String) throws(DeviceError) -> any ByteChannel

    /// Ends all sessions after the accessory has been detached.
    func detach()
}

/// An attached accessory that is simulated by code.
final class PeerAttachment: SimulatedAttachment {
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
    private let unplug: @Sendable (PeerAttachment) -> Void
    private let state = Mutex(State())

    init(
        _ accessory: SimulatedAccessory, clock: any DeviceClock, unplug: @escaping @Sendable (PeerAttachment) -> Void
    ) {
        (self.accessory, self.clock, self.unplug) = (accessory, clock, unplug)
    }

    func open(_ name: String) throws(DeviceError) -> any ByteChannel {
        guard let endpoint = accessory.endpoints.first(where: { $0.name == name }) else {
            throw DeviceError(.notFound, "The accessory has no endpoint for the protocol \(name).")
        }
        let (theirs, ours) = MemoryChannel.pair()
        let peer = AccessoryPeerSession(
            peer: endpoint.peer, channel: ours, clock: clock, faults: endpoint.faults
        ) { [weak self] in
            if let self { unplug(self) }
        }
        try state.withLock { state throws(DeviceError) in
            // The accessory may have been detached since the caller looked it up.
            guard !state.isDetached else { throw SimulatedAccessorySource.unplugged(accessory.description.name) }
            state.sessions.removeAll { $0.peer.hasEnded }
            guard !state.sessions.contains(where: { $0.name == name && $0.channel.end == nil }) else {
                throw SimulatedAccessorySource.busy(name)
            }
            state.sessions.append(Session(name: name, channel: ours, peer: peer))
        }
        peer.start()
        return theirs
    }

    func detach() {
        let sessions = state.withLock { state in
            state.isDetached = true
            return state.sessions
        }
        for session in sessions { session.channel.detach() }
    }
}
