// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization

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
            for: "the beacon source", pause: 10, work: { hub, wakeUp in listener.listen(hub, wakeUp) },
            rest: { hub in listener.rest(hub) })
        hub = BeaconHub { thread.demandChanged() }
        thread.attach(hub)
        self.listener = listener
    }

    /// Why beacons cannot be heard now. While somebody listens that is known; else BlueZ is asked, which takes some
    /// milliseconds, and two seconds at most.
    public var problem: DeviceError? {
        if listener.isSettled { return hub.problem }
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
        private let settled = Atomic<Bool>(false)

        init(address: String, clock: any DeviceClock) {
            self.address = address
            self.clock = clock
        }

        /// True while the hub knows whether beacons can be heard.
        var isSettled: Bool { settled.load(ordering: .acquiring) }

        func listen(_ hub: BeaconHub, _ wakeUp: WakeUp) {
            var backoff = Backoff(first: 0.25, limit: 10)
            while hub.isWanted {
                var works = false
                do throws(DeviceError) {
                    var session = try BlueZSession(address: address, clock: clock, wakeUp: wakeUp, listens: true)
                    try session.run(while: { hub.isWanted }) { event in
                        works = true
                        tell(event, hub)
                    }
                } catch {
                    if works { backoff.reset() }
                    tell(.lost(error), hub)
                    // Who comes or goes ends it.
                    _ = wakeUp.wait(for: nil, until: clock.now.advanced(bySeconds: backoff.take()), clock: clock)
                }
            }
        }

        /// Who comes next shall hear of what is then. One who comes at this moment is told again.
        func rest(_ hub: BeaconHub) {
            settled.store(false, ordering: .releasing)
            hub.postRegained()
        }

        private func tell(_ event: BeaconEvent, _ hub: BeaconHub) {
            switch event {
            case .sighting(let sighting): return hub.post(sighting)
            case .lost(let error): hub.postLost(error)
            case .regained: hub.postRegained()
            }
            settled.store(true, ordering: .releasing)
        }
    }
}
