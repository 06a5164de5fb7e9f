// SPDX-License-Identifier: Apache-2.0

/// A channel of a device: an axis, a quantity, or the timestamp.
public struct IIOChannel: Sendable, Hashable {
    /// The type with its modifier, for example "accel_x", "pressure" or "timestamp". Channels are identified by this
    /// text only.
    public var id: String
    /// The name from the driver; empty if there is none.
    public var name: String
    /// True for an output channel.
    public var isOutput: Bool
    /// The position and format of its samples in a buffer; nil if the channel cannot be captured.
    public var scan: IIOScanElement?
    /// The attributes of the channel.
    public var attributes: [IIOAttribute]

    /// Creates a channel.
    public init(
        id: String, name: String = "", isOutput: Bool = false, scan: IIOScanElement? = nil,
        attributes: [IIOAttribute] = []
    ) {
        self.id = id
        self.name = name
        self.isOutput = isOutput
        self.scan = scan
        self.attributes = attributes
    }

    /// Returns the attribute with the given name; nil if there is none.
    public func attribute(_ name: String) -> IIOAttribute? { attributes.first { $0.name == name } }
}
