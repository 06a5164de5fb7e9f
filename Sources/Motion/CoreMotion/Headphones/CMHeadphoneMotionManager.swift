// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation
import LiveDevice

/// An object that delivers the motion of headphones with motion sensors, none of which are supported.
///
/// It behaves as on a device that does not support it: device motion is not available, and a handler is called once, on
/// its queue, with `CMErrorNotAvailable`. The delegate is never called.
open class CMHeadphoneMotionManager: NSObject {
    /// The type of a handler, which receives either device motion or an error. Exactly one of the two is nil.
    public typealias DeviceMotionHandler = (CMDeviceMotion?, (any Error)?) -> Void

    /// The delegate, held weakly.
    open weak var delegate: (any CMHeadphoneMotionManagerDelegate)?

    /// True between ``startConnectionStatusUpdates()`` and ``stopConnectionStatusUpdates()``.
    open private(set) var isConnectionStatusActive = false

    private let device: Device
    private let refusal = RefusalSlot()

    /// Creates a manager for the device in force.
    public override init() { device = LiveDevice.resolved }

    /// Always `CMAuthorizationStatus.authorized`: no permission is needed.
    open class func authorizationStatus() -> CMAuthorizationStatus { .authorized }

    /// False: no headphones with sensors can be connected.
    open var isDeviceMotionAvailable: Bool { false }

    /// False: device motion is never delivered.
    open var isDeviceMotionActive: Bool { false }

    /// nil: there is no device motion.
    open var deviceMotion: CMDeviceMotion? { nil }

    /// Does nothing, as device motion is not available.
    open func startDeviceMotionUpdates() { refusal.set(nil) }

    /// Calls the handler once with `CMErrorNotAvailable`, unless ``stopDeviceMotionUpdates()`` is called before.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the handler is called.
    ///   - handler: Called with nil and the error.
    open func startDeviceMotionUpdates(
        to queue: OperationQueue, withHandler handler: @escaping CMHeadphoneMotionManager.DeviceMotionHandler
    ) {
        refusal.set(
            PendingRefusal(device: device, delivery: AppDelivery.on(queue, device: device)) {
                handler(
                    nil,
                    CMErrorNotAvailable.error(
                        "There is no device motion of headphones: no headphones with sensors can be connected."))
            })
    }

    /// Cancels the pending call of the handler, if there is one.
    open func stopDeviceMotionUpdates() { refusal.set(nil) }

    /// Starts observing connections, none of which occur.
    open func startConnectionStatusUpdates() { isConnectionStatusActive = true }

    /// Stops observing connections.
    open func stopConnectionStatusUpdates() { isConnectionStatusActive = false }
}
