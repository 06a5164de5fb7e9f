// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The methods that a ``CMHeadphoneMotionManager`` calls when headphones with sensors are connected or disconnected.
///
/// Headphones are not supported on Linux, so the methods are never called. Both are optional.
public protocol CMHeadphoneMotionManagerDelegate: NSObjectProtocol {
    /// Headphones with sensors have been connected.
    func headphoneMotionManagerDidConnect(_ manager: CMHeadphoneMotionManager)

    /// Headphones with sensors have been disconnected.
    func headphoneMotionManagerDidDisconnect(_ manager: CMHeadphoneMotionManager)
}

extension CMHeadphoneMotionManagerDelegate {
    /// Does nothing.
    public func headphoneMotionManagerDidConnect(_ manager: CMHeadphoneMotionManager) {}

    /// Does nothing.
    public func headphoneMotionManagerDidDisconnect(_ manager: CMHeadphoneMotionManager) {}
}
