// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The type of a JSON value, as its first bytes tell it.
public enum JSONKind: UInt8, Sendable {
    /// `{`
    case object
    /// `[`
    case array
    /// `"`
    case string
    /// A digit or a minus sign, or one of the words NaN, nan, Infinity, inf that some programs print for a number.
    case number
    /// `true` or `false`
    case bool
    /// `null`
    case null
}
