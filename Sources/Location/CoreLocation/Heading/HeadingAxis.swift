// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion

/// The axis of the device whose direction is the heading.
///
/// It is the edge that the orientation has at the top: +y in portrait, -y upside down, +x in `landscapeLeft` (the top
/// edge points left, so the right one is up), -x in `landscapeRight`. When that edge points so steeply up that it hardly
/// points anywhere in the plane, it is the back of the device, -z, as for a camera that is held upright; when the edge
/// points steeply down it is the face, +z. Tilting without rolling brings one over into the other without a jump.
struct HeadingAxis: Sendable {
    /// From edge to back beyond 60 degrees above or below the horizon...
    private static let enterSine = 0.866_025_403_784_438_6
    /// ...and back again below 50.
    private static let leaveSine = 0.766_044_443_118_978

    private var isSteep = false

    /// The direction of the axis in degrees clockwise from north, 0 ..< 360, and how much of its length lies in the
    /// plane, 0 ... 1.
    /// - Parameter attitude: From the device's axes to east, north, up.
    mutating func direction(
        of orientation: CLDeviceOrientation, attitude: Quaternion
    ) -> (heading: Double, flatness: Double) {
        var direction = attitude.rotate(Self.edge(of: orientation))
        let sine = abs(direction.z)
        isSteep = sine > (isSteep ? Self.leaveSine : Self.enterSine)
        if isSteep { direction = attitude.rotate(SIMD3(0, 0, direction.z > 0 ? -1 : 1)) }
        let flatness = min(1, (direction.x * direction.x + direction.y * direction.y).squareRoot())
        return (Self.degrees(atan2(direction.x, direction.y) * 180 / .pi), flatness)
    }

    /// The edge that is at the top.
    static func edge(of orientation: CLDeviceOrientation) -> SIMD3<Double> {
        switch orientation {
        case .portraitUpsideDown: SIMD3(0, -1, 0)
        case .landscapeLeft: SIMD3(1, 0, 0)
        case .landscapeRight: SIMD3(-1, 0, 0)
        // The last three are never taken for a heading.
        case .portrait, .unknown, .faceUp, .faceDown: SIMD3(0, 1, 0)
        }
    }

    /// Degrees clockwise from the top edge to the one that is at the top, seen from above on a device that lies flat.
    static func turn(of orientation: CLDeviceOrientation) -> Double {
        let edge = edge(of: orientation)
        return degrees(atan2(edge.x, edge.y) * 180 / .pi)
    }

    /// The same angle in 0 ..< 360.
    static func degrees(_ angle: Double) -> Double {
        // Most often there is nothing to be taken off.
        let rest = abs(angle) < 360 ? angle : angle.truncatingRemainder(dividingBy: 360)
        let positive = rest < 0 ? rest + 360 : rest
        // What is a little less than 0 becomes 360 by rounding.
        return positive < 360 ? positive : 0
    }
}
