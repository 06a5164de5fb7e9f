// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Somebody who uses the position right now.
public struct LocationUse: Sendable {
    /// The ways to use it.
    public struct Services: OptionSet, Sendable, Hashable {
        /// One bit for each service.
        public let rawValue: Int

        /// The services of those bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// `startUpdatingLocation()`.
        public static let standard = Services(rawValue: 1)
        /// `startMonitoringSignificantLocationChanges()`.
        public static let significantChanges = Services(rawValue: 2)
        /// `requestLocation()`.
        public static let singleRequest = Services(rawValue: 4)
        /// `CLLocationUpdate.liveUpdates()`.
        public static let liveUpdates = Services(rawValue: 8)
    }

    /// The services that are running.
    public let services: Services
    /// What it is for, when that was said.
    public let purpose: String?
    /// Since when, in the time of the device.
    public let since: Date
}
