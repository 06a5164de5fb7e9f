// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How a sensor sits in its device.
public struct MountEstimate: Sendable, Hashable {
    /// The first row of the rotation from the sensor's axes to the device's.
    public var row0: SIMD3<Double>
    /// The second row.
    public var row1: SIMD3<Double>
    /// The third row.
    public var row2: SIMD3<Double>
    /// True when every row has a single 1 or -1: the sensor's axes are parallel to the device's.
    public var isRightAngled: Bool
    /// How far the measured rotation is from the nearest one of right angles, radians.
    public var angleFromRightAngles: Double
    /// Root mean square of the angles between the measured and the expected directions, radians.
    public var residual: Double

    /// The rows of the matrix.
    public var rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>) { (row0, row1, row2) }

    /// A reading in the device's axes.
    public func apply(to reading: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3((row0 * reading).sum(), (row1 * reading).sum(), (row2 * reading).sum())
    }
}
