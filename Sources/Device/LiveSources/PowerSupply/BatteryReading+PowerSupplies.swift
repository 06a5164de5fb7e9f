// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension BatteryReading {
    /// Combines all power supplies of a machine into one reading. Returns nil if none of them is a battery.
    init?(_ supplies: [PowerSupply]) {
        let batteries = supplies.filter { $0.kind == .battery }
        guard !batteries.isEmpty else { return nil }
        let externals = supplies.compactMap(\.isOnline)
        let isPlugged = externals.isEmpty ? nil : externals.contains(true)
        let level = Self.level(of: batteries)
        self.init(level: level, state: Self.state(of: batteries.map(\.status), isPlugged: isPlugged, level: level))
    }

    /// The level of a single battery is the driver's capacity, else its share of energy or charge. Several batteries
    /// are combined by energy, or by charge if not all of them report energy. If not all report the same quantity, the
    /// level is the average of the batteries' levels.
    private static func level(of batteries: [PowerSupply]) -> Double? {
        if batteries.count == 1 { return batteries.first.flatMap { $0.capacity ?? $0.measuredLevel } }
        let energies = batteries.compactMap { battery in
            battery.energyNow.flatMap { now in battery.energyFull.map { (now, $0) } }
        }
        if energies.count == batteries.count { return combinedLevel(of: energies) }
        let charges = batteries.compactMap { battery in
            battery.chargeNow.flatMap { now in battery.chargeFull.map { (now, $0) } }
        }
        if charges.count == batteries.count { return combinedLevel(of: charges) }
        let levels = batteries.compactMap { $0.measuredLevel ?? $0.capacity }
        return levels.isEmpty ? nil : levels.reduce(0, +) / Double(levels.count)
    }

    private static func combinedLevel(of amounts: [(now: Double, full: Double)]) -> Double {
        let now = amounts.reduce(0) { $0 + min($1.now, $1.full) }
        let full = amounts.reduce(0) { $0 + $1.full }
        return PowerSupply.clamp(now / full)
    }

    /// A discharging battery supplies the machine even if external power is connected, because that supply is too weak.
    private static func state(of statuses: [PowerSupply.Status], isPlugged: Bool?, level: Double?) -> State {
        if statuses.contains(.charging) { return .charging }
        if statuses.contains(.discharging) { return .unplugged }
        // The remaining statuses are full, not charging and unknown. For the last two, external power decides.
        if isPlugged == false { return .unplugged }
        if statuses.allSatisfy({ $0 == .full }) { return .full }
        if isPlugged == true { return level.map { $0 >= 0.995 } ?? false ? .full : .charging }
        return statuses.contains(.unknown) ? .unknown : .charging
    }
}
