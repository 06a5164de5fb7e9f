// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import JSONBytes

extension Output {
    func event(_ event: AccessoryEvent) {
        switch event {
        case .snapshot(let all):
            line("snapshot") { writer in
                writer.key("accessories")
                writer.beginArray()
                for one in all { Self.write(one, &writer) }
                writer.endArray()
            }
        case .attached(let one): accessory("attached", one)
        case .changed(let one): accessory("changed", one)
        case .detached(let one): accessory("detached", one)
        }
    }

    func candidates(_ candidates: [AccessoryCandidate]) {
        line("candidates") { writer in
            writer.key("nodes")
            writer.beginArray()
            for one in candidates { writer.string(one.node) }
            writer.endArray()
        }
    }

    func problems(_ problems: [DeviceError]) {
        line("problems") { writer in
            writer.key("codes")
            writer.beginArray()
            for one in problems { writer.string(one.code.description) }
            writer.endArray()
        }
    }

    private func accessory(_ kind: String, _ accessory: AccessoryDescription) {
        line(kind) { writer in
            writer.key("accessory")
            Self.write(accessory, &writer)
        }
    }

    private static func write(_ accessory: AccessoryDescription, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", accessory.id)
        let texts: [(StaticString, String)] = [
            ("identity", accessory.identity), ("name", accessory.name), ("manufacturer", accessory.manufacturer),
            ("serial", accessory.serialNumber), ("firmware", accessory.firmwareRevision), ("port", accessory.portPath),
        ]
        for (key, text) in texts {
            writer.member(key, text)
        }
        writer.key("protocols")
        writer.beginObject()
        for one in accessory.protocols {
            writer.member(text: one.name, "\(one.origin.rawValue) \(one.node?.path ?? "")")
        }
        writer.endObject()
        writer.endObject()
    }
}
