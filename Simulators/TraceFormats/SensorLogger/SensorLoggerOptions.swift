// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a program knows about a folder of Sensor Logger beyond what its Metadata.csv says.
public struct SensorLoggerOptions: Sendable, Hashable {
    /// The system that the app ran on.
    public enum Platform: String, Sendable {
        /// Acceleration and gravity have Apple's sign, unless they are standardised.
        case iOS = "ios"
        /// Acceleration and gravity have the sign of proper acceleration.
        case android
    }

    /// The system; nil to take it from Metadata.csv.
    public var platform: Platform?
    /// Whether "Standardise Units & Frames" was on; nil to take it from Metadata.csv.
    public var isStandardised: Bool?

    /// Options that leave everything to the folder, but for those that are given.
    public init(platform: Platform? = nil, isStandardised: Bool? = nil) {
        self.platform = platform
        self.isStandardised = isStandardised
    }
}
