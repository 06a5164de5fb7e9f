// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Where accessories come from.
public protocol AccessorySource: Sendable {
    /// The accessories that are attached now, by rising id. The first call looks for them, which takes some milliseconds.
    var accessories: [AccessoryDescription] { get }

    /// Why accessories, or some of them, cannot be found; empty when all is well.
    var problems: [DeviceError] { get }

    /// Devices that could be accessories, and why they are none.
    var candidates: [AccessoryCandidate] { get }

    /// Hands events to the closure, in order and one at a time, until the subscription ends: a snapshot before this call
    /// returns, then changes on threads of the source's own.
    func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription

    /// Opens a protocol of an attached accessory.
    ///
    /// Nobody else has it while the channel lives: a second call for a protocol in use fails with ``DeviceError/Code/busy``.
    /// Returns within some tens of milliseconds, at most a tenth of a second when somebody else has the port. A port of
    /// this program that was closed and still sends what had been written has another tenth for that; what is left then is
    /// lost. Only where the system does not give the port back, because the device hangs, does it take a second, and fail.
    func open(_ accessory: AccessoryDescription.ID, protocol name: String) throws(DeviceError) -> any ByteChannel
}

extension AccessorySource {
    /// None.
    public var candidates: [AccessoryCandidate] { [] }
}
