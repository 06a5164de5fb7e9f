// SPDX-License-Identifier: Apache-2.0

/// An attribute of a context, a device, a channel or a buffer.
public struct IIOAttribute: Sendable, Hashable {
    /// The name without what it belongs to, for example "scale".
    public var name: String
    /// The file's name in sysfs, for example "in_accel_scale"; the name again where there is no file.
    public var filename: String
    /// The value that it had; nil when that is not known.
    public var value: String?

    /// An attribute of those parts.
    public init(name: String, filename: String? = nil, value: String? = nil) {
        self.name = name
        self.filename = filename ?? name
        self.value = value
    }

    /// The value without the NUL, line end and blanks around it; nil when it is not known.
    public var text: String? { value.map { String(IIONumber.trimmed($0)) } }

    /// The value as a finite number with a decimal point; nil when it is not known or is no such number.
    public var number: Double? { value.flatMap { IIONumber.double($0) } }
}
