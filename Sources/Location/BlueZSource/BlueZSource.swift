// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// A source of the Bluetooth beacons that BlueZ receives. It communicates over the system bus without a D-Bus library.
///
/// A thread runs while there is a subscriber, and waits in poll(2). If BlueZ sends no message for 10 s, the source
/// pings it. BlueZ can start later or restart, and adapters can be added, removed, and switched on or off at any time;
/// the source handles the corresponding signals. It retries on its own only if the bus is unavailable or BlueZ replies
/// with an error.
package final class BlueZSource: BeaconSource {
    /// The maximum duration of a check of BlueZ, in seconds.
    static let probeTime = 2.0

    private let hub: BeaconHub
    private let listener: Worker

    /// Creates a source that uses the system bus. Does not connect yet.
    ///
    /// - Parameters:
    ///   - address: The address of the bus; nil to use `DBUS_SYSTEM_BUS_ADDRESS` or, if it is not set, the standard
    ///     address.
    ///   - clock: The clock for timeouts and for the times of advertisements.
    package init(address: String? = nil, clock: any DeviceClock) {
        let address = address ?? SystemBus.standardAddress
        let listener = Worker(address: address, clock: clock)
        let thread = SourceThread<BeaconHub>(
            for: "the beacon source", pause: 10, work: { hub, wakeUp in listener.run(hub, wakeUp) })
        hub = BeaconHub { thread.demandDidChange() }
        thread.attach(hub)
        self.listener = listener
    }

    /// The reason why beacons cannot be received at present; nil if they can. Without a subscriber, the access queries
    /// BlueZ, which takes a few milliseconds and at most 2 s.
    package var problem: DeviceError? {
        switch hub.status {
        case .available: return nil
        case .unavailable(let error): return error
        case .unknown: break
        }
        do throws(DeviceError) {
            var session = try BlueZSession(
                address: listener.address, clock: listener.clock, wakeUp: try WakeupPipe(for: "the beacon source"),
                listens: false)
            return try session.probe(until: listener.clock.now.advanced(bySeconds: Self.probeTime))
        } catch {
            return error
        }
    }

    /// Subscribes to the events of beacons. The closure is called on the source's thread. A loss that already exists is
    /// delivered before this method returns.
    package func subscribe(_ receive: @escaping @Sendable (BeaconEvent) -> Void) -> Subscription {
        hub.subscribe(receive)
    }
}

extension BlueZSource {
    /// The main loop of the source's thread. It connects, runs until the connection ends, waits and reconnects.
    private final class Worker: Sendable {
        let address: String
        let clock: any DeviceClock

        init(address: String, clock: any DeviceClock) {
            self.address = address
            self.clock = clock
        }

        func run(_ hub: BeaconHub, _ wakeUp: WakeupPipe) {
            var backoff = Backoff(first: 0.25, limit: 10)
            while hub.hasSubscribers {
                var hasWorked = false
                do throws(DeviceError) {
                    var session = try BlueZSession(address: address, clock: clock, wakeUp: wakeUp, listens: true)
                    try session.run(while: { hub.hasSubscribers }) { event in
                        hasWorked = true
                        switch event {
                        case .sighting(let sighting): hub.post(sighting)
                        case .lost(let error): hub.setStatus(.unavailable(error))
                        case .regained: hub.setStatus(.available)
                        }
                    }
                } catch {
                    if hasWorked { backoff.reset() }
                    hub.setStatus(.unavailable(error))
                    // A new or cancelled subscription ends the pause.
                    _ = wakeUp.wait(for: nil, until: clock.now.advanced(bySeconds: backoff.nextDelay()), clock: clock)
                }
            }
        }
    }
}
