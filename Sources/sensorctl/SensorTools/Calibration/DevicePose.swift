// SPDX-License-Identifier: Apache-2.0

import SensorFusion

/// One of the six orientations of a device on a table. In each pose, a different side of the device faces up.
///
/// The x axis points to the right edge, y to the top edge, and z out of the screen. A bare sensor's axes are those in
/// its data sheet.
package enum DevicePose: String, Sendable, Hashable, CaseIterable {
    case faceUp, faceDown, topEdgeUp, bottomEdgeUp, rightEdgeUp, leftEdgeUp

    /// The unit vector that points up, in the device's axes. A resting accelerometer measures this direction.
    package var up: SIMD3<Double> { attributes.up }

    /// An instruction for the user, without an initial capital or a full stop.
    package var hint: String { attributes.hint }

    private var attributes: (up: SIMD3<Double>, hint: String) {
        switch self {
        case .faceUp: ([0, 0, 1], "lay it flat, face up")
        case .faceDown: ([0, 0, -1], "lay it flat, face down")
        case .topEdgeUp: ([0, 1, 0], "stand it upright, top edge up")
        case .bottomEdgeUp: ([0, -1, 0], "stand it upside down, bottom edge up")
        case .rightEdgeUp: ([1, 0, 0], "stand it on its left edge, right edge up")
        case .leftEdgeUp: ([-1, 0, 0], "stand it on its right edge, left edge up")
        }
    }

    /// Creates the pose in which a resting accelerometer measures `acceleration`, in any unit. Returns nil if no axis
    /// is within 25° of the vertical.
    package init?(acceleration: SIMD3<Double>) {
        let length = acceleration.length
        guard length.isFinite, length > 0 else { return nil }
        // cos(25°)
        guard let pose = Self.allCases.first(where: { ($0.up * acceleration).sum() > 0.9063 * length }) else {
            return nil
        }
        self = pose
    }
}
