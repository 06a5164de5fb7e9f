// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// A source of accessories in memory. A test attaches and detaches them, and acts as their end of a connection.
final class TestAccessories: AccessorySource {
    private struct Connection {
        var id: AccessoryDescription.ID
        var name: String
        var local: MemoryChannel
        var remote: MemoryChannel
    }

    private struct State {
        var connections: [Connection] = []
        var failure: DeviceError?
        var capacity = 65_536
    }

    private let hub = AccessoryHub()
    private let state = Mutex(State())

    // MARK: Test interface

    /// Attaches an accessory with these protocols.
    @discardableResult
    func attach(
        _ name: String = "Scale", serial: String = "S1", protocols: [String] = ["com.example.scale"]
    ) -> AccessoryDescription.ID {
        hub.attach(
            AccessoryDescription(
                identity: "1209:0001:\(serial)", name: name, manufacturer: "Example Corp", modelNumber: "WS-7",
                serialNumber: serial, firmwareRevision: "2.10", hardwareRevision: "1", portPath: "1-2",
                vendorID: 0x1209, productID: 1,
                protocols: protocols.map { AccessoryProtocol(name: $0, origin: .configuration) })
        ).id
    }

    /// Ends the connections of an accessory and then detaches it.
    func detach(_ id: AccessoryDescription.ID, unsentBytes: Int = 0) {
        endConnections(of: id, unsentBytes: unsentBytes)
        hub.detach(id)
    }

    /// Detaches an accessory whose connections hold unread bytes and end later.
    func detachBeforeEnd(_ id: AccessoryDescription.ID) { hub.detach(id) }

    func endConnections(of id: AccessoryDescription.ID, unsentBytes: Int = 0) {
        for connection in state.withLock({ $0.connections.filter { $0.id == id } }) {
            connection.local.end(ByteChannelEnd(.detached, unsentBytes: unsentBytes))
        }
    }

    /// Hangs up the accessory's ports without detaching the accessory.
    func hangUp(_ id: AccessoryDescription.ID) {
        for connection in state.withLock({ $0.connections.filter { $0.id == id } }) {
            connection.local.end(ByteChannelEnd(.hungUp))
        }
    }

    /// Replaces the accessory's protocols.
    func change(_ id: AccessoryDescription.ID, protocols: [String]) {
        guard var description = hub.description(of: id) else { return }
        description.protocols = protocols.map { AccessoryProtocol(name: $0, origin: .configuration) }
        hub.update(description)
    }

    /// Returns the accessory's end of the most recent connection.
    func peer(_ id: AccessoryDescription.ID, _ name: String = "com.example.scale") -> MemoryChannel? {
        state.withLock { $0.connections.last { $0.id == id && $0.name == name }?.remote }
    }

    /// Makes opening fail with this error, or succeed if it is nil.
    func fail(_ error: DeviceError?) { state.withLock { $0.failure = error } }

    /// Sets the capacity of new connections, in bytes per direction.
    func setCapacity(_ capacity: Int) { state.withLock { $0.capacity = capacity } }

    /// The number of open connections.
    var openCount: Int { state.withLock { $0.connections.filter { $0.local.end == nil }.count } }

    // MARK: AccessorySource

    var accessories: [AccessoryDescription] { hub.accessories }
    var problems: [DeviceError] { [] }

    func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription { hub.subscribe(receive) }

    func open(_ accessory: AccessoryDescription.ID, protocol name: String) throws(DeviceError) -> any ByteChannel {
        guard hub.description(of: accessory) != nil else { throw DeviceError(.notFound, "It is gone.") }
        return try state.withLock { state throws(DeviceError) in
            if let failure = state.failure { throw failure }
            state.connections.removeAll { $0.local.end != nil }
            guard !state.connections.contains(where: { $0.id == accessory && $0.name == name }) else {
                throw DeviceError(.busy, "The protocol is in use.")
            }
            let (local, remote) = MemoryChannel.pair(capacity: state.capacity)
            state.connections.append(Connection(id: accessory, name: name, local: local, remote: remote))
            return local
        }
    }
}

extension MemoryChannel {
    /// Writes the text. Returns the number of accepted bytes, or -1 after the end.
    @discardableResult
    func send(_ text: String) -> Int {
        let bytes = Array(text.utf8)
        if case .accepted(let count) = bytes.withUnsafeBytes({ write($0) }) { return count }
        return -1
    }

    /// Reads the available bytes, at most `limit`.
    func receive(atMost limit: Int = 65_536) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        guard case .bytes(let count) = bytes.withUnsafeMutableBytes({ read(into: $0) }) else { return [] }
        return Array(bytes[..<count])
    }

    /// Reads the available bytes as text.
    func receiveText() -> String { String(decoding: receive(), as: UTF8.self) }
}
