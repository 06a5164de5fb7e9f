// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import LiveDevice

/// An object that hears of shakes: the motion half of Apple's class, as there are no windows here.
///
/// Derive a class, make an object of it the first responder, and keep it. Shakes are looked for, with the accelerometer
/// at 50 Hz, only while there is a first responder.
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
/// After `motionBegan` the same object gets exactly one more call: `motionEnded` (the shaking stopped within about a
/// second) or `motionCancelled` (it went on, another object became first responder, or the accelerometer is gone). All
/// are called on the main queue, which needs `RunLoop.main.run()`, `dispatchMain()` or an async main. Shaking does not
/// change the orientation.
///
/// A responder belongs to the device in force where it is made: that of `SimulatedDevice.use`, else the live one. The
/// first responder is held weakly.
@preconcurrency @MainActor
open class UIResponder: NSObject {
    private let device: Device

    /// A responder for the device in force.
    public override nonisolated init() { device = LiveDevice.resolved }

    var shakeMonitor: ShakeMonitor { ShakeMonitor.of(device) }

    // MARK: The chain

    /// Who hears of what this object does not handle. Default: nil, nobody.
    open var next: UIResponder? { nil }

    /// Whether it may become first responder. Default: false.
    open var canBecomeFirstResponder: Bool { false }

    /// Whether it may stop being first responder. Default: true.
    open var canResignFirstResponder: Bool { true }

    /// True while it is the first responder.
    open var isFirstResponder: Bool { shakeMonitor.firstResponder === self }

    /// Makes it the first responder; false when it may not be, or the present one does not resign.
    @discardableResult
    open func becomeFirstResponder() -> Bool {
        if isFirstResponder { return true }
        guard canBecomeFirstResponder else { return false }
        if let present = shakeMonitor.firstResponder, !present.resignFirstResponder() { return false }
        shakeMonitor.firstResponder = self
        return true
    }

    /// Stops being first responder; false when it may not. Without a first responder nobody hears of shakes.
    @discardableResult
    open func resignFirstResponder() -> Bool {
        guard isFirstResponder else { return true }
        guard canResignFirstResponder else { return false }
        shakeMonitor.firstResponder = nil
        return true
    }

    // MARK: Motion

    /// The device has begun to be shaken. The default asks the next responder.
    open func motionBegan(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
        next?.motionBegan(motion, with: event)
    }

    /// The device has been shaken. The default asks the next responder.
    open func motionEnded(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
        next?.motionEnded(motion, with: event)
    }

    /// What began was no shake after all. The default asks the next responder.
    open func motionCancelled(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
        next?.motionCancelled(motion, with: event)
    }
}
