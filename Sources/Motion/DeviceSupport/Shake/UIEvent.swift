// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// A motion event that a responder receives.
///
/// It indicates only that a shake has begun or is over. Each event has its own values and is immutable.
open class UIEvent: NSObject, @unchecked Sendable {
    // Unchecked because subclasses may add state; the properties of this class are immutable.
    /// The type of an event.
    public enum EventType: Int, Sendable {
        /// A movement of the device.
        case motion = 1
    }

    /// The subtype of an event.
    public enum EventSubtype: Int, Sendable {
        /// No specific subtype.
        case none = 0
        /// The device is shaken.
        case motionShake = 1
    }

    let sample: AccelerationSample?
    private let ownSubtype: EventSubtype

    /// Creates an event with the subtype `none` at time 0, for subclasses that override the values.
    public override init() {
        sample = nil
        ownSubtype = .none
    }

    init(shakeAt sample: AccelerationSample) {
        self.sample = sample
        ownSubtype = .motionShake
    }

    /// The type of the event.
    open var type: EventType { .motion }

    /// The subtype of the event.
    open var subtype: EventSubtype { ownSubtype }

    /// The time of the reading with which the event was detected, in seconds since boot, including suspend.
    open var timestamp: TimeInterval { sample?.time.seconds ?? 0 }
}

/// Additions to Apple's API.
extension UIEvent {
    /// The accelerometer reading that caused the event, even if the app has not started the accelerometer; nil for an
    /// event that the app has created.
    ///
    /// The change between the beginning and the end distinguishes side-to-side shaking from up-and-down shaking.
    public var acceleration: UIAcceleration? { sample?.object }
}
