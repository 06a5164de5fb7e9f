// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a ``ShakeDetector`` tells. Each ``began`` is followed by exactly one of the others.
public enum ShakeEvent: Sendable, Hashable, CaseIterable {
    /// The device is being shaken.
    case began
    /// The shaking stopped within about a second: a shake.
    case ended
    /// The shaking went on, or the samples stopped: no shake after all.
    case cancelled
}
