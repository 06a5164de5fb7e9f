// SPDX-License-Identifier: Apache-2.0

import SensorFusion

/// One of the six ways to stand a box on a table: which of its axes points up.
///
/// The axes are x to the right, y to the top edge and z out of the screen. For a sensor by itself they are those
/// printed in its data sheet.
package enum DevicePose: String, Sendable, Hashable, CaseIterable {
    /// Flat with the screen to the ceiling: z up.
    case faceUp
    /// Flat with the screen on the table: z down.
    case faceDown
    /// Upright: y up.
    case topEdgeUp
    /// Standing on its head: y down.
    case bottomEdgeUp
    /// On its left edge: x up.
    case rightEdgeUp
    /// On its right edge: x down.
    case leftEdgeUp

    /// The direction up in the device's axes, which is also that of a resting accelerometer's reading.
    package var up: SIMD3<Double> {
        switch self {
        case .faceUp: [0, 0, 1]
        case .faceDown: [0, 0, -1]
        case .topEdgeUp: [0, 1, 0]
        case .bottomEdgeUp: [0, -1, 0]
        case .rightEdgeUp: [1, 0, 0]
        case .leftEdgeUp: [-1, 0, 0]
        }
    }

    /// What to do, as an English sentence without full stop.
    package var hint: String {
        switch self {
        case .faceUp: "lay it flat, face up"
        case .faceDown: "lay it flat, face down"
        case .topEdgeUp: "stand it upright, top edge up"
        case .bottomEdgeUp: "stand it on its head, bottom edge up"
        case .rightEdgeUp: "stand it on its left edge, right edge up"
        case .leftEdgeUp: "stand it on its right edge, left edge up"
        }
    }

    /// The pose in which a resting accelerometer gives about that reading; nil when no axis points up or down within
    /// 25 degrees.
    package init?(acceleration: SIMD3<Double>) {
        let length = acceleration.length
        guard length.isFinite, length > 0 else { return nil }
        // The cosine of 25 degrees.
        guard let pose = Self.allCases.first(where: { ($0.up * acceleration).sum() > 0.9063 * length }) else {
            return nil
        }
        self = pose
    }
}
