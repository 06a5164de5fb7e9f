// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import LiveDevice

/// A manager for headphone motion, which is not supported on Linux. Device motion is never available. A handler is
/// called once with `CMErrorNotAvailable`, and the delegate is never called.
open class CMHeadphoneMotionManager: NSObject {
    /// The handler for device motion updates, which receives either device motion or an error.
    public typealias DeviceMotionHandler = (CMDeviceMotion?, (any Error)?) -> Void
    /// The delegate, held weakly.
    open weak var delegate: (any CMHeadphoneMotionManagerDelegate)?
    /// True between calls to ``startConnectionStatusUpdates()`` and ``stopConnectionStatusUpdates()``.
    open private(set) var isConnectionStatusActive = false

    private let device: Device
    private let pendingError = PendingCallSlot()

    /// Creates a manager for the current device.
    public override init() { device = LiveDevice.resolved }

    /// Always returns `authorized`, because no permission is needed.
    open class func authorizationStatus() -> CMAuthorizationStatus { .authorized }
    /// Always false on Linux.
    open var isDeviceMotionAvailable: Bool { false }
    /// Always false on Linux.
    open var isDeviceMotionActive: Bool { false }
    /// Always nil on Linux.
    open var deviceMotion: CMDeviceMotion? { nil }

    /// Does not start updates. Cancels the pending handler call, if any.
    open func startDeviceMotionUpdates() { pendingError.set(nil) }

    /// Calls the handler once on the queue with `CMErrorNotAvailable`, unless ``stopDeviceMotionUpdates()`` is called
    /// first.
    open func startDeviceMotionUpdates(
        to queue: OperationQueue, withHandler handler: @escaping CMHeadphoneMotionManager.DeviceMotionHandler
    ) {
        pendingError.set(
            PendingCall(device: device, queue: queue) {
                let message = "Headphone motion is not available: headphones with sensors are not supported."
                handler(nil, CMErrorNotAvailable.error(message))
            })
    }

    /// Cancels the pending handler call, if any.
    open func stopDeviceMotionUpdates() { pendingError.set(nil) }

    /// Sets ``isConnectionStatusActive`` to true. The delegate is never called.
    open func startConnectionStatusUpdates() { isConnectionStatusActive = true }

    /// Sets ``isConnectionStatusActive`` to false.
    open func stopConnectionStatusUpdates() { isConnectionStatusActive = false }
}

/// The methods that a ``CMHeadphoneMotionManager`` calls when headphones with sensors are connected or disconnected. On
/// Linux, they are never called.
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
