// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// A shake of the device, as a responder hears of it.
///
/// An event tells that a shake began or is over, and nothing else; each has values of its own that never change.
open class UIEvent: NSObject, @unchecked Sendable {
    // Unchecked: subclasses may add what they like; what is here never changes.
    /// The kinds of events.
    public enum EventType: Int, Sendable {
        /// A movement of the device.
        case motion = 1
    }

    /// The kinds of movements.
    public enum EventSubtype: Int, Sendable {
        /// No particular one.
        case none = 0
        /// The device is shaken.
        case motionShake = 1
    }

    let sample: AccelerationSample?
    private let ownSubtype: EventSubtype

    /// An event of no particular movement at time 0, for subclasses that bring their own values.
    public override init() {
        sample = nil
        ownSubtype = .none
    }

    init(shakeAt sample: AccelerationSample) {
        self.sample = sample
        ownSubtype = .motionShake
    }

    /// What kind of event it is.
    open var type: EventType { .motion }

    /// What kind of movement it is.
    open var subtype: EventSubtype { ownSubtype }

    /// When it happened, in seconds since boot, suspend included: the time of the reading that made it certain.
    open var timestamp: TimeInterval { sample?.time.seconds ?? 0 }
}
