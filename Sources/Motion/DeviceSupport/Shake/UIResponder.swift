// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import LiveDevice

/// An object that receives motion events. Unlike Apple's class, it has only the methods for motion events.
///
/// Create a subclass, make an instance the first responder, and keep a reference to the instance. Shakes are detected
/// only while there is a first responder. During that time, the accelerometer runs at 50 Hz.
///
/// ```swift
/// final class Listener: UIResponder {
///     override var canBecomeFirstResponder: Bool { true }
///
///     override func motionEnded(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
///         if motion == .motionShake { print("shaken") }
///     }
/// }
/// let listener = Listener()
/// listener.becomeFirstResponder()
/// ```
///
/// After `motionBegan`, the same object receives exactly one more call: `motionEnded` if the shaking stops within about
/// a second, or `motionCancelled` otherwise. All methods are called on the main queue, which requires
/// `RunLoop.main.run()`, `dispatchMain()` or an async `main`.
///
/// A responder belongs to the device that is current when the responder is created. The first responder is held weakly.
@preconcurrency @MainActor
open class UIResponder: NSObject {
    private let device: Device

    /// Creates a responder for the current device.
    public override nonisolated init() { device = LiveDevice.resolved }

    var shakeMonitor: ShakeMonitor { ShakeMonitor.of(device) }
    /// The responder that receives events that this object does not handle. The default is nil.
    open var next: UIResponder? { nil }
    /// True if the object can become first responder. The default is false.
    open var canBecomeFirstResponder: Bool { false }
    /// True if the object can resign as first responder. The default is true.
    open var canResignFirstResponder: Bool { true }
    /// True if the object is the first responder.
    open var isFirstResponder: Bool { shakeMonitor.firstResponder === self }

    /// Makes the object the first responder. Returns false if this object or the current first responder refuses.
    @discardableResult open func becomeFirstResponder() -> Bool {
        if isFirstResponder { return true }
        guard canBecomeFirstResponder else { return false }
        if let present = shakeMonitor.firstResponder, !present.resignFirstResponder() { return false }
        shakeMonitor.firstResponder = self
        return true
    }

    /// Resigns as first responder. Returns false if the object cannot resign.
    @discardableResult open func resignFirstResponder() -> Bool {
        guard isFirstResponder else { return true }
        guard canResignFirstResponder else { return false }
        shakeMonitor.firstResponder = nil
        return true
    }

    /// Called when shaking begins. The default implementation calls the next responder.
    open func motionBegan(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
        next?.motionBegan(motion, with: event)
    }

    /// Called when shaking ends. The default implementation calls the next responder.
    open func motionEnded(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
        next?.motionEnded(motion, with: event)
    }

    /// Called when a shake that has begun is cancelled. The default implementation calls the next responder.
    open func motionCancelled(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
        next?.motionCancelled(motion, with: event)
    }
}

/// An addition to Apple's API. In UIKit, windows keep track of the first responder, but this package has no windows.
extension UIResponder {
    /// The first responder for motion events on the current device, held weakly, or nil if there is none.
    ///
    /// Setting the property to an object calls `becomeFirstResponder()` on the object. Setting it to nil calls
    /// `resignFirstResponder()` on the first responder. If the call returns false, the property does not change.
    public static var firstResponder: UIResponder? {
        get { ShakeMonitor.of(LiveDevice.resolved).firstResponder }
        set {
            if let newValue {
                newValue.becomeFirstResponder()
            } else {
                firstResponder?.resignFirstResponder()
            }
        }
    }
}
