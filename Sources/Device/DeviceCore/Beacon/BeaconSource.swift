// SPDX-License-Identifier: Apache-2.0

/// Where the advertisements of Bluetooth beacons come from.
public protocol BeaconSource: Sendable {
    /// Why beacons cannot be heard now, and what to do about it; nil when they can. Asking a live source may take some
    /// milliseconds, and two seconds at most.
    var problem: DeviceError? { get }

    /// Hands events to the closure, in order and one at a time, on a thread of the source's own until the subscription
    /// ends. A loss that lasts already is told before this call returns. The radio runs while there is a subscription.
    func subscribe(_ receive: @escaping @Sendable (BeaconEvent) -> Void) -> Subscription
}

/// What a beacon source tells.
public enum BeaconEvent: Sendable {
    /// A beacon was heard.
    case sighting(BeaconSighting)
    /// No beacon can be heard from here on. The source keeps trying.
    case lost(DeviceError)
    /// Beacons can be heard again.
    case regained
}

/// What a beacon calls itself: whose it is, and which one of theirs.
public struct BeaconIdentity: Sendable, Hashable {
    /// The same for all beacons of one owner.
    public var uuid: BeaconUUID
    /// Tells groups of them apart.
    public var major: UInt16
    /// Tells the beacons of a group apart.
    public var minor: UInt16

    /// An identity of those parts.
    public init(uuid: BeaconUUID, major: UInt16, minor: UInt16) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }
}

/// One advertisement of a beacon as it was received.
public struct BeaconSighting: Sendable {
    /// Which beacon it was. Nothing vouches for it: anybody may send any identity.
    public var identity: BeaconIdentity
    /// How strongly it was received, in dBm, -127 to 20; nil when the radio did not say.
    public var rssi: Int8?
    /// How strongly it is received at a distance of one metre, in dBm, as the beacon says of itself.
    public var measuredPower: Int8
    /// When it was received.
    public var time: BootTime

    /// A sighting of those parts.
    public init(identity: BeaconIdentity, rssi: Int8?, measuredPower: Int8, time: BootTime) {
        self.identity = identity
        self.rssi = rssi
        self.measuredPower = measuredPower
        self.time = time
    }
}

/// The source of a device without a radio.
public struct NoBeaconSource: BeaconSource {
    /// A source of nothing.
    public init() {}

    /// Says that there is none.
    public var problem: DeviceError? {
        DeviceError(.notSupported, "This device has no source of beacons. Give it one when it is made (beaconSource:).")
    }

    /// Tells why nothing will come.
    public func subscribe(_ receive: @escaping @Sendable (BeaconEvent) -> Void) -> Subscription {
        if let problem { receive(.lost(problem)) }
        return Subscription {}
    }
}
