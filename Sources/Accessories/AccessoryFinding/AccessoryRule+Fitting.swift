// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

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
