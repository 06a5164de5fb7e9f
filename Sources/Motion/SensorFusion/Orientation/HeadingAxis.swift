// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The axis of the device whose direction is the heading.
///
/// It is the direction of the top edge: +y in portrait. If that edge points so steeply up that its horizontal component
/// is small, the back of the device, -z, is used instead, as for a camera held upright; if the edge points steeply
/// down, the screen, +z, is used. Tilting without rolling changes the axis without a jump of the heading.
package struct HeadingAxis: Sendable {
    /// The sine of 60 degrees. The axis changes from the edge to the back or screen if the edge is steeper than this.
    private static let enterSine = 0.866_025_403_784_438_6
    /// The sine of 50 degrees. The axis changes back to the edge if the edge is less steep than this.
    private static let leaveSine = 0.766_044_443_118_978

    private var isSteep = false

    package init() {}

    /// Returns the direction of the axis in degrees clockwise from north, 0 ..< 360, and the length of its horizontal
    /// component, 0 ... 1, for the top edge in device axes and the rotation from them to east, north, up.
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

    /// Returns an equal angle in 0 ..< 360.
    package static func degrees(_ angle: Double) -> Double {
        // The remainder is rarely needed.
        let rest = abs(angle) < 360 ? angle : angle.truncatingRemainder(dividingBy: 360)
        let positive = rest < 0 ? rest + 360 : rest
        // A value slightly below 0 is rounded to 360.
        return positive < 360 ? positive : 0
    }
}
