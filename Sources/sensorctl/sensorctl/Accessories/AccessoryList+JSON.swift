// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import JSONBytes

extension AccessoryList {
    /// One object a line.
    func write(to writer: inout JSONWriter) {
        for accessory in accessories {
            writer.beginObject()
            writer.key("kind")
            writer.string("accessory")
            writer.write(fieldsOf: accessory)
            writer.endObject()
            writer.newline()
        }
        for candidate in candidates {
            writer.beginObject()
            writer.key("kind")
            writer.string("accessoryCandidate")
            writer.key("node")
            writer.string(candidate.node)
            writer.key("name")
            writer.string(candidate.name)
            writer.key("port")
            writer.string(candidate.portPath)
            for (key, number) in [("vendor", candidate.vendorID), ("product", candidate.productID)] {
                writer.key(text: key)
                if let number { writer.string(Printable.hex(number)) } else { writer.null() }
            }
            writer.key("interface")
            if let interface = candidate.interface { writer.int(Int64(interface)) } else { writer.null() }
            writer.key("reason")
            writer.string(candidate.reason)
            writer.key("setting")
            writer.string(candidate.setting)
            writer.endObject()
            writer.newline()
        }
        for problem in problems {
            writer.beginObject()
            writer.key("kind")
            writer.string("problem")
            writer.key("message")
            writer.string(problem.description)
            writer.endObject()
            writer.newline()
        }
    }
}

extension JSONWriter {
    /// The keys and values that tell of an accessory.
    mutating func write(fieldsOf accessory: AccessoryDescription) {
        key("id")
        int(accessory.id)
        for (name, value) in [
            ("identity", accessory.identity), ("name", accessory.name), ("manufacturer", accessory.manufacturer),
            ("model", accessory.modelNumber), ("serial", accessory.serialNumber),
            ("firmware", accessory.firmwareRevision), ("hardware", accessory.hardwareRevision),
            ("port", accessory.portPath),
        ] {
            key(text: name)
            string(value)
        }
        for (name, number) in [("vendor", accessory.vendorID), ("product", accessory.productID)] {
            key(text: name)
            if let number { string(Printable.hex(number)) } else { null() }
        }
        key("protocols")
        beginArray()
        for offered in accessory.protocols {
            beginObject()
            key("name")
            string(offered.name)
            key("origin")
            string(offered.origin.rawValue)
            key("interface")
            if let interface = offered.interface { int(Int64(interface)) } else { null() }
            key("node")
            if let node = offered.node { string(node.path) } else { null() }
            endObject()
        }
        endArray()
    }
}
