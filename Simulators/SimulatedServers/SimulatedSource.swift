// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a program on a simulated machine gets its readings from.
public enum SimulatedSource: String, Sendable, CaseIterable {
    /// Positions, from a gpsd.
    case positions
    /// Motion sensors, from an iiod.
    case motion
    /// Accessories, announced in a folder.
    case accessories
}
