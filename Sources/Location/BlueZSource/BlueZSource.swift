// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// Delivers the Bluetooth beacons that BlueZ receives, using D-Bus without a library. While there are subscribers, one
/// thread waits in poll(2). BlueZ may start later or restart, and adapters may be added or removed at any time. The
/// source retries on a timer only if the bus is unavailable or BlueZ replies with an error.
package final class BlueZSource: BeaconSource {
    /// The maximum duration of the check in ``problem``, in seconds.
    static let probeTime = 2.0

    private let hub: BeaconHub
    private let address: String
    private let clock: any DeviceClock

    /// Creates a source without connecting. If `address` is nil, the source uses the system bus.
    package init(address: String? = nil, clock: any DeviceClock) {
        let address = address ?? SystemBus.standardAddress
        (self.address, self.clock) = (address, clock)
        let thread = SourceThread<BeaconHub>(for: "the beacon source", retryDelay: 10) { hub, wakeUp in
            Self.run(address, clock, hub, wakeUp)
        }
        hub = BeaconHub { thread.demandDidChange() }
        thread.attach(hub)
    }

    /// The reason why beacons cannot be received, or nil if they can. If there are no subscribers, reading this
    /// property queries BlueZ, which takes up to 2 s.
    package var problem: DeviceError? {
        switch hub.status {
        case .available: return nil
        case .unavailable(let error): return error
        case .unknown: break
        }
        do throws(DeviceError) {
            var session = try BlueZSession(
                address: address, clock: clock, wakeUp: try WakeupPipe(for: "the beacon source"), startsDiscovery: false
            )
            return try session.probe(until: clock.now.advanced(bySeconds: Self.probeTime))
        } catch {
            return error
        }
    }

    /// Subscribes to beacon events. The closure is called on the source's thread. If the source is already known to be
    /// unavailable, the closure receives the error before this method returns.
    package func subscribe(_ receive: @escaping @Sendable (BeaconEvent) -> Void) -> Subscription {
        hub.subscribe(receive)
    }

    private static func run(_ address: String, _ clock: any DeviceClock, _ hub: BeaconHub, _ wakeUp: WakeupPipe) {
        var backoff = Backoff(first: 0.25, limit: 10)
        while hub.hasSubscribers {
            var hasDelivered = false
            do throws(DeviceError) {
                var session = try BlueZSession(address: address, clock: clock, wakeUp: wakeUp, startsDiscovery: true)
                try session.run(while: { hub.hasSubscribers }) { event in
                    hasDelivered = true
                    switch event {
                    case .sighting(let sighting): hub.post(sighting)
                    case .lost(let error): hub.setStatus(.unavailable(error))
                    case .regained: hub.setStatus(.available)
                    }
                }
            } catch {
                if hasDelivered { backoff.reset() }
                hub.setStatus(.unavailable(error))
                // Waits before the next attempt. The wait ends early if a subscription is added or cancelled.
                _ = wakeUp.wait(for: nil, until: clock.now.advanced(bySeconds: backoff.nextDelay()), clock: clock)
            }
        }
    }
}
