// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Is told when an accessory is gone.
public protocol EAAccessoryDelegate: NSObjectProtocol {
    /// The accessory is gone; its `isConnected` is false and the streams of its sessions have been told, unless much
    /// is left to be read from them: see ``EASession``.
    ///
    /// Called on the main thread, before the notification is posted, and without any registration for notifications.
    func accessoryDidDisconnect(_ accessory: EAAccessory)
}

extension EAAccessoryDelegate {
    /// Does nothing.
    public func accessoryDidDisconnect(_ accessory: EAAccessory) {}

    /// `accessoryDidDisconnect(_:)` for a call with a question mark, as the requirement is optional on Apple's platforms;
    /// never nil.
    public var accessoryDidDisconnect: ((EAAccessory) -> Void)? {
        { accessory in self.accessoryDidDisconnect(accessory) }
    }
}
