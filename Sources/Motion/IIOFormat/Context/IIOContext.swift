// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A context as libiio's XML describes it: devices with their channels and attributes.
///
/// It is a value: a picture of the devices at one time. Attributes may carry the values that they had.
public struct IIOContext: Sendable, Hashable {
    /// "local", "network" and so on.
    public var name: String
    /// Free text, usually what `uname -a` prints.
    public var description: String
    /// The version of libiio that described it, for example "0.24".
    public var version: String
    /// Facts about the machine, such as "local,kernel".
    public var attributes: [IIOAttribute]
    /// The devices and triggers, in the order of the kernel.
    public var devices: [IIODevice]

    /// A context of those parts.
    public init(
        name: String = "local", description: String = "", version: String = "0.24", attributes: [IIOAttribute] = [],
        devices: [IIODevice] = []
    ) {
        self.name = name
        self.description = description
        self.version = version
        self.attributes = attributes
        self.devices = devices
    }
}
