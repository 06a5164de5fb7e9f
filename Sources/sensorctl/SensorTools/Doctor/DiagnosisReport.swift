// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
package import JSONBytes

/// A diagnosis and the settings on which it is based.
package struct DiagnosisReport: Report {
    private let machine: MachineState
    private let diagnosis: Diagnosis

    package init(_ machine: MachineState) { (self.machine, diagnosis) = (machine, Diagnosis(machine)) }

    package var findings: [Finding] { diagnosis.findings }
    package var hasProblem: Bool { diagnosis.hasProblem }

    private var settings: [(name: String, value: String, origin: String)] {
        let configuration = machine.configuration
        var settings: [(name: String, value: String, origin: String)] = []
        func add<Value>(_ name: String, _ setting: Setting<Value>, _ text: (Value) -> String?) {
            if let text = text(setting.value) { settings.append((name, text, setting.origin.description)) }
        }
        func count(_ number: Int) -> String? { number > 0 ? "\(number)" : nil }
        add("positions", configuration.positionSource) { $0.description }
        add("motion", configuration.motionSources) { $0.map(\.description).joined(separator: ", ") }
        add("authorization", configuration.locationRule) { $0.rawValue }
        add("accessory folders", configuration.accessoryDirectories) { $0.isEmpty ? nil : $0.joined(separator: ", ") }
        add("accessory rules", configuration.accessoryRules) { count($0.count) }
        add("declared accessories", configuration.declaredAccessories) { count($0.count) }
        add("protocols", configuration.appProtocols) { $0?.joined(separator: ", ") ?? "all" }
        add("receiver", configuration.receiver) { $0 }
        for sensor in configuration.sensors.value {
            add("sensor \(sensor.sensor)", configuration.sensors) { _ in
                var parts = [sensor.mountMatrix.map { "mount matrix \($0.text)" } ?? "no mount matrix"]
                if let kind = sensor.kind { parts.append("only the \(kind.rawValue)") }
                if let convention = sensor.convention { parts.append("convention \(convention.rawValue)") }
                if let trigger = sensor.trigger { parts.append("trigger \(trigger)") }
                if sensor.isPolled { parts.append("polled") }
                return parts.joined(separator: ", ")
            }
        }
        return settings
    }

    package func text(ink: TerminalStyle) -> String {
        var lines = [ink.bold("Settings")]
        for setting in settings {
            lines.append("  \(setting.name): \(setting.value)  \(ink.dim("(\(setting.origin))"))")
        }
        lines.append("")
        lines.append(ink.bold("Findings"))
        for finding in diagnosis.findings {
            let mark =
                switch finding.level {
                case .good: ink.color(78, "✓")
                case .remark: ink.color(214, "•")
                case .problem: ink.color(203, "✗")
                }
            lines.append("  \(mark) \(finding.message)")
            lines += finding.repair.map { "        \($0)" }
        }
        return lines.joined(separator: "\n")
    }

    package func write(to writer: inout JSONWriter) {
        for setting in settings {
            writer.line(["kind": "setting", "name": setting.name, "value": setting.value, "origin": setting.origin])
        }
        for finding in diagnosis.findings {
            writer.line([
                "kind": "finding", "level": finding.level.rawValue, "topic": finding.topic, "message": finding.message,
                "repair": finding.repair,
            ])
        }
    }
}
