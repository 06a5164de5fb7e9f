// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What an accessory that is not configured can do. Not on Linux.
@available(
    *, unavailable, message: "Setting up accessories over Wi-Fi takes Apple hardware and its views; Linux has neither."
)
public struct EAWiFiUnconfiguredAccessoryProperties: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Properties of those bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
}
