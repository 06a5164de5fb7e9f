// SPDX-License-Identifier: Apache-2.0

/// A source of accessories.
public protocol AccessorySource: Sendable {
    /// The attached accessories, sorted by `id`. The first access scans for accessories, which takes a few
    /// milliseconds.
    var accessories: [AccessoryDescription] { get }

    /// The problems that prevent accessories from being found; empty if there are none.
    var problems: [DeviceError] { get }

    /// Delivers events to the closure, in order and one at a time, until the subscription ends. The snapshot is
    /// delivered before this call returns. Changes are delivered on threads of the source.
    func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription

    /// Opens a protocol of an attached accessory.
    ///
    /// Access is exclusive: while the channel exists, a second call for the same protocol throws
    /// `DeviceError.Code.busy`. Returns within tens of milliseconds, or at most 0.1 s if another program uses the port.
    /// If this program closed the port and is still sending, the call waits up to 0.1 s more; unsent bytes are then
    /// lost. If a hanging device keeps the kernel from releasing the port, the call takes 1 s and throws.
    func open(_ accessory: AccessoryDescription.ID, protocol name: String) throws(DeviceError) -> any ByteChannel
}

/// An event of an accessory source.
public enum AccessoryEvent: Sendable {
    /// The accessories that are attached when the subscription begins. Always the first event, and delivered only once.
    case snapshot([AccessoryDescription])
    /// An accessory was attached and is ready for communication.
    case attached(AccessoryDescription)
    /// The description of an attached accessory has changed, for example because a protocol was added or removed.
    case changed(AccessoryDescription)
    /// An accessory was detached. Contains its last description.
    case detached(AccessoryDescription)
}

/// An accessory source without accessories.
public struct NoAccessorySource: AccessorySource {
    /// Creates an empty source.
    public init() {}

    /// Always empty.
    public var accessories: [AccessoryDescription] { [] }

    /// Always empty.
    public var problems: [DeviceError] { [] }

    /// Delivers an empty snapshot and no further events.
    public func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription {
        receive(.snapshot([]))
        return Subscription {}
    }

    /// Always throws `DeviceError.Code.notFound`.
    public func open(_ accessory: AccessoryDescription.ID, protocol name: String) throws(DeviceError) -> any ByteChannel
    {
        throw DeviceError(.notFound, "There is no accessory \(accessory).")
    }
}
