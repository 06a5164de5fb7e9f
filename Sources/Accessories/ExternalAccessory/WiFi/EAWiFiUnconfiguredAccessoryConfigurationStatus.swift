// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How configuring ended. Not on Linux.
@available(
    *, unavailable, message: "Setting up accessories over Wi-Fi takes Apple hardware and its views; Linux has neither."
)
public enum EAWiFiUnconfiguredAccessoryConfigurationStatus: Int, Sendable {
    /// It worked.
    case success
    /// The user has cancelled.
    case userCancelledConfiguration
    /// It failed.
    case failed
}
