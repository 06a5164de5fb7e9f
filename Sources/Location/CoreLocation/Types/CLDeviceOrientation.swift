// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How the device is held, for headings: the heading is that of the edge that this orientation has at the top.
///
/// Headings take the first four only; the others do not say which edge that is.
///
/// The numbering is that of `UIDeviceOrientation`.
public enum CLDeviceOrientation: Int32, Sendable {
    /// Not known.
    case unknown = 0

    /// Upright, the top edge up.
    case portrait = 1

    /// Upside down, the top edge down.
    case portraitUpsideDown = 2

    /// On its side, the top edge to the left.
    case landscapeLeft = 3

    /// On its side, the top edge to the right.
    case landscapeRight = 4

    /// Lying flat, the screen up.
    case faceUp = 5

    /// Lying flat, the screen down.
    case faceDown = 6
}
