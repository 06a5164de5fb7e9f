// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// An accessory as the accessory manager describes it.
struct AccessoryReading: Sendable, Hashable {
    var connectionID: Int
    var name: String
    var manufacturer = ""
    var model = ""
    var serial = ""
    var firmware = ""
    var hardware = ""
    var port = ""
    var protocols: [String] = []
}

extension AccessoryReading {
    /// What there is to know of it, in a line.
    var line: String {
        let serial = serial.isEmpty ? "" : "serial \(serial)"
        let words = [name, manufacturer, model == name ? "" : model, serial].filter { !$0.isEmpty }.map(Printable.text)
        let spoken = protocols.isEmpty ? "no protocol" : protocols.joined(separator: ", ")
        return "\(connectionID)  \(words.joined(separator: "  "))  \(spoken)"
    }

    /// The same as a JSON object.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("connectionID")
        writer.int(connectionID)
        for (key, value) in [
            ("name", name), ("manufacturer", manufacturer), ("model", model), ("serial", serial),
            ("firmware", firmware), ("hardware", hardware), ("port", port),
        ] {
            writer.key(text: key)
            writer.string(value)
        }
        writer.key("protocols")
        writer.beginArray()
        for name in protocols { writer.string(name) }
        writer.endArray()
        writer.endObject()
    }
}
