// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The methods that a ``CMHeadphoneMotionManager`` calls when headphones with sensors are connected or disconnected.
///
/// No such headphones can be connected here, so the methods are never called. Both are optional.
public protocol CMHeadphoneMotionManagerDelegate: NSObjectProtocol {
    /// Headphones with sensors were connected.
    func headphoneMotionManagerDidConnect(_ manager: CMHeadphoneMotionManager)

    /// Headphones with sensors were disconnected.
    func headphoneMotionManagerDidDisconnect(_ manager: CMHeadphoneMotionManager)
}

extension CMHeadphoneMotionManagerDelegate {
    /// Does nothing.
    public func headphoneMotionManagerDidConnect(_ manager: CMHeadphoneMotionManager) {}

    /// Does nothing.
    public func headphoneMotionManagerDidDisconnect(_ manager: CMHeadphoneMotionManager) {}
}
