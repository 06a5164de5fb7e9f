// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls
public import DeviceCore

/// The battery of this machine, as the kernel's `power_supply` class has it.
///
/// Nothing runs while nobody subscribes. With a subscriber the files are read every five seconds, on the clock's
/// thread: a reading of one battery and a charger takes about a tenth of a millisecond, so a plug is noticed within
/// five seconds at the price of one wake-up in that time. A machine without a battery is looked at every 30 seconds.
///
/// Batteries of other things (scope "Device": mice, headsets) and empty bays are left out. Values that make no sense
/// count as missing; files may vanish at any time.
public final class PowerSupplySource: StatusSource {
    /// Seconds from one reading to the next.
    public static let interval = 5.0
    /// The same for as long as there is no battery.
    public static let searchInterval = 30.0
    /// More supplies than this are not looked at.
    private static let supplyLimit = 64

    private let folder: String
    private let clock: any DeviceClock
    private let hub: StatusHub
    private let polling = Mutex(Polling())

    private struct Polling {
        var timer: ClockTimer?
        /// Tells timers apart: one that has been replaced while it fired does nothing.
        var number: UInt32 = 0
    }

    /// A source over that folder of supplies, which need not exist.
    public init(folder: String = "/sys/class/power_supply", clock: any DeviceClock) {
        self.folder = folder
        self.clock = clock
        let relay = Relay()
        hub = StatusHub(demandChanged: { relay.source?.demandChanged() })
        relay.set(self)
    }

    /// The battery as the files say at this moment; nil when there is none.
    public var battery: BatteryReading? { BatteryReading(supplies()) }

    /// Hands over the battery each time that it has changed. What it is at first, `battery` tells.
    public func subscribe(receive: @escaping @Sendable (BatteryReading?) -> Void) -> Subscription {
        // What nobody was subscribed to has changed unnoticed, and is no news to somebody who comes now.
        if !hub.isWanted { hub.post(battery) }
        return hub.subscribe(receive: receive)
    }

    private func demandChanged() {
        let former = polling.withLock { polling -> ClockTimer? in
            // Read inside, so that the last to come sees the last state.
            let isWanted = hub.isWanted
            if isWanted, polling.timer == nil {
                schedule(&polling, after: hub.battery == nil ? Self.searchInterval : Self.interval)
            } else if !isWanted {
                polling.number &+= 1
                return polling.timer.take()
            }
            return nil
        }
        former?.cancel()
    }

    private func schedule(_ polling: inout Polling, after seconds: Double) {
        polling.number &+= 1
        let number = polling.number
        polling.timer = clock.timer(at: clock.now.advanced(bySeconds: seconds)) { [weak self] in self?.poll(number) }
    }

    private func poll(_ number: UInt32) {
        guard polling.withLock({ $0.number == number }) else { return }
        let battery = battery
        hub.post(battery)
        polling.withLock { polling in
            guard polling.number == number else { return }
            polling.timer = nil
            if hub.isWanted { schedule(&polling, after: battery == nil ? Self.searchInterval : Self.interval) }
        }
    }

    private func supplies() -> [PowerSupply] {
        guard var entries = FolderEntries(folder) else { return [] }
        var supplies: [PowerSupply] = []
        while supplies.count < Self.supplyLimit, let name = entries.next() {
            guard !name.hasPrefix(".") else { continue }
            if let supply = PowerSupply(folder: folder + "/" + name) { supplies.append(supply) }
        }
        return supplies
    }

    /// Lets the hub's closure reach the source that is made after it.
    private final class Relay: Sendable {
        private struct Reference: @unchecked Sendable {
            weak var source: PowerSupplySource?
        }

        private let reference = Mutex(Reference())

        var source: PowerSupplySource? { reference.withLock { $0.source } }

        func set(_ source: PowerSupplySource) { reference.withLock { $0.source = source } }
    }
}
