// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// An acceleration in two parts, in the unit and the sign in which it was given.
package struct SeparatedAcceleration: Sendable, Equatable {
    /// The part that lasts: gravity.
    package var gravity: SIMD3<Double>

    /// The rest: what whoever holds the device does to it.
    package var userAcceleration: SIMD3<Double>

    /// Creates the two parts.
    package init(gravity: SIMD3<Double>, userAcceleration: SIMD3<Double>) {
        self.gravity = gravity
        self.userAcceleration = userAcceleration
    }
}
