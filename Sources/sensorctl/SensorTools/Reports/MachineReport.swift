// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
package import DeviceCore
package import JSONBytes

/// The report that the `list` command prints.
package struct MachineReport: Report {
    let configuration: Configuration
    let answer: ServiceStatus
    let sensors: [SensorDescription]
    let battery: BatteryReading?
    let accessories: AccessoryList

    /// The caller passes the sensors and accessories, because querying them here might block.
    package init(of device: Device, answer: ServiceStatus, sensors: [SensorDescription], accessories: AccessoryList) {
        configuration = device.configuration
        battery = device.statusSource.battery
        (self.answer, self.sensors, self.accessories) = (answer, sensors, accessories)
    }

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

/// A position source's response to a query for its release and receivers.
package struct ServiceStatus: Sendable {
    package var failure: DeviceError?
    /// gpsd's release, or an empty string if unknown.
    package var release = ""
    /// The receivers, or nil if they were not reported in time.
    package var receivers: [ReceiverDescription]?

    package init() {}
}

extension SensorRates {
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
        let (position, motion) = (configuration.positionSource, configuration.motionSources)
        let (folders, protocols) = (configuration.accessoryDirectories, configuration.appProtocols)
        let rule = configuration.locationRule
        writer.line([
            "kind": "positionSource", "address": position.value.description, "origin": position.origin.description,
            "reachable": answer.failure == nil, "reason": answer.failure?.description,
            "release": (answer.release.isEmpty ? nil : answer.release) as String?,
            "wantedReceiver": configuration.receiver.value,
        ])
        for receiver in answer.receivers ?? [] {
            writer.line([
                "kind": "receiver", "path": receiver.path, "driver": receiver.driver, "subtype": receiver.subtype,
                "bitsPerSecond": receiver.bitsPerSecond, "cycle": receiver.cycle, "isActive": receiver.isActive,
            ])
        }
        writer.line([
            "kind": "motionSource", "addresses": motion.value.map(\.description), "origin": motion.origin.description,
        ])
        for sensor in sensors { writer.line(kind: "sensor") { Self.write(sensor, &$0) } }
        writer.line([
            "kind": "accessorySource", "folders": folders.value, "origin": folders.origin.description,
            "protocols": protocols.value, "protocolsOrigin": protocols.origin.description,
        ])
        accessories.write(to: &writer)
        writer.line(["kind": "battery", "level": battery?.level, "state": battery?.state.rawValue])
        writer.line([
            "kind": "authorization", "rule": rule.value.rawValue, "origin": rule.origin.description,
            "reducedAccuracy": configuration.reducesAccuracy.value,
        ])
        writer.line(["kind": "traits", "enabled": Self.traits])
        for problem in configuration.allProblems { writer.line(["kind": "problem", "message": problem.description]) }
    }

    private static func write(_ sensor: SensorDescription, _ writer: inout JSONWriter) {
        writer.members([
            "measures": sensor.kind.rawValue, "id": sensor.id, "name": sensor.name, "label": sensor.label,
            "location": sensor.location, "source": sensor.source, "mode": sensor.mode.rawValue, "clock": sensor.clock,
            "mountMatrix": sensor.mountMatrix.text, "mountMatrixOrigin": sensor.mountMatrixOrigin,
        ])
        switch sensor.rates {
        case .unknown: writer.member("rates", [Double]?.none)
        case .list(let rates): writer.member("rates", rates)
        case .range(let minimum, let step, let maximum):
            writer.object("rates") { $0.members(["minimum": minimum, "step": step, "maximum": maximum]) }
        }
        writer.member("remarks", sensor.remarks)
    }

    package func text(ink: TerminalStyle) -> String {
        var lines: [String] = []
        func row(_ name: String, _ value: String, _ remark: String = "") {
            let pad = String(repeating: " ", count: max(0, 15 - name.count))
            lines.append("\(ink.bold(name))\(pad) \(value)\(remark.isEmpty ? "" : "  " + ink.dim("(\(remark))"))")
        }
        func row<Value>(_ name: String, _ setting: Setting<Value>, _ text: (Value) -> String) {
            row(name, text(setting.value), setting.origin.description)
        }
        row("Positions", configuration.positionSource) { $0.description }
        if let failure = answer.failure {
            row("", ink.color(214, "not available: ") + failure.description)
        } else {
            let release = answer.release.isEmpty ? "responds" : "gpsd \(answer.release) responds"
            row("", ink.color(78, release))
        }
        if let wanted = configuration.receiver.value { row("", configuration.receiver) { _ in "only from \(wanted)" } }
        if let receivers = answer.receivers {
            if receivers.isEmpty { row("Receivers", "none; add one with: gpsdctl add DEVICE") }
            for (index, receiver) in receivers.enumerated() {
                let driver = [receiver.driver, receiver.subtype].filter { !$0.isEmpty }.joined(separator: ", ")
                let speed = receiver.bitsPerSecond > 0 ? "\(receiver.bitsPerSecond) bit/s" : ""
                row(index == 0 ? "Receivers" : "", "\(receiver.path)  \(driver)", speed)
            }
        }
        row("Motion", configuration.motionSources) { $0.map(\.description).joined(separator: ", ") }
        if sensors.isEmpty { row("Sensors", "none found", "sensorctl doctor reports the cause") }
        for (index, sensor) in sensors.enumerated() {
            let name = [sensor.name, sensor.label].filter { !$0.isEmpty }.joined(separator: ", ")
            let facts = [name, sensor.mode.rawValue, sensor.rates.text].filter { !$0.isEmpty }.joined(separator: "  ")
            row(index == 0 ? "Sensors" : "", "\(sensor.kind.rawValue)  \(facts)", sensor.id)
            if sensor.kind.isVector { row("", "  mount matrix \(sensor.mountMatrix.text)", sensor.mountMatrixOrigin) }
            for remark in sensor.remarks { row("", "  " + ink.color(214, remark)) }
        }
        for (name, value, remark) in accessories.rows(ink: ink) { row(name, value, remark) }
        if !configuration.accessoryDirectories.value.isEmpty {
            row("", configuration.accessoryDirectories) { "declared in \($0.joined(separator: ", "))" }
        }
        if let names = configuration.appProtocols.value {
            row("", configuration.appProtocols) { _ in
                "allowed protocols: \(names.isEmpty ? "none" : names.joined(separator: ", "))"
            }
        }
        if let battery {
            let level = battery.level.map { "\(Int(($0 * 100).rounded())) %" } ?? "level unknown"
            row("Battery", "\(level), \(battery.state.rawValue)")
        } else {
            row("Battery", "none")
        }
        row("Authorization", configuration.locationRule) { $0.rawValue }
        if configuration.reducesAccuracy.value { row("", configuration.reducesAccuracy) { _ in "reduced accuracy" } }
        row("Built with", Self.traits.isEmpty ? "no optional libraries" : Self.traits.joined(separator: ", "))
        for (index, problem) in configuration.allProblems.enumerated() {
            row(index == 0 ? "Problems" : "", ink.color(203, problem.description))
        }
        return lines.joined(separator: "\n")
    }
}
