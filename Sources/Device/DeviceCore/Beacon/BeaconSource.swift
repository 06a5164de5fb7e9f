// SPDX-License-Identifier: Apache-2.0

package protocol BeaconSource: Sendable {
    /// The reason beacons cannot be received, or nil if they can. A live source may need up to 2 s to find the reason.
    var problem: DeviceError? { get }

    /// Delivers events in order, one at a time, on the source's thread. If beacons are known to be unavailable,
    /// delivers `BeaconEvent.lost` before this call returns. The radio runs while there is a subscription.
    func subscribe(_ receive: @escaping @Sendable (BeaconEvent) -> Void) -> Subscription
}

/// An event from a beacon source.
public enum BeaconEvent: Sendable {
    /// An advertisement was received.
    case sighting(BeaconSighting)
    /// Beacons can no longer be received. The source keeps trying.
    case lost(DeviceError)
    /// Beacons can be received again.
    case regained
}

extension BeaconEvent: StatusEvent {}

/// The identity advertised by a beacon.
public struct BeaconIdentity: Sendable, Hashable {
    /// The UUID shared by all beacons of one owner.
    public var uuid: BeaconUUID
    /// A number that distinguishes groups of the owner's beacons.
    public var major: UInt16
    /// A number that distinguishes the beacons within a group.
    public var minor: UInt16

    /// Creates an identity.
    public init(uuid: BeaconUUID, major: UInt16, minor: UInt16) {
        (self.uuid, self.major, self.minor) = (uuid, major, minor)
    }
}

/// An advertisement received from a beacon.
public struct BeaconSighting: Sendable {
    /// The beacon's identity. It is not authenticated: any device can advertise any identity.
    public var identity: BeaconIdentity
    /// The received signal strength, from -127 to 20 dBm, or nil if the radio does not report it.
    public var rssi: Int8?
    /// The signal strength at a distance of 1 m, in dBm, as advertised by the beacon.
    public var measuredPower: Int8
    /// The time of reception.
    public var time: BootTime

    /// Creates a sighting.
    public init(identity: BeaconIdentity, rssi: Int8?, measuredPower: Int8, time: BootTime) {
        (self.identity, self.rssi, self.measuredPower, self.time) = (identity, rssi, measuredPower, time)
    }
}

package struct NoBeaconSource: BeaconSource {
    package init() {}

    package var problem: DeviceError? {
        DeviceError(
            .notSupported, "This device has no beacon source. Only the live device and recordings have one.")
    }

    package func subscribe(_ receive: @escaping @Sendable (BeaconEvent) -> Void) -> Subscription {
        if let problem { receive(.lost(problem)) }
        return Subscription {}
    }
}

/// Delivers beacon advertisements to subscribers. A source or a player owns the hub and must call `post` on one thread
/// at a time. Any thread may subscribe. No lock is held while subscribers run.
package final class BeaconHub: BeaconSource {
    private let registry: SubscriberRegistry<Void, Void, BeaconEvent>

    /// - Parameter demandChanged: Called whenever a subscriber is added or removed. Calls may arrive out of order, so
    ///   the closure must read the current value of `hasSubscribers`.
    package init(demandChanged: @escaping @Sendable () -> Void = {}) {
        registry = SubscriberRegistry((), demandChanged: demandChanged)
    }

    package var status: SourceStatus { registry.status }
    package var problem: DeviceError? { status.error }
    package var hasSubscribers: Bool { registry.hasSubscribers }

    package func subscribe(_ receive: @escaping @Sendable (BeaconEvent) -> Void) -> Subscription {
        let subscriber = Subscriber<Void, BeaconEvent>((), receive: receive)
        registry.add(subscriber)
        // The subscriber must be started before `subscription(of:)` starts the source, so that no event is missed.
        subscriber.state.start(subscriber.notify)
        return registry.subscription(of: subscriber)
    }

    package func post(_ sighting: BeaconSighting) { registry.publish { _ in .sighting(sighting) } }
    package func setStatus(_ status: SourceStatus) { registry.setStatus(status) }
}
