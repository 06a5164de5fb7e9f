// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import JSONBytes

/// Prints a diagnosis.
struct DiagnosisReport {
    let facts: MachineFacts
    let diagnosis: Diagnosis

    /// What is in force and where it comes from.
    private var settings: [(name: String, value: String, origin: String)] {
        let configuration = facts.configuration
        var settings = [
            (
                "positions", configuration.positionSource.value.description,
                configuration.positionSource.origin.description
            ),
            (
                "motion", configuration.motionSources.value.map(\.description).joined(separator: ", "),
                configuration.motionSources.origin.description
            ),
            ("authorization", configuration.locationRule.value.rawValue, configuration.locationRule.origin.description),
        ]
        let accessories = configuration.accessoryFolders
        if !accessories.value.isEmpty {
            settings.append(
                ("accessory folders", accessories.value.joined(separator: ", "), accessories.origin.description))
        }
        let counts = [
            (
                "accessory rules", configuration.accessoryRules.value.count,
                configuration.accessoryRules.origin.description
            ),
            (
                "declared accessories", configuration.declaredAccessories.value.count,
                configuration.declaredAccessories.origin.description
            ),
        ]
        for (name, count, origin) in counts where count > 0 { settings.append((name, "\(count)", origin)) }
        settings.append(
            (
                "protocols", configuration.appProtocols.value.map { $0.joined(separator: ", ") } ?? "all",
                configuration.appProtocols.origin.description
            ))
        if let receiver = configuration.receiver.value {
            settings.append(("receiver", receiver, configuration.receiver.origin.description))
        }
        for sensor in configuration.sensors.value {
            let matrix = sensor.mountMatrix.map { "mount matrix \($0.text)" } ?? "no matrix"
            var parts = [matrix]
            if let kind = sensor.kind { parts.append("only its \(kind.rawValue)") }
            if let convention = sensor.convention { parts.append("convention \(convention.rawValue)") }
            if let trigger = sensor.trigger { parts.append("trigger \(trigger)") }
            if sensor.isPolled { parts.append("polled") }
            settings.append(
                (
                    "sensor \(sensor.sensor)", parts.joined(separator: ", "),
                    configuration.sensors.origin.description
                ))
        }
        return settings
    }

    /// A page for people.
    func text(ink: Ink) -> String {
        var lines = [ink.bold("In force")]
        for setting in settings {
            lines.append("  \(setting.name): \(setting.value)  \(ink.dim("(\(setting.origin))"))")
        }
        lines.append("")
        lines.append(ink.bold("Found"))
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

    /// One object a line.
    func json() -> [UInt8] {
        var writer = JSONWriter()
        for setting in settings {
            writer.beginObject()
            for (key, value) in [
                ("kind", "setting"), ("name", setting.name), ("value", setting.value), ("origin", setting.origin),
            ] {
                writer.key(text: key)
                writer.string(value)
            }
            writer.endObject()
            writer.newline()
        }
        for finding in diagnosis.findings {
            writer.beginObject()
            for (key, value) in [
                ("kind", "finding"), ("level", finding.level.rawValue), ("topic", finding.topic),
                ("message", finding.message),
            ] {
                writer.key(text: key)
                writer.string(value)
            }
            writer.key("repair")
            writer.beginArray()
            for line in finding.repair { writer.string(line) }
            writer.endArray()
            writer.endObject()
            writer.newline()
        }
        return writer.bytes
    }
}
