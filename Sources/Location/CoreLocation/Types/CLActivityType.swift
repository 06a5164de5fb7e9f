// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What the program's user is doing, as a hint for saving power.
public enum CLActivityType: Int, Sendable {
    /// Not known.
    case other = 1

    /// Driving, following a route.
    case automotiveNavigation = 2

    /// Walking, running, cycling and the like.
    case fitness = 3

    /// Moving in another vehicle: a boat, a train, an aeroplane.
    case otherNavigation = 4

    /// Flying.
    case airborne = 5
}
