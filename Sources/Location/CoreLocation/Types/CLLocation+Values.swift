// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension CLLocation {
    /// All that a location knows: plain numbers, so that a location costs one allocation.
    ///
    /// Units and invalid values are those of the properties of ``CLLocation``.
    struct Values: Sendable {
        var latitude: Double
        var longitude: Double
        var altitude: Double = 0
        var ellipsoidalAltitude: Double = 0
        var horizontalAccuracy: Double
        var verticalAccuracy: Double = -1
        var course: Double = -1
        var courseAccuracy: Double = -1
        var speed: Double = -1
        var speedAccuracy: Double = -1
        /// Seconds since 2001-01-01T00:00:00Z, as `Date.timeIntervalSinceReferenceDate`.
        var timestamp: Double
        var isSimulatedBySoftware = false
        var isProducedByAccessory = false
        var floorLevel: Int?
    }
}
