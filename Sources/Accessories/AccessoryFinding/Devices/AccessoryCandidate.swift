// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// A source of accessories that also lists devices that could become accessories.
package protocol AccessoryCandidateSource: AccessorySource {
    var candidates: [AccessoryCandidate] { get }
}

/// A device that is not an accessory yet but could become one.
package struct AccessoryCandidate: Sendable, Hashable {
    package let name: String
    package let portPath: String
    package let vendorID: UInt16?
    package let productID: UInt16?
    package let interface: UInt8?
    /// The path of the node that a session would open, such as "/dev/ttyUSB0".
    package let node: String
    /// A sentence that states what the device still needs to become an accessory.
    package let reason: String

    package init(
        name: String, portPath: String, vendorID: UInt16? = nil, productID: UInt16? = nil, interface: UInt8? = nil,
        node: String, reason: String
    ) {
        (self.name, self.portPath, self.vendorID, self.productID) = (name, portPath, vendorID, productID)
        (self.interface, self.node, self.reason) = (interface, node, reason)
    }
}
