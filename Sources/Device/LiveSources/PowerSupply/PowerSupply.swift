// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// One supply of power as the kernel describes it: a folder in `/sys/class/power_supply`.
///
/// Values are nil where the attribute is missing or is not what it should be. Units are the kernel's: microwatt hours,
/// microampere hours, percent.
struct PowerSupply: Equatable {
    /// What a supply is.
    enum Kind: Equatable {
        /// A battery of this machine.
        case battery
        /// Power from outside: mains, USB, wireless.
        case external
    }

    /// What a battery says it is doing.
    enum Status: String {
        case charging = "Charging"
        case discharging = "Discharging"
        case notCharging = "Not charging"
        case full = "Full"
        case unknown = "Unknown"
    }

    var kind: Kind
    /// True for external power that is connected.
    var isOnline: Bool?
    var status = Status.unknown
    /// 0 to 1, as the driver says.
    var capacity: Double?
    var energyNow: Double?
    var energyFull: Double?
    var chargeNow: Double?
    var chargeFull: Double?

    init(kind: Kind) { self.kind = kind }

    /// 0 to 1, from energy, else from charge.
    var share: Double? {
        if let energyNow, let energyFull { return PowerSupply.clamp(energyNow / energyFull) }
        if let chargeNow, let chargeFull { return PowerSupply.clamp(chargeNow / chargeFull) }
        return nil
    }

    /// Brings a level into its range.
    static func clamp(_ level: Double) -> Double { min(max(0, level), 1) }
}

extension PowerSupply {
    /// Reads the folder of a supply; nil when it is gone, is no supply of this machine's, or says nothing of use.
    init?(folder: String) {
        guard let type = Self.text("type", in: folder) else { return nil }
        // The battery of a mouse or a headset does not feed this machine.
        if Self.text("scope", in: folder) == "Device" { return nil }
        guard type == "Battery" else {
            guard let online = Self.number("online", in: folder) else { return nil }
            self.init(kind: .external)
            // 2 is a supply of adjustable voltage that is connected.
            isOnline = online > 0
            return
        }
        // An empty bay.
        if Self.number("present", in: folder) == 0 { return nil }
        self.init(kind: .battery)
        status = Self.text("status", in: folder).flatMap { Status(rawValue: $0) } ?? .unknown
        capacity = Self.number("capacity", in: folder).map { Self.clamp($0 / 100) }
        energyNow = Self.amount("energy_now", in: folder)
        energyFull = Self.fullAmount("energy_full", in: folder)
        chargeNow = Self.amount("charge_now", in: folder)
        chargeFull = Self.fullAmount("charge_full", in: folder)
    }

    /// A stored amount; none is less than nothing.
    private static func amount(_ name: String, in folder: String) -> Double? {
        number(name, in: folder).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// What a full battery holds; what it was designed to hold where it has not learnt that.
    private static func fullAmount(_ name: String, in folder: String) -> Double? {
        for name in [name, name + "_design"] {
            if let number = number(name, in: folder), number > 0 { return number }
        }
        return nil
    }

    private static func number(_ name: String, in folder: String) -> Double? {
        text(name, in: folder).flatMap { Int64($0) }.map { Double($0) }
    }

    /// The first line of an attribute. Attributes are a page at most, and these are a word.
    private static func text(_ name: String, in folder: String) -> String? {
        guard let bytes = try? FileBytes.read(folder + "/" + name, limit: 4096) else { return nil }
        let line = bytes.prefix { $0 != 0x0A && $0 != 0 }
        guard !line.isEmpty, line.count <= 64 else { return nil }
        return String(decoding: line, as: UTF8.self)
    }
}
