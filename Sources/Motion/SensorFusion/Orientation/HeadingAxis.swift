// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The device axis whose direction is used as the heading.
///
/// The axis normally points to the top edge, which is +y in portrait. If the top edge points steeply upwards, its
/// horizontal component is too small to determine a heading, so the heading is the direction of the back (-z), as for a
/// camera held upright. If the top edge points steeply downwards, the heading is the direction of the screen (+z). The
/// heading does not jump while the device is tilted without rolling.
package struct HeadingAxis: Sendable {
    /// The sine of 60 degrees. If the edge is steeper than this, the axis changes to the back or the screen.
    private static let enterSine = 0.866_025_403_784_438_6
    /// The sine of 50 degrees. If the edge becomes less steep than this, the axis changes back to the edge.
    private static let leaveSine = 0.766_044_443_118_978

    private var isSteep = false

    package init() {}

    /// Returns the direction of the heading axis in degrees clockwise from north, in the range 0 ..< 360, and the
    /// length of its horizontal component, in the range 0 ... 1. `edge` is the top edge in device axes. `attitude` is
    /// the rotation from device axes to earth axes (east, north, up).
    package mutating func direction(
        of edge: SIMD3<Double> = SIMD3(0, 1, 0), attitude: Quaternion
    ) -> (heading: Double, flatness: Double) {
        var direction = attitude.rotate(edge)
        let sine = abs(direction.z)
        isSteep = sine > (isSteep ? Self.leaveSine : Self.enterSine)
        if isSteep { direction = attitude.rotate(SIMD3(0, 0, direction.z > 0 ? -1 : 1)) }
        let flatness = min(1, (direction.x * direction.x + direction.y * direction.y).squareRoot())
        return (Self.degrees(atan2(direction.x, direction.y) * 180 / .pi), flatness)
    }

    /// Returns the equivalent angle in 0 ..< 360 degrees.
    package static func degrees(_ angle: Double) -> Double {
        let rest = abs(angle) < 360 ? angle : angle.truncatingRemainder(dividingBy: 360)
        let positive = rest < 0 ? rest + 360 : rest
        // A value slightly below 0 may be rounded to 360.
        return positive < 360 ? positive : 0
    }
}
