// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The shortest path between two points: how long it is, and in which direction it leaves and arrives.
///
/// All three values are NaN when either point was not valid.
public struct GeodesicInverse: Equatable, Sendable {
    /// The length of the shortest path, in metres.
    public let distance: Double

    /// The direction of travel at the first point, in degrees clockwise from north, from -180 to 180.
    public let initialAzimuth: Double

    /// The direction of travel (not the way back) at the second point, in degrees clockwise from north,
    /// from -180 to 180.
    public let finalAzimuth: Double

    static var invalid: GeodesicInverse {
        GeodesicInverse(distance: .nan, initialAzimuth: .nan, finalAzimuth: .nan)
    }
}
