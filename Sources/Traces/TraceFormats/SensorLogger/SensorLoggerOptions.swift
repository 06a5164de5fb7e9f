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

    /// The file that positions are taken from, for example "LocationGps.csv"; nil for the first that there is of
    /// Location.csv, which the phone's system has fused, the receiver's own, the watch's and the network's.
    public var locationFile: String?

    /// Options that leave everything to the folder, but for those that are given.
    public init(platform: Platform? = nil, isStandardised: Bool? = nil, locationFile: String? = nil) {
        self.platform = platform
        self.isStandardised = isStandardised
        self.locationFile = locationFile
    }
}
