// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
        for problem in configuration.problems {
            line("problem") { writer in
                writer.key("message")
                writer.string(problem.description)
            }
        }
        return writer.bytes
    }
}
