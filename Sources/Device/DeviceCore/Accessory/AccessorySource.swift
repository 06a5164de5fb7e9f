// SPDX-License-Identifier: Apache-2.0

/// Where accessories come from.
public protocol AccessorySource: Sendable {
    /// The accessories that are attached now, by rising id. The first call looks for them, which takes some milliseconds.
    var accessories: [AccessoryDescription] { get }

    /// Why accessories, or some of them, cannot be found; empty when all is well.
    var problems: [DeviceError] { get }

    /// Hands events to the closure, in order and one at a time, until the subscription ends: a snapshot before this call
    /// returns, then changes on threads of the source's own.
    func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription

    /// Opens a protocol of an attached accessory.
    ///
    /// Nobody else has it while the channel lives: a second call for a protocol in use fails with `DeviceError.Code.busy`.
    /// Returns within some tens of milliseconds, at most a tenth of a second when somebody else has the port. A port of
    /// this program that was closed and still sends what had been written has another tenth for that; what is left then is
    /// lost. Only where the system does not give the port back, because the device hangs, does it take a second, and fail.
    func open(_ accessory: AccessoryDescription.ID, protocol name: String) throws(DeviceError) -> any ByteChannel
}

/// What an accessory source tells.
public enum AccessoryEvent: Sendable {
    /// The accessories that are attached when the subscription begins. Always the first event, and only then.
    case snapshot([AccessoryDescription])
    /// An accessory was attached and is ready to be talked to.
    case attached(AccessoryDescription)
    /// An accessory that is attached is described otherwise from now on: another protocol came or went.
    case changed(AccessoryDescription)
    /// An accessory is gone, with what was known of it.
    case detached(AccessoryDescription)
}

/// The source of a device to which nothing can be attached.
public struct NoAccessorySource: AccessorySource {
    /// A source of nothing.
    public init() {}

    /// None.
    public var accessories: [AccessoryDescription] { [] }

    /// None.
    public var problems: [DeviceError] { [] }

    /// Tells of none.
    public func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription {
        receive(.snapshot([]))
        return Subscription {}
    }

    /// Always fails.
    public func open(_ accessory: AccessoryDescription.ID, protocol name: String) throws(DeviceError) -> any ByteChannel
    {
        throw DeviceError(.notFound, "There is no accessory \(accessory).")
    }
}
