// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
package import DeviceCore
package import JSONBytes

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

extension MachineReport {
    package func write(to writer: inout JSONWriter) {
        writer.line(kind: "positionSource") { writer in
            writer.member("address", configuration.positionSource.value.description)
            writer.member("origin", configuration.positionSource.origin.description)
            writer.member("reachable", answer.failure == nil)
            writer.member("reason", answer.failure?.description)
            writer.member("release", answer.release.isEmpty ? nil : answer.release)
            writer.member("wantedReceiver", configuration.receiver.value)
        }
        for receiver in answer.receivers ?? [] {
            writer.line(kind: "receiver") { writer in
                writer.member("path", receiver.path)
                writer.member("driver", receiver.driver)
                writer.member("subtype", receiver.subtype)
                writer.member("bitsPerSecond", receiver.bitsPerSecond)
                writer.member("cycle", receiver.cycle)
                writer.member("isActive", receiver.isActive)
            }
        }
        writer.line(kind: "motionSource") { writer in
            writer.member("addresses", configuration.motionSources.value.map(\.description))
            writer.member("origin", configuration.motionSources.origin.description)
        }
        for sensor in sensors { writer.line(kind: "sensor") { Self.write(sensor, &$0) } }
        writer.line(kind: "accessorySource") { writer in
            writer.member("folders", configuration.accessoryFolders.value)
            writer.member("origin", configuration.accessoryFolders.origin.description)
            writer.member("protocols", configuration.appProtocols.value)
            writer.member("protocolsOrigin", configuration.appProtocols.origin.description)
        }
        accessories.write(to: &writer)
        writer.line(kind: "battery") { writer in
            writer.member("level", battery?.level)
            writer.member("state", battery?.state.rawValue)
        }
        writer.line(kind: "authorization") { writer in
            writer.member("rule", configuration.locationRule.value.rawValue)
            writer.member("origin", configuration.locationRule.origin.description)
            writer.member("reducedAccuracy", configuration.reducesAccuracy.value)
        }
        writer.line(kind: "traits") { $0.member("enabled", Self.traits) }
        for problem in configuration.allProblems {
            writer.line(kind: "problem") { $0.member("message", problem.description) }
        }
    }

    private static func write(_ sensor: SensorDescription, _ writer: inout JSONWriter) {
        for (key, value) in [
            ("measures", sensor.kind.rawValue), ("id", sensor.id), ("name", sensor.name), ("label", sensor.label),
            ("location", sensor.location), ("source", sensor.source), ("mode", sensor.mode.rawValue),
            ("clock", sensor.clock), ("mountMatrix", sensor.mountMatrix.text),
            ("mountMatrixOrigin", sensor.mountMatrixOrigin),
        ] { writer.member(text: key, value) }
        switch sensor.rates {
        case .unknown: writer.member("rates", [Double]?.none)
        case .list(let rates): writer.member("rates", rates)
        case .range(let minimum, let step, let maximum):
            writer.object("rates") { writer in
                writer.member("minimum", minimum)
                writer.member("step", step)
                writer.member("maximum", maximum)
            }
        }
        writer.member("remarks", sensor.remarks)
    }
}
