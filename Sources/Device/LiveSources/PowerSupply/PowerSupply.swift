// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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

    init(kind: Kind) {
        self.kind = kind
    }

    /// 0 to 1, from energy, else from charge.
    var share: Double? {
        if let energyNow, let energyFull { return PowerSupply.clamp(energyNow / energyFull) }
        if let chargeNow, let chargeFull { return PowerSupply.clamp(chargeNow / chargeFull) }
        return nil
    }

    /// Brings a level into its range.
    static func clamp(_ level: Double) -> Double { min(max(0, level), 1) }
}
