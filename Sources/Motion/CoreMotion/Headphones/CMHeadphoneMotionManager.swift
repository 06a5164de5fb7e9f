// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import LiveDevice

/// A manager for the motion of headphones with motion sensors. Headphones are not supported on Linux.
///
/// The manager behaves as on a device without headphone motion support: device motion is not available, and a handler
/// is called once, on its queue, with `CMErrorNotAvailable`. The delegate is never called.
open class CMHeadphoneMotionManager: NSObject {
    /// The handler of device motion updates. It receives either device motion or an error; the other argument is nil.
    public typealias DeviceMotionHandler = (CMDeviceMotion?, (any Error)?) -> Void

    /// The delegate, held weakly.
    open weak var delegate: (any CMHeadphoneMotionManagerDelegate)?

    /// True between ``startConnectionStatusUpdates()`` and ``stopConnectionStatusUpdates()``.
    open private(set) var isConnectionStatusActive = false

    private let device: Device
    private let refusal = PendingCallSlot()

    /// Creates a manager for the current device.
    public override init() { device = LiveDevice.resolved }

    /// Always returns `authorized`, because no permission is needed.
    open class func authorizationStatus() -> CMAuthorizationStatus { .authorized }

    /// Always false, because no headphones with sensors can be connected.
    open var isDeviceMotionAvailable: Bool { false }

    /// Always false, because device motion is never delivered.
    open var isDeviceMotionActive: Bool { false }

    /// Always nil, because device motion is never delivered.
    open var deviceMotion: CMDeviceMotion? { nil }

    /// Cancels the pending handler call, if there is one. Does not start updates, because device motion is not
    /// available.
    open func startDeviceMotionUpdates() { refusal.set(nil) }

    /// Calls the handler once with `CMErrorNotAvailable`, unless ``stopDeviceMotionUpdates()`` is called first.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the handler is called.
    ///   - handler: Called with nil and the error.
    open func startDeviceMotionUpdates(
        to queue: OperationQueue, withHandler handler: @escaping CMHeadphoneMotionManager.DeviceMotionHandler
    ) {
        refusal.set(
            PendingCall(device: device, queue: queue) {
                let message = "Headphone motion is not available: headphones with sensors are not supported."
                handler(nil, CMErrorNotAvailable.error(message))
            })
    }

    /// Cancels the pending handler call, if there is one.
    open func stopDeviceMotionUpdates() { refusal.set(nil) }

    /// Starts connection updates. The delegate is never called, because headphones are not supported.
    open func startConnectionStatusUpdates() { isConnectionStatusActive = true }

    /// Stops connection updates.
    open func stopConnectionStatusUpdates() { isConnectionStatusActive = false }
}

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
