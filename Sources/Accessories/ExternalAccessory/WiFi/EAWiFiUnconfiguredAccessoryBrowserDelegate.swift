// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Is told what a browser finds. Not on Linux.
@available(
    *, unavailable, message: "Setting up accessories over Wi-Fi takes Apple hardware and its views; Linux has neither."
)
public protocol EAWiFiUnconfiguredAccessoryBrowserDelegate: NSObjectProtocol {}
