// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension IIOAttribute {
    /// The value without the NUL, line end and blanks around it; nil when it is not known.
    public var text: String? { value.map { String(IIONumber.trimmed($0)) } }

    /// The value as a finite number with a decimal point; nil when it is not known or is no such number.
    public var number: Double? { value.flatMap { IIONumber.double($0) } }
}
