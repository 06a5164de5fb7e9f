// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The kind of device that a program's surface is made for.
public enum UIUserInterfaceIdiom: Int, Sendable {
    /// None of the others: what a Linux board is.
    case unspecified = -1
    /// A phone.
    case phone = 0
    /// A tablet.
    case pad = 1
    /// A television.
    case tv = 2
    /// The screen of a car.
    case carPlay = 3
    /// A computer.
    case mac = 5
    /// A headset.
    case vision = 6
}
