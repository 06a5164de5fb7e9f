// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// A source that also knows what could be an accessory.
public protocol AccessoryCandidateSource: AccessorySource {
    /// Devices that could be accessories, and why they are none.
    var candidates: [AccessoryCandidate] { get }
}

/// A device that could be an accessory, and why it is none.
public struct AccessoryCandidate: Sendable, Hashable {
    /// For people; empty when the device does not say.
    public let name: String
    /// Where it is plugged in, as with accessories.
    public let portPath: String
    /// The USB vendor; nil for what is no USB device.
    public let vendorID: UInt16?
    /// The USB product; nil for what is no USB device.
    public let productID: UInt16?
    /// The USB interface; nil for what is no USB device.
    public let interface: UInt8?
    /// What would be opened, as in "/dev/ttyUSB0".
    public let node: String
    /// Why it is no accessory and what makes it one, in a sentence.
    public let reason: String

    /// A candidate of those parts.
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
