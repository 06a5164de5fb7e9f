// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import JSONBytes

extension MachineReport {
    /// One object a line.
    func json() -> [UInt8] {
        var writer = JSONWriter()
        func line(_ kind: String, _ body: (inout JSONWriter) -> Void) {
            writer.beginObject()
            writer.key("kind")
            writer.string(kind)
            body(&writer)
            writer.endObject()
            writer.newline()
        }
        line("positionSource") { writer in
            writer.key("address")
            writer.string(configuration.positionSource.value.description)
            writer.key("origin")
            writer.string(configuration.positionSource.origin.description)
            writer.key("reachable")
            writer.bool(answer.failure == nil)
            writer.key("reason")
            if let failure = answer.failure { writer.string(failure.description) } else { writer.null() }
            writer.key("release")
            if answer.release.isEmpty { writer.null() } else { writer.string(answer.release) }
            writer.key("wantedReceiver")
            if let wanted = configuration.receiver.value { writer.string(wanted) } else { writer.null() }
        }
        for receiver in answer.receivers ?? [] {
            line("receiver") { writer in
                writer.key("path")
                writer.string(receiver.path)
                writer.key("driver")
                writer.string(receiver.driver)
                writer.key("subtype")
                writer.string(receiver.subtype)
                writer.key("bitsPerSecond")
                writer.int(receiver.bitsPerSecond)
                writer.key("cycle")
                writer.double(receiver.cycle)
                writer.key("isActive")
                writer.bool(receiver.isActive)
            }
        }
        line("motionSource") { writer in
            writer.key("addresses")
            writer.beginArray()
            for address in configuration.motionSources.value { writer.string(address.description) }
            writer.endArray()
            writer.key("origin")
            writer.string(configuration.motionSources.origin.description)
        }
        for sensor in sensors { line("sensor") { Self.write(sensor, &$0) } }
        line("accessorySource") { writer in
            writer.key("folders")
            writer.beginArray()
            for folder in configuration.accessoryFolders.value { writer.string(folder) }
            writer.endArray()
            writer.key("origin")
            writer.string(configuration.accessoryFolders.origin.description)
            writer.key("protocols")
            if let names = configuration.appProtocols.value {
                writer.beginArray()
                for name in names { writer.string(name) }
                writer.endArray()
            } else {
                writer.null()
            }
            writer.key("protocolsOrigin")
            writer.string(configuration.appProtocols.origin.description)
        }
        accessories.write(to: &writer)
        line("battery") { writer in
            writer.key("level")
            if let level = battery?.level { writer.double(level) } else { writer.null() }
            writer.key("state")
            if let battery { writer.string(battery.state.rawValue) } else { writer.null() }
        }
        line("authorization") { writer in
            writer.key("rule")
            writer.string(configuration.locationRule.value.rawValue)
            writer.key("origin")
            writer.string(configuration.locationRule.origin.description)
            writer.key("reducedAccuracy")
            writer.bool(configuration.reducesAccuracy.value)
        }
        line("traits") { writer in
            writer.key("enabled")
            writer.beginArray()
            for trait in Self.traits { writer.string(trait) }
            writer.endArray()
        }
        for problem in configuration.allProblems {
            line("problem") { writer in
                writer.key("message")
                writer.string(problem.description)
            }
        }
        return writer.bytes
    }

    private static func write(_ sensor: SensorDescription, _ writer: inout JSONWriter) {
        for (key, value) in [
            ("measures", sensor.kind.rawValue), ("id", sensor.id), ("name", sensor.name), ("label", sensor.label),
            ("location", sensor.location), ("source", sensor.source), ("mode", sensor.mode.rawValue),
            ("clock", sensor.clock), ("mountMatrix", sensor.mountMatrix.text),
            ("mountMatrixOrigin", sensor.mountMatrixOrigin),
        ] {
            writer.key(text: key)
            writer.string(value)
        }
        writer.key("rates")
        switch sensor.rates {
        case .unknown: writer.null()
        case .list(let rates):
            writer.beginArray()
            for rate in rates { writer.double(rate) }
            writer.endArray()
        case .range(let minimum, let step, let maximum):
            writer.beginObject()
            for (key, value) in [("minimum", minimum), ("step", step), ("maximum", maximum)] {
                writer.key(text: key)
                writer.double(value)
            }
            writer.endObject()
        }
        writer.key("remarks")
        writer.beginArray()
        for remark in sensor.remarks { writer.string(remark) }
        writer.endArray()
    }
}
