// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// Accessories as udev tells of them.
public final class UdevSource: AccessorySource {
    private let hub = AccessoryHub()

    /// A source over that configuration. Nothing is opened yet.
    public init(configuration: Configuration, clock: any DeviceClock) {}

    /// The accessories that are attached now.
    public var accessories: [AccessoryDescription] { hub.accessories }

    /// Why accessories cannot be found.
    public var problems: [DeviceError] { [] }

    /// Tells of accessories.
    public func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription {
        hub.subscribe(receive)
    }

    /// Opens a protocol of an attached accessory.
    public func open(_ accessory: AccessoryDescription.ID, protocol name: String) throws(DeviceError) -> any ByteChannel
    {
        throw DeviceError(.notFound, "There is no accessory \(accessory).")
    }
}
