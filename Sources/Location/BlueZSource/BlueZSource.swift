// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// The Bluetooth beacons that BlueZ receives, over the system bus, in D-Bus's own protocol without a library.
///
/// One thread runs while there is a subscriber, and waits in poll(2). If BlueZ sends nothing for 10 s, it is asked whether it
/// still answers. BlueZ may start later or restart, and an adapter may come, go, or be switched off and on: signals of the
/// bus report that. Only if the bus is away or BlueZ answers with an error, the thread tries again by itself.
public final class BlueZSource: BeaconSource {
    /// Seconds that the look at BlueZ takes at most.
    static let probeTime = 2.0

    private let hub: BeaconHub
    private let listener: Listener

    /// A source over the bus of the system. Nothing is opened yet.
    ///
    /// - Parameter address: The address of the bus; nil for what `DBUS_SYSTEM_BUS_ADDRESS` says, else the standard one.
    public init(address: String? = nil, clock: any DeviceClock) {
        let address = address ?? SystemBus.standardAddress
        let listener = Listener(address: address, clock: clock)
        let thread = SourceThread<BeaconHub>(
            for: "the beacon source", pause: 10, work: { hub, wakeUp in listener.listen(hub, wakeUp) })
        hub = BeaconHub { thread.demandChanged() }
        thread.attach(hub)
        self.listener = listener
    }

    /// The error while beacons cannot be received; otherwise nil. Without a subscriber it has to be requested from BlueZ,
    /// which takes some milliseconds, and two seconds at most.
    public var problem: DeviceError? {
        switch hub.status {
        case .available: return nil
        case .unavailable(let error): return error
        case .unknown: break
        }
        do throws(DeviceError) {
            var session = try BlueZSession(
                address: listener.address, clock: listener.clock, wakeUp: try WakeUp(for: "the beacon source"),
                listens: false)
            return try session.probe(until: listener.clock.now.advanced(bySeconds: Self.probeTime))
        } catch {
            return error
        }
    }

    /// Hands events to the closure on the source's thread.
    public func subscribe(_ receive: @escaping @Sendable (BeaconEvent) -> Void) -> Subscription {
        hub.subscribe(receive)
    }
}

extension BlueZSource {
    /// The work of the source's thread: connect, listen until the connection ends, wait, and again.
    private final class Listener: Sendable {
        let address: String
        let clock: any DeviceClock

        init(address: String, clock: any DeviceClock) {
            self.address = address
            self.clock = clock
        }

        func listen(_ hub: BeaconHub, _ wakeUp: WakeUp) {
            var backoff = Backoff(first: 0.25, limit: 10)
            while hub.isWanted {
                var works = false
                do throws(DeviceError) {
                    var session = try BlueZSession(address: address, clock: clock, wakeUp: wakeUp, listens: true)
                    try session.run(while: { hub.isWanted }) { event in
                        works = true
                        switch event {
                        case .sighting(let sighting): hub.post(sighting)
                        case .lost(let error): hub.setStatus(.unavailable(error))
                        case .regained: hub.setStatus(.available)
                        }
                    }
                } catch {
                    if works { backoff.reset() }
                    hub.setStatus(.unavailable(error))
                    // A new or cancelled subscription ends the pause.
                    _ = wakeUp.wait(for: nil, until: clock.now.advanced(bySeconds: backoff.take()), clock: clock)
                }
            }
        }
    }
}
