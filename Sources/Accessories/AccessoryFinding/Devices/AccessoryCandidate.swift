// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// A source that also reports devices that could become accessories.
public protocol AccessoryCandidateSource: AccessorySource {
    /// The devices that could become accessories, with the reason why they are not.
    var candidates: [AccessoryCandidate] { get }
}

/// A device that could become an accessory, and the reason why it is not.
public struct AccessoryCandidate: Sendable, Hashable {
    /// The display name; empty if the device has none.
    public let name: String
    /// The port, in the format of `AccessoryDescription.portPath`.
    public let portPath: String
    /// The USB vendor ID; nil for devices that are not on USB.
    public let vendorID: UInt16?
    /// The USB product ID; nil for devices that are not on USB.
    public let productID: UInt16?
    /// The USB interface number; nil for devices that are not on USB.
    public let interface: UInt8?
    /// The path of the node that a session would open, such as "/dev/ttyUSB0".
    public let node: String
    /// A sentence that explains why the device is not an accessory, and how to make it one.
    public let reason: String

    /// Creates a candidate.
    public init(
        name: String, portPath: String, vendorID: UInt16? = nil, productID: UInt16? = nil, interface: UInt8? = nil,
        node: String, reason: String
    ) {
        self.name = name
        self.portPath = portPath
        self.vendorID = vendorID
        self.productID = productID
        self.interface = interface
        self.node = node
        self.reason = reason
    }
}
