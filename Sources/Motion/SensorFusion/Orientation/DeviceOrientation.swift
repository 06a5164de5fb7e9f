// SPDX-License-Identifier: Apache-2.0

/// The orientation of a device relative to gravity.
///
/// The names describe the device, not the content of its screen: in ``landscapeLeft`` the device is rotated
/// counterclockwise and its top edge points left. The raw values are those of `UIDeviceOrientation`. The accelerations
/// below are those at rest, in g, in Apple's axes and sign: x right, y up, z out of the screen, and the axis that
/// points up reads -1.
package enum DeviceOrientation: Int, Sendable, Hashable, CaseIterable {
    /// The orientation is not known yet.
    case unknown = 0
    /// Upright, top edge up: y = -1.
    case portrait = 1
    /// Upright, top edge down: y = +1.
    case portraitUpsideDown = 2
    /// Upright, top edge left, right edge up: x = -1.
    case landscapeLeft = 3
    /// Upright, top edge right, left edge up: x = +1.
    case landscapeRight = 4
    /// Flat, screen up: z = -1.
    case faceUp = 5
    /// Flat, screen down: z = +1.
    case faceDown = 6
}
