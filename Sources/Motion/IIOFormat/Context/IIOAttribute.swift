// SPDX-License-Identifier: Apache-2.0

/// An attribute of a context, a device, a channel or a buffer.
public struct IIOAttribute: Sendable, Hashable {
    /// The name without the prefix of the device or channel, for example "scale".
    public var name: String
    /// The file name in sysfs, for example "in_accel_scale"; equal to the name if there is no file.
    public var filename: String
    /// The value when the attribute was read; nil if it is unknown.
    public var value: String?

    /// Creates an attribute.
    public init(name: String, filename: String? = nil, value: String? = nil) {
        self.name = name
        self.filename = filename ?? name
        self.value = value
    }

    /// The value without leading and trailing NUL bytes, line terminators and spaces; nil if it is unknown.
    public var text: String? { value.map { String(IIONumber.trimmed($0)) } }

    /// The value as a number; nil if it is unknown or not a finite number. The decimal separator is a point.
    public var number: Double? { value.flatMap { IIONumber.double($0) } }
}
