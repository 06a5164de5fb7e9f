// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization

/// Bluetooth beacons, as BlueZ hears them. It is asked over the bus of the system, in D-Bus's own protocol, without a
/// library.
///
/// One thread runs while there is a subscriber, and waits in poll(2): it uses no time while nothing is heard. It never
/// gives up: BlueZ may start later or restart, an adapter may come, go, or be switched off and on. What it misses it waits
/// for by the bus's signals; only where the bus itself is away it tries again by itself.
public final class BlueZSource: BeaconSource {
    /// Seconds that the look at BlueZ takes at most.
    static let probeTime = 2.0

    private let hub: BeaconHub
    private let worker: Worker
    private let address: String
    private let clock: any DeviceClock

    /// A source over the bus of the system. Nothing is opened yet.
    ///
    /// - Parameter address: The address of the bus; nil for what `DBUS_SYSTEM_BUS_ADDRESS` says, else the standard one.
    public init(address: String? = nil, clock: any DeviceClock) {
        let address = address ?? SystemBus.standardAddress
        let worker = Worker(address: address, clock: clock)
        self.worker = worker
        self.address = address
        self.clock = clock
        hub = BeaconHub { [weak worker] in worker?.demandChanged() }
        worker.attach(hub)
    }

    /// Why beacons cannot be heard now. While somebody listens that is known; else BlueZ is asked, which takes some
    /// milliseconds, and two seconds at most.
    public var problem: DeviceError? {
        if worker.isSettled { return hub.problem }
        do throws(DeviceError) {
            var session = try BlueZSession(
                address: address, clock: clock, wakeUp: try WakeUp(for: "the beacon source"), listens: false)
            return try session.probe(until: clock.now.advanced(bySeconds: Self.probeTime))
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
    /// Keeps at most one thread, whatever order the wishes of subscribers arrive in.
    private final class Worker: Sendable {
        private struct State {
            weak var hub: BeaconHub?
            var isRunning = false
            var isSettled = false
            var wakeUp: WakeUp?
        }

        private let address: String
        private let clock: any DeviceClock
        private let state = Mutex(State())

        init(address: String, clock: any DeviceClock) {
            self.address = address
            self.clock = clock
        }

        /// True while the hub knows whether beacons can be heard.
        var isSettled: Bool { state.withLock { $0.isSettled } }

        func attach(_ hub: BeaconHub) { state.withLock { $0.hub = hub } }

        /// A subscriber has come or gone.
        func demandChanged() {
            let (startsThread, wakeUp) = state.withLock { state -> (Bool, WakeUp?) in
                if state.isRunning { return (false, state.wakeUp) }
                state.isRunning = state.hub?.isWanted == true
                return (state.isRunning, nil)
            }
            // A running thread looks for itself whether it is still wanted.
            wakeUp?.signal()
            guard startsThread else { return }
            do throws(DeviceError) {
                try WorkerThread.start { self.run() }
            } catch {
                let hub = state.withLock { state in
                    state.isRunning = false
                    return state.hub
                }
                hub?.postLost(error)
            }
        }

        /// The hub while the thread has something to do; takes it out of service when not.
        private func continues() -> BeaconHub? {
            if let hub = state.withLock({ $0.hub }), !hub.isWanted {
                // Who comes next shall hear of what is then. One who comes at this moment is told again.
                state.withLock { $0.isSettled = false }
                hub.postRegained()
            }
            return state.withLock { state in
                if let hub = state.hub, hub.isWanted { return hub }
                (state.isRunning, state.isSettled, state.wakeUp) = (false, false, nil)
                return nil
            }
        }

        private func run() {
            var backoff = Backoff(first: 0.25, limit: 10)
            while let hub = continues() {
                do throws(DeviceError) {
                    let wakeUp = try WakeUp(for: "the beacon source")
                    state.withLock { $0.wakeUp = wakeUp }
                    listen(hub, wakeUp, &backoff)
                } catch {
                    // Without a descriptor there is nothing to wait on but time.
                    tell(.lost(error), hub)
                    WorkerThread.pause(seconds: 10)
                }
            }
        }

        /// Listens over one connection, and waits when that has ended before nobody listens any more.
        private func listen(_ hub: BeaconHub, _ wakeUp: WakeUp, _ backoff: inout Backoff) {
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

        private func tell(_ event: BeaconEvent, _ hub: BeaconHub) {
            switch event {
            case .sighting(let sighting): return hub.post(sighting)
            case .lost(let error): hub.postLost(error)
            case .regained: hub.postRegained()
            }
            state.withLock { $0.isSettled = true }
        }
    }
}
