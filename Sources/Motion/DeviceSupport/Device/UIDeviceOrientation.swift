// SPDX-License-Identifier: Apache-2.0

/// The orientation of the device. The names refer to the device, not to the content of its screen.
public enum UIDeviceOrientation: Int, Sendable {
    /// The orientation is unknown, or no notifications are generated.
    case unknown = 0
    /// Upright, with the top edge up.
    case portrait = 1
    /// Upright, with the top edge down.
    case portraitUpsideDown = 2
    /// Upright, turned counterclockwise so that the right edge is up.
    case landscapeLeft = 3
    /// Upright, turned clockwise so that the left edge is up.
    case landscapeRight = 4
    /// Flat, with the screen up.
    case faceUp = 5
    /// Flat, with the screen down.
    case faceDown = 6

    /// True if the top edge is up or down.
    public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }

    /// True if the left or the right edge is up.
    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }

    /// True if the device lies face up or face down.
    public var isFlat: Bool { self == .faceUp || self == .faceDown }

    /// True if the device is upright, so that a user interface can follow the orientation.
    public var isValidInterfaceOrientation: Bool { isPortrait || isLandscape }
}
