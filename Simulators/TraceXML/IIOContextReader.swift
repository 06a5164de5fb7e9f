// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import IIOFormat

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Builds a context from the elements of libiio's XML, as the parser meets them.
final class IIOContextReader: NSObject, XMLParserDelegate {
    /// The most elements of a text that is taken for a description of sensors.
    private static let maximumElements = 200_000
    /// What iio-emu's generator writes for an attribute that could not be read.
    private static let unreadValue = "ERROR"

    /// The element whose children come next.
    private enum Place {
        case outside, context, device, channel, buffer, unknown
    }

    private let name: String
    private var context = IIOContext(name: "", version: "")
    private var device = IIODevice(id: "")
    private var channel = IIOChannel(id: "")
    private var places: [Place] = [.outside]
    private var elements = 0
    private var failure: DeviceError?

    private init(name: String) {
        self.name = name
    }

    /// Reads a text without a document type.
    static func read(_ bytes: [UInt8], name: String) throws(DeviceError) -> IIOContext {
        let reader = IIOContextReader(name: name)
        let parser = XMLParser(data: Data(bytes))
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        let isWhole = parser.parse()
        if let failure = reader.failure { throw failure }
        // The parser takes a text that was cut off for a whole one.
        guard isWhole, reader.elements > 0, reader.places.count == 1 else {
            throw DeviceError(
                .invalidTrace,
                "\(name), line \(max(parser.lineNumber, 1)): this is not well-formed XML; a tag is not closed, or the text was cut off. Save the context again."
            )
        }
        return reader.context
    }

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        guard failure == nil else { return }
        elements += 1
        do throws(DeviceError) {
            guard elements <= Self.maximumElements, places.count < 64 else {
                throw wrong("there are too many elements for a description of sensors. Is it another file?", parser)
            }
            places.append(try begin(element, attributes, parser))
        } catch {
            failure = error
            parser.abortParsing()
        }
    }

    func parser(
        _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
    ) {
        guard failure == nil, places.count > 1 else { return }
        switch places.removeLast() {
        case .device: context.devices.append(Self.ordered(device))
        case .channel: device.channels.append(channel)
        case .outside, .context, .buffer, .unknown: break
        }
    }

    /// Takes an element in, and says where its children will stand.
    private func begin(
        _ element: String, _ attributes: [String: String], _ parser: XMLParser
    ) throws(DeviceError) -> Place {
        switch (places.last ?? .unknown, element) {
        case (.outside, "context"):
            context.name = attributes["name"] ?? ""
            context.description = attributes["description"] ?? ""
            if let major = attributes["version-major"], let minor = attributes["version-minor"] {
                context.version = "\(major).\(minor)"
            }
            return .context
        case (.outside, _):
            throw wrong("the text begins with <\(element.prefix(80))>; libiio's begins with <context>.", parser)
        case (.context, "context-attribute"):
            context.attributes.append(try attribute(element, attributes, parser))
        case (.context, "device"):
            device = IIODevice(
                id: try required("id", of: element, attributes, parser), name: attributes["name"] ?? "",
                label: attributes["label"] ?? "")
            return .device
        case (.device, "channel"):
            channel = IIOChannel(
                id: try required("id", of: element, attributes, parser), name: attributes["name"] ?? "",
                isOutput: attributes["type"] == "output")
            return .channel
        case (.device, "attribute"):
            device.attributes.append(try attribute(element, attributes, parser))
        case (.device, "debug-attribute"):
            device.debugAttributes.append(try attribute(element, attributes, parser))
        case (.device, "buffer-attribute"):
            device.bufferAttributes.append(try attribute(element, attributes, parser))
        case (.device, "buffer") where (attributes["index"] ?? "0") == "0":
            // libiio 1.0 groups a buffer's attributes; the channels in it only repeat what is known.
            return .buffer
        case (.buffer, "attribute"):
            device.bufferAttributes.append(try attribute(element, attributes, parser))
        case (.channel, "scan-element"):
            channel.scan = try scanElement(attributes, parser)
        case (.channel, "attribute"):
            channel.attributes.append(try attribute(element, attributes, parser))
        default:
            break
        }
        return .unknown
    }

    private func attribute(
        _ element: String, _ attributes: [String: String], _ parser: XMLParser
    ) throws(DeviceError) -> IIOAttribute {
        // Values of files end in a line end, which XML makes a blank.
        let value = attributes["value"].map { String(IIONumber.trimmed($0)) }
        return IIOAttribute(
            name: try required("name", of: element, attributes, parser), filename: attributes["filename"],
            value: value == Self.unreadValue ? nil : value)
    }

    private func scanElement(
        _ attributes: [String: String], _ parser: XMLParser
    ) throws(DeviceError) -> IIOScanElement {
        let index = try required("index", of: "scan-element", attributes, parser)
        let format = try required("format", of: "scan-element", attributes, parser)
        guard let number = Int32(index), number >= 0 else {
            throw wrong("the scan index \"\(index.prefix(40))\" of \(channel.id) is not a number from 0 up.", parser)
        }
        guard let parsed = IIODataFormat(format) else {
            throw wrong(
                "the format \"\(format.prefix(40))\" of \(channel.id) cannot be read; one looks like le:s12/16>>4.",
                parser)
        }
        return IIOScanElement(index: Int(number), format: parsed, scale: attributes["scale"].flatMap { Double($0) })
    }

    private func required(
        _ key: String, of element: String, _ attributes: [String: String], _ parser: XMLParser
    ) throws(DeviceError) -> String {
        guard let value = attributes[key], !value.isEmpty else {
            throw wrong("<\(element)> says no \(key), and needs one.", parser)
        }
        return value
    }

    private func wrong(_ what: String, _ parser: XMLParser) -> DeviceError {
        DeviceError(.invalidTrace, "\(name), line \(max(parser.lineNumber, 1)): \(what)")
    }

    /// The device with its channels as libiio sorts them: a mask of channels counts in this order.
    private static func ordered(_ device: IIODevice) -> IIODevice {
        var device = device
        let keyed = device.channels.enumerated().sorted { left, right in
            let (first, second) = (left.element.scan?.index ?? .max, right.element.scan?.index ?? .max)
            return first == second ? left.offset < right.offset : first < second
        }
        device.channels = keyed.map { $0.element }
        return device
    }
}
