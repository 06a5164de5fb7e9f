// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The key in the user information of both notifications for the accessory, an ``EAAccessory``.
public let EAAccessoryKey = "EAAccessoryKey"

/// The key in the user information of a connection for the accessory that was chosen in a picker. Never there: Linux has
/// no picker.
public let EAAccessorySelectedKey = "EAAccessorySelectedKey"

// The object of each is the shared manager.
extension NSNotification.Name {
    /// An accessory is connected and ready; `EAAccessoryKey` tells which.
    public static let EAAccessoryDidConnect = NSNotification.Name("EAAccessoryDidConnectNotification")

    /// An accessory is gone; `EAAccessoryKey` tells which.
    public static let EAAccessoryDidDisconnect = NSNotification.Name("EAAccessoryDidDisconnectNotification")
}
