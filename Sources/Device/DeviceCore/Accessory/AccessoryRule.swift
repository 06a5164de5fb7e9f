// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
