// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
