// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// What `list` prints.
package struct MachineReport: Report {
    let configuration: Configuration
    let answer: ServiceAnswer
    let sensors: [SensorDescription]
    let battery: BatteryReading?
    let accessories: AccessoryList

    /// - Parameter sensors: asked for before, since they may wait for somebody to answer, as the accessories may.
    package init(of device: Device, answer: ServiceAnswer, sensors: [SensorDescription], accessories: AccessoryList) {
        configuration = device.configuration
        battery = device.statusSource.battery
        (self.answer, self.sensors, self.accessories) = (answer, sensors, accessories)
    }

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

/// What a position source answers when it is asked who it is and what it has.
package struct ServiceAnswer: Sendable {
    /// Why there was no answer; nil when there was one.
    package var failure: DeviceError?
    /// The release of gpsd; empty when it did not say.
    package var release = ""
    /// Nil when it did not list them in time.
    package var receivers: [ReceiverDescription]?

    package init() {}
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
