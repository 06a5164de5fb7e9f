// SPDX-License-Identifier: Apache-2.0

/// Options for reading a Sensor Logger folder, which override the contents of Metadata.csv.
public struct SensorLoggerOptions: Sendable, Hashable {
    /// The phone's operating system.
    public enum Platform: String, Sendable, CaseIterable {
        /// iOS. Acceleration and gravity follow Apple's sign convention unless units and frames are standardised.
        case iOS = "ios"
        /// Android. Acceleration and gravity follow the sign convention of proper acceleration.
        case android
    }

    /// The operating system. If nil, it is read from Metadata.csv.
    public var platform: Platform?
    /// True if the setting "Standardise Units & Frames" was on. If nil, the setting is read from Metadata.csv.
    public var isStandardised: Bool?

    /// The file from which positions are read, for example "LocationGps.csv". If nil, the first of these files that
    /// exists is used: Location.csv (fused by the phone), LocationGps.csv, the watch's file, LocationNetwork.csv.
    public var locationFile: String?

    /// Creates options. By default, all information is taken from the folder.
    public init(platform: Platform? = nil, isStandardised: Bool? = nil, locationFile: String? = nil) {
        (self.platform, self.isStandardised, self.locationFile) = (platform, isStandardised, locationFile)
    }
}
