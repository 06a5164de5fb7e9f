// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// Accessories in memory: a test attaches them, speaks for them, and unplugs them.
final class TestAccessories: AccessorySource {
    private struct Line {
        var id: AccessoryDescription.ID
        var name: String
        var near: MemoryChannel
        var far: MemoryChannel
    }

    private struct State {
        var lines: [Line] = []
        var failure: DeviceError?
        var capacity = 65_536
    }

    private let hub = AccessoryHub()
    private let state = Mutex(State())

    // MARK: The test's side

    /// An accessory with those protocols is plugged in.
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

    /// An accessory is pulled out: its connections end, then it is gone.
    func detach(_ id: AccessoryDescription.ID, unsentBytes: Int = 0) {
        endConnections(of: id, unsentBytes: unsentBytes)
        hub.detach(id)
    }

    /// An accessory is pulled out whose connections have more to give than they have room for: they end later.
    func detachBeforeEnd(_ id: AccessoryDescription.ID) { hub.detach(id) }

    func endConnections(of id: AccessoryDescription.ID, unsentBytes: Int = 0) {
        for line in state.withLock({ $0.lines.filter { $0.id == id } }) {
            line.near.end(ByteChannelEnd(.detached, unsentBytes: unsentBytes))
        }
    }

    /// The accessory's ports hang up; whether it is gone the system has not said.
    func hangUp(_ id: AccessoryDescription.ID) {
        for line in state.withLock({ $0.lines.filter { $0.id == id } }) { line.near.end(ByteChannelEnd(.hungUp)) }
    }

    /// The accessory offers other protocols from now on.
    func change(_ id: AccessoryDescription.ID, protocols: [String]) {
        guard var description = hub.description(of: id) else { return }
        description.protocols = protocols.map { AccessoryProtocol(name: $0, origin: .configuration) }
        hub.change(description)
    }

    /// The accessory's end of the connection that was opened last.
    func peer(_ id: AccessoryDescription.ID, _ name: String = "com.example.scale") -> MemoryChannel? {
        state.withLock { $0.lines.last { $0.id == id && $0.name == name }?.far }
    }

    /// Opening fails like that from now on.
    func fail(_ error: DeviceError?) { state.withLock { $0.failure = error } }

    /// Connections have room for that many bytes each way from now on.
    func setCapacity(_ capacity: Int) { state.withLock { $0.capacity = capacity } }

    /// How many connections are open.
    var openCount: Int { state.withLock { $0.lines.filter { $0.near.end == nil }.count } }

    // MARK: A source

    var accessories: [AccessoryDescription] { hub.accessories }
    var problems: [DeviceError] { [] }

    func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription { hub.subscribe(receive) }

    func open(_ accessory: AccessoryDescription.ID, protocol name: String) throws(DeviceError) -> any ByteChannel {
        guard hub.description(of: accessory) != nil else { throw DeviceError(.notFound, "It is gone.") }
        return try state.withLock { state throws(DeviceError) in
            if let failure = state.failure { throw failure }
            state.lines.removeAll { $0.near.end != nil }
            guard !state.lines.contains(where: { $0.id == accessory && $0.name == name }) else {
                throw DeviceError(.busy, "The protocol is in use.")
            }
            let (near, far) = MemoryChannel.pair(capacity: state.capacity)
            state.lines.append(Line(id: accessory, name: name, near: near, far: far))
            return near
        }
    }
}

extension MemoryChannel {
    /// Writes all of the text.
    @discardableResult
    func send(_ text: String) -> Int {
        let bytes = Array(text.utf8)
        if case .taken(let count) = bytes.withUnsafeBytes({ write($0) }) { return count }
        return -1
    }

    /// Reads what there is.
    func receive(atMost limit: Int = 65_536) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        guard case .bytes(let count) = bytes.withUnsafeMutableBytes({ read(into: $0) }) else { return [] }
        return Array(bytes[..<count])
    }

    /// Reads what there is, as text.
    func receiveText() -> String { String(decoding: receive(), as: UTF8.self) }
}
