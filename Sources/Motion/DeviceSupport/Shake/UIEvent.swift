// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// A motion event that a responder receives.
open class UIEvent: NSObject, @unchecked Sendable {
    // `@unchecked Sendable` because subclasses may add state. The properties of this class are immutable.
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

    /// Creates an event with the subtype `none` and timestamp 0, for subclasses that override the properties.
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
    /// The time of the reading that triggered the event, in seconds since boot, including time spent in suspend.
    open var timestamp: TimeInterval { sample?.time.seconds ?? 0 }
}

/// Additions to Apple's API.
extension UIEvent {
    /// The accelerometer reading that triggered the event, or nil if the app created the event.
    ///
    /// Compare the readings at the beginning and end of a shake to distinguish side-to-side from up-and-down shaking.
    public var acceleration: UIAcceleration? { sample?.object }
}
