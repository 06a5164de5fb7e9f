// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

extension MachineReport {
    package func text(ink: Ink) -> String {
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
            row("", ink.color(214, "cannot be had right now: ") + failure.description)
        } else {
            let release = answer.release.isEmpty ? "answers" : "gpsd \(answer.release) answers"
            row("", ink.color(78, release))
        }
        if let wanted = configuration.receiver.value { row("", configuration.receiver) { _ in "only from \(wanted)" } }
        if let receivers = answer.receivers {
            if receivers.isEmpty { row("Receivers", "none; tell gpsd of one with: gpsdctl add DEVICE") }
            for (index, receiver) in receivers.enumerated() {
                let driver = [receiver.driver, receiver.subtype].filter { !$0.isEmpty }.joined(separator: ", ")
                let speed = receiver.bitsPerSecond > 0 ? "\(receiver.bitsPerSecond) bit/s" : ""
                row(index == 0 ? "Receivers" : "", "\(receiver.path)  \(driver)", speed)
            }
        }
        row("Motion", configuration.motionSources) { $0.map(\.description).joined(separator: ", ") }
        if sensors.isEmpty { row("Sensors", "none found", "sensorctl doctor says what is missing") }
        for (index, sensor) in sensors.enumerated() {
            let name = [sensor.name, sensor.label].filter { !$0.isEmpty }.joined(separator: ", ")
            let facts = [name, sensor.mode.rawValue, sensor.rates.text].filter { !$0.isEmpty }.joined(separator: "  ")
            row(index == 0 ? "Sensors" : "", "\(sensor.kind.rawValue)  \(facts)", sensor.id)
            if sensor.kind.isVector { row("", "  mount matrix \(sensor.mountMatrix.text)", sensor.mountMatrixOrigin) }
            for remark in sensor.remarks { row("", "  " + ink.color(214, remark)) }
        }
        for (name, value, remark) in accessories.rows(ink: ink) { row(name, value, remark) }
        if !configuration.accessoryFolders.value.isEmpty {
            row("", configuration.accessoryFolders) { "declared in \($0.joined(separator: ", "))" }
        }
        if let names = configuration.appProtocols.value {
            row("", configuration.appProtocols) { _ in
                "programs may use \(names.isEmpty ? "none" : names.joined(separator: ", "))"
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
