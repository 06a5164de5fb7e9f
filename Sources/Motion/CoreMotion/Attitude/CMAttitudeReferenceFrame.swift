// SPDX-License-Identifier: Apache-2.0

/// A reference frame for attitudes. In all frames, the z axis points up.
public struct CMAttitudeReferenceFrame: OptionSet, Sendable {
    /// The raw value, with one bit for each frame.
    public var rawValue: UInt

    /// Creates a set of frames from its raw value.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The x axis points in an arbitrary horizontal direction, maintained by the gyroscope. It drifts with the
    /// gyroscope's noise and residual bias, but is not affected by magnetic disturbances.
    public static let xArbitraryZVertical = CMAttitudeReferenceFrame(rawValue: 1)
    /// The x axis points in an arbitrary horizontal direction, maintained by the magnetometer. At the start of updates,
    /// it coincides with that of `xArbitraryZVertical`.
    public static let xArbitraryCorrectedZVertical = CMAttitudeReferenceFrame(rawValue: 2)
    /// The x axis points to magnetic north and the y axis to the west. The yaw is 0 if the right edge points north, and
    /// -90° if the top edge points north.
    public static let xMagneticNorthZVertical = CMAttitudeReferenceFrame(rawValue: 4)
    /// The x axis points to true north and the y axis to the west. Requires the position, from which the World Magnetic
    /// Model determines the declination.
    public static let xTrueNorthZVertical = CMAttitudeReferenceFrame(rawValue: 8)
}
