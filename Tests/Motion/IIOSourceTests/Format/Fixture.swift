// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationXML
import IIOFormat
import Testing

/// The contexts in the directory Fixtures.
enum Fixture {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

    static func context(_ name: String) throws -> IIOContext {
        let builder = ContextBuilder()
        let text = try String(contentsOf: folder.appending(path: "\(name).xml"), encoding: .utf8)
        try #require(Self.parse(text, builder))
        var context = builder.context
        let values = folder.appending(path: "\(name).values.json")
        if let data = try? Data(contentsOf: values) {
            let table = try #require(try JSONSerialization.jsonObject(with: data) as? [String: String])
            for (key, value) in table {
                let isSet = context.setValue(value, for: key)
                #expect(isSet, "\(key)")
            }
        }
        return context
    }

    /// Parses XML without its document type, because FoundationXML crashes on attributes that are declared without a
    /// default value.
    static func parse(_ text: String, _ delegate: any XMLParserDelegate) -> Bool {
        let parts = text.components(separatedBy: "<!DOCTYPE")
        let body =
            parts.count == 2
            ? parts[0] + parts[1].components(separatedBy: "]>").dropFirst().joined(separator: "]>") : text
        let parser = XMLParser(data: Data(body.utf8))
        parser.delegate = delegate
        return parser.parse()
    }

    static func device(_ name: String, _ index: Int = 0) throws -> IIODevice {
        let devices = try context(name).devices
        return try #require(devices.indices.contains(index) ? devices[index] : nil)
    }

    /// Returns the first successful response of the recorded iiod to a request with the given prefix.
    static func answer(_ request: String) throws -> [UInt8] {
        let text = try String(contentsOf: folder.appending(path: "iiod-0.24-dialogue.jsonl"), encoding: .utf8)
        for line in text.split(separator: "\n") {
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let hex = Array(try #require(object["response_hex"] as? String).utf8)
            guard (object["request"] as? String)?.hasPrefix(request) == true, hex.first != UInt8(ascii: "2") else {
                continue
            }
            return stride(from: 0, to: hex.count - 1, by: 2).compactMap {
                UInt8(String(decoding: hex[$0...$0 + 1], as: UTF8.self), radix: 16)
            }
        }
        throw Missing(request: request)
    }

    struct Missing: Error {
        let request: String
    }
}

private final class ContextBuilder: NSObject, XMLParserDelegate {
    var context = IIOContext()

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        let name = attributes["name"] ?? ""
        let device = context.devices.count - 1
        let attribute = IIOAttribute(name: name, filename: attributes["filename"], value: attributes["value"])
        switch element {
        case "context-attribute": context.attributes.append(attribute)
        case "device":
            context.devices.append(
                IIODevice(id: attributes["id"] ?? "", name: name, label: attributes["label"] ?? ""))
        case "channel":
            context.devices[device].channels.append(
                IIOChannel(id: attributes["id"] ?? "", name: name, isOutput: attributes["type"] == "output"))
        case "scan-element":
            guard let index = Int(attributes["index"] ?? ""), let format = IIODataFormat(attributes["format"] ?? "")
            else { return }
            let last = context.devices[device].channels.count - 1
            context.devices[device].channels[last].scan = IIOScanElement(index: index, format: format)
        case "attribute":
            // In libiio's order, the channels of a device precede its own attributes.
            if isInChannel {
                let last = context.devices[device].channels.count - 1
                context.devices[device].channels[last].attributes.append(attribute)
            } else {
                context.devices[device].attributes.append(attribute)
            }
        case "buffer-attribute": context.devices[device].bufferAttributes.append(attribute)
        default: break
        }
        if element == "channel" { isInChannel = true }
    }

    func parser(_ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?) {
        if element == "channel" { isInChannel = false }
    }

    private var isInChannel = false
}
