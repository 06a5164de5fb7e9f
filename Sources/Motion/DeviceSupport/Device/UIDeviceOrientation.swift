// SPDX-License-Identifier: Apache-2.0

/// How the device is held. The names speak of the device, not of what its screen shows.
public enum UIDeviceOrientation: Int, Sendable {
    /// Not known, or nobody asked for orientations.
    case unknown = 0
    /// Upright, top edge up.
    case portrait = 1
    /// Upright, top edge down.
    case portraitUpsideDown = 2
    /// Upright, turned counterclockwise: the right edge is up.
    case landscapeLeft = 3
    /// Upright, turned clockwise: the left edge is up.
    case landscapeRight = 4
    /// Lying, screen up.
    case faceUp = 5
    /// Lying, screen down.
    case faceDown = 6

    /// True with the top edge up or down.
    public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }

    /// True with the left or right edge up.
    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }

    /// True when it lies face up or face down.
    public var isFlat: Bool { self == .faceUp || self == .faceDown }

    /// True when an edge is up, so that a picture could follow it.
    public var isValidInterfaceOrientation: Bool { isPortrait || isLandscape }
}
