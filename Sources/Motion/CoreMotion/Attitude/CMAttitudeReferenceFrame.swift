// SPDX-License-Identifier: Apache-2.0

/// The axes that an attitude is measured against. In all of them z points up.
public struct CMAttitudeReferenceFrame: OptionSet, Sendable {
    /// A bit for each frame.
    public var rawValue: UInt

    /// The frames of those bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// x points in an arbitrary horizontal direction, held by the gyroscope: it drifts with the gyroscope's noise and
    /// residual bias. Nothing magnetic can disturb it.
    public static let xArbitraryZVertical = CMAttitudeReferenceFrame(rawValue: 1)
    /// x points in an arbitrary horizontal direction, held by the magnetometer, from where `xArbitraryZVertical` is
    /// then.
    public static let xArbitraryCorrectedZVertical = CMAttitudeReferenceFrame(rawValue: 2)
    /// x points to magnetic north, y to the west: yaw is 0 where the right edge points north, -90° where the top edge does.
    public static let xMagneticNorthZVertical = CMAttitudeReferenceFrame(rawValue: 4)
    /// x points to true north, y to the west. It needs the position, for which the World Magnetic Model gives the
    /// declination.
    public static let xTrueNorthZVertical = CMAttitudeReferenceFrame(rawValue: 8)
}
