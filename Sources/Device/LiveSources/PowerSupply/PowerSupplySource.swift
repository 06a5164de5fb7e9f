// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls
package import DeviceCore

/// The machine's battery, read from the kernel's `power_supply` class. While there are subscribers, the clock's thread
/// reads the attributes every 5 s, or every 30 s if there is no battery. Reading one battery and one charger takes
/// about 0.1 ms. Batteries of peripherals such as mice and headsets, and empty battery bays, are ignored. Implausible
/// values are treated as missing.
package final class PowerSupplySource: StatusSource {
    /// The interval between readings, in seconds.
    package static let interval = 5.0
    /// The interval between readings, in seconds, if there is no battery.
    package static let searchInterval = 30.0
    private static let supplyLimit = 64

    private let folder: String
    private let clock: any DeviceClock
    private let hub: StatusHub
    private let polling = Mutex(Polling())

    private struct Polling {
        var timer: ClockTimer?
        /// The current timer's number. A timer with an older number does nothing when it fires.
        var number: UInt32 = 0
    }

    package init(folder: String = "/sys/class/power_supply", clock: any DeviceClock) {
        self.folder = folder
        self.clock = clock
        let relay = WeakSource()
        hub = StatusHub(demandChanged: { relay.source?.demandChanged() })
        relay.set(self)
    }

    /// The battery state, or nil if there is no battery. While there are subscribers, this is the state that was last
    /// read for them, so it matches the changes that they have received. Otherwise, each access reads the state.
    package var battery: BatteryReading? { hub.hasSubscribers ? hub.battery : currentBattery }

    private var currentBattery: BatteryReading? { BatteryReading(supplies()) }

    /// Delivers changes in the battery state, but not the initial state.
    package func subscribe(receive: @escaping @Sendable (BatteryReading?) -> Void) -> Subscription {
        // Updates the hub before the subscriber joins, so that it does not receive a change that occurred while there
        // were no subscribers.
        if !hub.hasSubscribers { hub.post(currentBattery) }
        return hub.subscribe(receive: receive)
    }

    private func demandChanged() {
        let previousTimer = polling.withLock { polling -> ClockTimer? in
            // Reads `hasSubscribers` with the lock held, so that the last of several concurrent calls uses the current
            // value.
            let hasSubscribers = hub.hasSubscribers
            if hasSubscribers, polling.timer == nil {
                schedule(&polling, after: hub.battery == nil ? Self.searchInterval : Self.interval)
            } else if !hasSubscribers {
                polling.number &+= 1
                return polling.timer.take()
            }
            return nil
        }
        previousTimer?.cancel()
    }

    private func schedule(_ polling: inout Polling, after seconds: Double) {
        polling.number &+= 1
        let number = polling.number
        polling.timer = clock.timer(at: clock.now.advanced(bySeconds: seconds)) { [weak self] in self?.poll(number) }
    }

    private func poll(_ number: UInt32) {
        guard polling.withLock({ $0.number == number }) else { return }
        let battery = currentBattery
        hub.post(battery)
        polling.withLock { polling in
            guard polling.number == number else { return }
            polling.timer = nil
            if hub.hasSubscribers { schedule(&polling, after: battery == nil ? Self.searchInterval : Self.interval) }
        }
    }

    private func supplies() -> [PowerSupply] {
        guard var entries = DirectoryEntries(folder) else { return [] }
        var supplies: [PowerSupply] = []
        while supplies.count < Self.supplyLimit, let name = entries.next() {
            guard !name.hasPrefix(".") else { continue }
            if let supply = PowerSupply(folder: folder + "/" + name) { supplies.append(supply) }
        }
        return supplies
    }

    /// A weak reference that gives the hub's closure access to the source. It is set later, because the source is
    /// initialized after the hub.
    private final class WeakSource: Sendable {
        private struct Reference: @unchecked Sendable { weak var source: PowerSupplySource? }

        private let reference = Mutex(Reference())

        var source: PowerSupplySource? { reference.withLock { $0.source } }
        func set(_ source: PowerSupplySource) { reference.withLock { $0.source = source } }
    }
}
