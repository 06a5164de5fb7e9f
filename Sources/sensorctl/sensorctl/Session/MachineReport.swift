// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// What `list` prints.
struct MachineReport {
    let configuration: Configuration
    let answer: ServiceProbe.Answer
    let sensors: [SensorDescription]
    let battery: BatteryReading?
    var accessories = AccessoryList()

    /// The traits of the package that this program was built with.
    static var traits: [String] {
        var traits: [String] = []
        #if LibGPS
        traits.append("LibGPS")
        #endif
        #if LibIIO
        traits.append("LibIIO")
        #endif
        #if LibUdev
        traits.append("LibUdev")
        #endif
        return traits
    }
}

extension SensorRates {
    /// The rates in words; empty when the driver does not say.
    var text: String {
        switch self {
        case .unknown: ""
        case .list(let rates): rates.map(Self.text).joined(separator: " ") + " Hz"
        case .range(let minimum, _, let maximum): "\(Self.text(minimum)) to \(Self.text(maximum)) Hz"
        }
    }

    private static func text(_ rate: Double) -> String {
        rate == rate.rounded() && abs(rate) < 1e9 ? "\(Int(rate))" : "\(rate)"
    }
}
