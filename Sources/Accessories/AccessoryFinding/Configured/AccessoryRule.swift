// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What a configuration says of accessories of some kind.
public struct AccessoryRule: Sendable, Hashable {
    /// The USB vendor; nil for any.
    public var vendorID: UInt16?
    /// The USB product; nil for any.
    public var productID: UInt16?
    /// The serial number; nil for any.
    public var serialNumber: String?
    /// The port that it is plugged into, as in "1-2.4"; nil for any.
    public var portPath: String?
    /// The USB interface that the rest is about; nil for every one that has a node.
    public var interface: UInt8?
    /// The protocols that are spoken there, in place of what the accessory and udev say: none with an empty
    /// list; nil to leave them.
    public var protocols: [String]?
    /// How a serial port is set up; nil for the defaults.
    public var tty: TTYSettings?
    /// Reports are read as a stream only where this says how.
    public var hid: HIDFraming?

    /// A rule that says nothing of everything.
    public init() {}
}

extension AccessoryRule {
    /// True when the rule is about that interface of the accessory; the interface is nil where there is no USB.
    func fits(_ accessory: AccessoryDescription, interface: UInt8?) -> Bool {
        (vendorID == nil || vendorID == accessory.vendorID)
            && (productID == nil || productID == accessory.productID)
            && (serialNumber == nil || serialNumber == accessory.serialNumber)
            && (portPath == nil || portPath == accessory.portPath)
            && (self.interface == nil || self.interface == interface)
    }

    /// True when the rule may make an accessory of it: outside of USB only where it names the port, for else a rule for
    /// everything would make one of each serial port that the board could have.
    func names(_ accessory: AccessoryDescription, interface: UInt8?) -> Bool {
        fits(accessory, interface: interface) && (interface != nil || portPath != nil)
    }
}
