// SPDX-License-Identifier: Apache-2.0

/// A source of advertisements of Bluetooth beacons.
public protocol BeaconSource: Sendable {
    /// The reason why beacons cannot be received at present; nil if they can. On a live source the access may take a
    /// few milliseconds, and at most 2 s.
    var problem: DeviceError? { get }

    /// Delivers events to the closure, in order and one at a time, on a thread of the source until the subscription
    /// ends. A loss that already exists is delivered before this call returns. The radio runs while there is a
    /// subscription.
    func subscribe(_ receive: @escaping @Sendable (BeaconEvent) -> Void) -> Subscription
}

/// An event of a beacon source.
public enum BeaconEvent: Sendable {
    /// An advertisement was received.
    case sighting(BeaconSighting)
    /// Beacons can no longer be received. The source keeps trying.
    case lost(DeviceError)
    /// Beacons can be received again.
    case regained
}

/// The identity that a beacon advertises.
public struct BeaconIdentity: Sendable, Hashable {
    /// The UUID that all beacons of one owner share.
    public var uuid: BeaconUUID
    /// Distinguishes groups of the owner's beacons.
    public var major: UInt16
    /// Distinguishes the beacons of a group.
    public var minor: UInt16

    /// Creates an identity.
    public init(uuid: BeaconUUID, major: UInt16, minor: UInt16) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }
}

/// A received advertisement of a beacon.
public struct BeaconSighting: Sendable {
    /// The identity of the beacon. It is not authenticated: any device can advertise any identity.
    public var identity: BeaconIdentity
    /// The received signal strength in dBm, -127 to 20; nil if the radio does not report it.
    public var rssi: Int8?
    /// The signal strength at a distance of 1 m in dBm, as advertised by the beacon.
    public var measuredPower: Int8
    /// The time of reception.
    public var time: BootTime

    /// Creates a sighting.
    public init(identity: BeaconIdentity, rssi: Int8?, measuredPower: Int8, time: BootTime) {
        self.identity = identity
        self.rssi = rssi
        self.measuredPower = measuredPower
        self.time = time
    }
}

/// The beacon source of a device without a radio.
public struct NoBeaconSource: BeaconSource {
    /// Creates a source without beacons.
    public init() {}

    /// An error that describes how to add a beacon source to the device.
    public var problem: DeviceError? {
        DeviceError(.notSupported, "This device has no beacon source. Pass one to its initializer (beaconSource:).")
    }

    /// Delivers the loss once and no further events.
    public func subscribe(_ receive: @escaping @Sendable (BeaconEvent) -> Void) -> Subscription {
        if let problem { receive(.lost(problem)) }
        return Subscription {}
    }
}
