// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The end of a path that was given by its start, its direction and its length.
///
/// All values are NaN when the start was not valid or the direction or length was not finite.
public struct GeodesicDirect: Equatable, Sendable {
    /// The point reached; its longitude lies between -180 and 180 degrees.
    public let destination: GeodeticCoordinate

    /// The direction of travel at the destination, in degrees clockwise from north, from -180 to 180.
    public let finalAzimuth: Double

    static var invalid: GeodesicDirect {
        GeodesicDirect(destination: GeodeticCoordinate(latitude: .nan, longitude: .nan), finalAzimuth: .nan)
    }
}
