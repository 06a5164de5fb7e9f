// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Synchronization

/// An accessory source with accessories attached by the test and channels connected to the test.
final class ScriptedAccessories: AccessorySource {
    private let hub = AccessoryHub()
    private let ends = Mutex<[(protocolName: String, MemoryChannel)]>([])
    private let refusals = Mutex<[DeviceError]>([])
    private let opened = BinarySemaphore()
    private let capacity: Int

    init(capacity: Int = 65_536) { self.capacity = capacity }

    var accessories: [AccessoryDescription] { hub.accessories }
    var problems: [DeviceError] { [] }

    func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription { hub.subscribe(receive) }

    func open(_ accessory: AccessoryDescription.ID, protocol name: String) throws(DeviceError) -> any ByteChannel {
        if let refusal = refusals.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw refusal }
        let (appEnd, accessoryEnd) = MemoryChannel.pair(capacity: capacity)
        ends.withLock { $0.append((name, accessoryEnd)) }
        opened.signal()
        return appEnd
    }

    /// Makes the next calls of `open` throw these errors.
    func refuse(_ errors: DeviceError...) { refusals.withLock { $0 = errors } }

    @discardableResult
    func attach(_ description: AccessoryDescription) -> AccessoryDescription.ID { hub.attach(description).id }
    func detach(_ id: AccessoryDescription.ID) { hub.detach(id) }

    /// Returns the accessory's end of the next channel that is opened, or nil after 60 s.
    func nextSession() -> (protocolName: String, MemoryChannel)? {
        for _ in 0..<600 {
            if let session = ends.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return session }
            opened.wait(seconds: 0.1)
        }
        return nil
    }
}

extension MemoryChannel {
    /// Reads `count` bytes. Returns fewer if the other side ends or after 60 s without data.
    func readBytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        let semaphore = BinarySemaphore()
        observe { _ in semaphore.signal() }
        var buffer = [UInt8](repeating: 0, count: 4096)
        var waits = 0
        while bytes.count < count, waits < 60 {
            let limit = min(buffer.count, count - bytes.count)
            switch buffer.withUnsafeMutableBytes({ read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<limit])) })
            {
            case .bytes(let more): bytes += buffer[..<more]
            case .empty: if !semaphore.wait(seconds: 1) { waits += 1 }
            case .ended: return bytes
            }
        }
        return bytes
    }

    /// Writes all bytes. Returns false if the other side has ended.
    @discardableResult
    func writeAll(_ bytes: some Collection<UInt8>) -> Bool {
        var rest = Array(bytes)
        let semaphore = BinarySemaphore()
        observe { _ in semaphore.signal() }
        while !rest.isEmpty {
            guard case .accepted(let count) = rest.withUnsafeBytes({ write($0) }) else { return false }
            rest.removeFirst(count)
            if count == 0 { semaphore.wait(seconds: 1) }
        }
        return true
    }
}

extension AccessoryDescription {
    /// A scale with the given protocols.
    static func scale(
        serial: String = "WS-7731", port: String = "1-2", name: String = "Weigh Scale",
        protocols: [String] = ["com.example.scale"], node: String = "/dev/ttyACM0"
    ) -> AccessoryDescription {
        AccessoryDescription(
            identity: serial.isEmpty ? "port:\(port)" : "1209:0001:\(serial)", name: name,
            manufacturer: "Example Corp", modelNumber: "WS-7", serialNumber: serial, firmwareRevision: "2.10",
            portPath: port, vendorID: 0x1209, productID: 0x0001,
            protocols: protocols.enumerated().map { index, name in
                AccessoryProtocol(
                    name: name, origin: .udevProperty, interface: UInt8(index),
                    node: ChannelNode.tty(path: node, TTYSettings()))
            })
    }
}
