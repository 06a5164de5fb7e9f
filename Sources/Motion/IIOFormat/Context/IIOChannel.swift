// SPDX-License-Identifier: Apache-2.0

/// A channel of a device: one axis, one quantity, or the time stamp.
public struct IIOChannel: Sendable, Hashable {
    /// The type with its modifier, such as "accel_x", "pressure" or "timestamp". Known by this text alone.
    public var id: String
    /// A name that the driver gives; empty when there is none.
    public var name: String
    /// True for a channel that is written to.
    public var isOutput: Bool
    /// How its samples lie in a buffer; nil when the channel cannot be captured.
    public var scan: IIOScanElement?
    /// Its attributes.
    public var attributes: [IIOAttribute]

    /// A channel of those parts.
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

    /// The attribute of that name.
    public func attribute(_ name: String) -> IIOAttribute? { attributes.first { $0.name == name } }
}
