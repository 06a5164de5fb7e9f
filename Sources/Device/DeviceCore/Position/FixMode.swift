// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a receiver says of its fix.
public enum FixMode: UInt8, Sendable {
    /// The receiver has not said anything yet.
    case unknown = 0
    /// No fix.
    case none = 1
    /// Latitude and longitude.
    case twoDimensional = 2
    /// Latitude, longitude and altitude.
    case threeDimensional = 3
}
