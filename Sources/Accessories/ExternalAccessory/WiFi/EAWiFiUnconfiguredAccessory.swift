// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An accessory that is not on the Wi-Fi network yet. Not on Linux.
@available(
    *, unavailable, message: "Setting up accessories over Wi-Fi takes Apple hardware and its views; Linux has neither."
)
open class EAWiFiUnconfiguredAccessory: NSObject {
    /// Its name.
    open var name: String { "" }
    /// Its maker.
    open var manufacturer: String { "" }
    /// Its model.
    open var model: String { "" }
    /// The network that it makes.
    open var ssid: String { "" }
    /// Its address.
    open var macAddress: String { "" }
    /// What it can do.
    open var properties: EAWiFiUnconfiguredAccessoryProperties { [] }
}
