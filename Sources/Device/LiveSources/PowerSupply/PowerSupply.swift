// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The attributes of one power supply, read from its directory in `/sys/class/power_supply`. Missing and invalid values
/// are nil. Energies are in microwatt-hours and charges in microampere-hours, as in the kernel.
struct PowerSupply: Equatable {
    /// The status that a battery's driver reports.
    enum Status: String {
        case charging = "Charging"
        case discharging = "Discharging"
        case notCharging = "Not charging"
        case full = "Full"
        case unknown = "Unknown"
    }

    /// True if external power (mains, USB or wireless) is connected, or nil for a battery.
    var isOnline: Bool?
    var isBattery: Bool { isOnline == nil }
    var status = Status.unknown
    /// The charge level that the driver reports, 0 to 1.
    var capacity: Double?
    var energyNow: Double?
    var energyFull: Double?
    var chargeNow: Double?
    var chargeFull: Double?

    /// The charge level, 0 to 1, calculated from the energy if available, otherwise from the charge.
    var measuredLevel: Double? {
        if let energyNow, let energyFull { return PowerSupply.clamp(energyNow / energyFull) }
        if let chargeNow, let chargeFull { return PowerSupply.clamp(chargeNow / chargeFull) }
        return nil
    }

    static func clamp(_ level: Double) -> Double { min(max(0, level), 1) }
}

extension PowerSupply {
    /// Returns nil if the supply does not power this machine or has no usable attributes.
    init?(folder: String) {
        guard let type = Self.text("type", in: folder) else { return nil }
        // The battery of a mouse or headset does not power this machine.
        if Self.text("scope", in: folder) == "Device" { return nil }
        guard type == "Battery" else {
            guard let online = Self.number("online", in: folder) else { return nil }
            self.init()
            // The attribute is 2 if a supply with a programmable voltage is connected.
            isOnline = online > 0
            return
        }
        // If `present` is 0, the battery bay is empty.
        if Self.number("present", in: folder) == 0 { return nil }
        self.init()
        status = Self.text("status", in: folder).flatMap { Status(rawValue: $0) } ?? .unknown
        capacity = Self.number("capacity", in: folder).map { Self.clamp($0 / 100) }
        energyNow = Self.amount("energy_now", in: folder)
        energyFull = Self.fullAmount("energy_full", in: folder)
        chargeNow = Self.amount("charge_now", in: folder)
        chargeFull = Self.fullAmount("charge_full", in: folder)
    }

    private static func amount(_ name: String, in folder: String) -> Double? {
        number(name, in: folder).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Returns the full capacity, or the design capacity if the driver has not learned the actual one.
    private static func fullAmount(_ name: String, in folder: String) -> Double? {
        for name in [name, name + "_design"] {
            if let number = number(name, in: folder), number > 0 { return number }
        }
        return nil
    }

    private static func number(_ name: String, in folder: String) -> Double? {
        text(name, in: folder).flatMap { Int64($0) }.map { Double($0) }
    }

    /// Returns an attribute's first line, or nil if this line is empty or longer than 64 bytes. An attribute is at most
    /// one page long.
    private static func text(_ name: String, in folder: String) -> String? {
        guard let bytes = try? FileIO.read(folder + "/" + name, limit: 4096) else { return nil }
        let line = bytes.prefix { $0 != 0x0A && $0 != 0 }
        guard !line.isEmpty, line.count <= 64 else { return nil }
        return String(decoding: line, as: UTF8.self)
    }
}

extension BatteryReading {
    /// Combines a machine's power supplies into one reading. Returns nil if there is no battery.
    init?(_ supplies: [PowerSupply]) {
        let batteries = supplies.filter(\.isBattery)
        guard !batteries.isEmpty else { return nil }
        let externals = supplies.compactMap(\.isOnline)
        let isPlugged = externals.isEmpty ? nil : externals.contains(true)
        let level = Self.level(of: batteries)
        self.init(level: level, state: Self.state(of: batteries.map(\.status), isPlugged: isPlugged, level: level))
    }

    /// Returns the charge level. For a single battery, this is the driver's value or, if the driver reports none, a
    /// level calculated from energy or charge. For several batteries, the level is calculated from their total energy
    /// if all of them report energy. Otherwise, the total charge is used if all of them report charge. In all other
    /// cases, the average of the batteries' levels is used.
    private static func level(of batteries: [PowerSupply]) -> Double? {
        if batteries.count == 1 { return batteries.first.flatMap { $0.capacity ?? $0.measuredLevel } }
        for (nowPath, fullPath) in [(\PowerSupply.energyNow, \PowerSupply.energyFull), (\.chargeNow, \.chargeFull)] {
            let amounts = batteries.compactMap { battery -> (now: Double, full: Double)? in
                guard let now = battery[keyPath: nowPath], let full = battery[keyPath: fullPath] else { return nil }
                return (now, full)
            }
            guard amounts.count == batteries.count else { continue }
            let total = amounts.reduce(0) { $0 + min($1.now, $1.full) }
            return PowerSupply.clamp(total / amounts.reduce(0) { $0 + $1.full })
        }
        let levels = batteries.compactMap { $0.measuredLevel ?? $0.capacity }
        return levels.isEmpty ? nil : levels.reduce(0, +) / Double(levels.count)
    }

    /// If a battery discharges even though external power is connected, the external supply is too weak. The state is
    /// then `unplugged`.
    private static func state(of statuses: [PowerSupply.Status], isPlugged: Bool?, level: Double?) -> State {
        if statuses.contains(.charging) { return .charging }
        if statuses.contains(.discharging) { return .unplugged }
        // At this point, every battery is full, not charging or in an unknown state.
        if isPlugged == false { return .unplugged }
        if statuses.allSatisfy({ $0 == .full }) { return .full }
        // A battery that is not charging, for example because of a charge limit, counts as full if its level rounds to
        // 100 %, and as charging otherwise.
        if isPlugged == true { return level.map { $0 >= 0.995 } ?? false ? .full : .charging }
        return statuses.contains(.unknown) ? .unknown : .charging
    }
}
