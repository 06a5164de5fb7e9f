// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

extension MachineReport {
    /// A short page for people.
    func text(ink: Ink) -> String {
        var lines: [String] = []
        func row(_ name: String, _ value: String, _ remark: String = "") {
            let pad = String(repeating: " ", count: max(0, 15 - name.count))
            lines.append("\(ink.bold(name))\(pad) \(value)\(remark.isEmpty ? "" : "  " + ink.dim("(\(remark))"))")
        }
        row(
            "Positions", configuration.positionSource.value.description, configuration.positionSource.origin.description
        )
        if let failure = answer.failure {
            row("", ink.color(214, "cannot be had right now: ") + failure.description)
        } else {
            let release = answer.release.isEmpty ? "answers" : "gpsd \(answer.release) answers"
            row("", ink.color(78, release))
        }
        if let wanted = configuration.receiver.value {
            row("", "only from \(wanted)", configuration.receiver.origin.description)
        }
        if let receivers = answer.receivers {
            if receivers.isEmpty { row("Receivers", "none; tell gpsd of one with: gpsdctl add DEVICE") }
            for (index, receiver) in receivers.enumerated() {
                let driver = [receiver.driver, receiver.subtype].filter { !$0.isEmpty }.joined(separator: ", ")
                let speed = receiver.bitsPerSecond > 0 ? "\(receiver.bitsPerSecond) bit/s" : ""
                row(index == 0 ? "Receivers" : "", "\(receiver.path)  \(driver)", speed)
            }
        }
        row(
            "Motion", configuration.motionSources.value.map(\.description).joined(separator: ", "),
            configuration.motionSources.origin.description)
        if sensors.isEmpty { row("Sensors", "none found", "sensorctl doctor says what is missing") }
        for (index, sensor) in sensors.enumerated() {
            let name = [sensor.name, sensor.label].filter { !$0.isEmpty }.joined(separator: ", ")
            let facts = [name, sensor.mode.rawValue, sensor.rates.text].filter { !$0.isEmpty }.joined(separator: "  ")
            row(index == 0 ? "Sensors" : "", "\(sensor.kind.rawValue)  \(facts)", sensor.id)
            if sensor.kind.isVector {
                row("", "  mount matrix \(sensor.mountMatrix.text)", sensor.mountMatrixOrigin)
            }
            for remark in sensor.remarks { row("", "  " + ink.color(214, remark)) }
        }
        for (name, value, remark) in accessories.rows(ink: ink) { row(name, value, remark) }
        if !configuration.accessoryFolders.value.isEmpty {
            row(
                "", "declared in \(configuration.accessoryFolders.value.joined(separator: ", "))",
                configuration.accessoryFolders.origin.description)
        }
        if let names = configuration.appProtocols.value {
            row(
                "", "programs may use \(names.isEmpty ? "none" : names.joined(separator: ", "))",
                configuration.appProtocols.origin.description)
        }
        if let battery {
            let level = battery.level.map { "\(Int(($0 * 100).rounded())) %" } ?? "level unknown"
            row("Battery", "\(level), \(battery.state.rawValue)")
        } else {
            row("Battery", "none")
        }
        row(
            "Authorization", configuration.locationRule.value.rawValue, configuration.locationRule.origin.description)
        if configuration.reducesAccuracy.value {
            row("", "reduced accuracy", configuration.reducesAccuracy.origin.description)
        }
        row("Built with", Self.traits.isEmpty ? "no optional libraries" : Self.traits.joined(separator: ", "))
        for (index, problem) in configuration.allProblems.enumerated() {
            row(index == 0 ? "Problems" : "", ink.color(203, problem.description))
        }
        return lines.joined(separator: "\n")
    }
}
