// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a browser does. Not on Linux.
@available(
    *, unavailable, message: "Setting up accessories over Wi-Fi takes Apple hardware and its views; Linux has neither."
)
public enum EAWiFiUnconfiguredAccessoryBrowserState: Int, Sendable {
    /// There is no Wi-Fi.
    case wiFiUnavailable
    /// It does nothing.
    case stopped
    /// It searches.
    case searching
    /// It configures.
    case configuring
}
