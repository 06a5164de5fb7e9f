// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The axis of the device whose direction is the heading.
///
/// It is the edge at the top: +y in portrait. When that edge points so steeply up that it hardly points anywhere in the
/// plane, it is the back of the device, -z, as for a camera that is held upright; when the edge points steeply down it is
/// the face, +z. Tilting without rolling brings one over into the other without a jump.
package struct HeadingAxis: Sendable {
    /// From edge to back beyond 60 degrees above or below the horizon...
    private static let enterSine = 0.866_025_403_784_438_6
    /// ...and back again below 50.
    private static let leaveSine = 0.766_044_443_118_978

    private var isSteep = false

    package init() {}

    /// The direction of the axis in degrees clockwise from north, 0 ..< 360, and how much of its length lies in the
    /// plane, 0 ... 1.
    ///
    /// - Parameters:
    ///   - edge: The one at the top, in the device's axes.
    ///   - attitude: From the device's axes to east, north, up.
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

    /// The same angle in 0 ..< 360.
    package static func degrees(_ angle: Double) -> Double {
        // Most often there is nothing to be taken off.
        let rest = abs(angle) < 360 ? angle : angle.truncatingRemainder(dividingBy: 360)
        let positive = rest < 0 ? rest + 360 : rest
        // What is a little less than 0 becomes 360 by rounding.
        return positive < 360 ? positive : 0
    }
}
