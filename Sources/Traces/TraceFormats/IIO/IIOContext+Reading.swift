// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import IIOFormat
import JSONBytes
import Trace

extension IIOContext {
    /// The maximum size of a context's XML in bytes (16 MiB), which is enough for more than a thousand sensors.
    package static var maximumXMLSize: Int { 16 << 20 }

    /// Reads a context from libiio XML, as sent by `iiod`, printed by `iio_info -S` or stored by emulators.
    ///
    /// The reader supports the XML dialects of libiio 0.21 to 0.26 and 1.0, and the values that iio-emu adds. As in
    /// libiio, channels are sorted by scan index, and channels without an index come last. The XML must be UTF-8.
    ///
    /// - Throws: An error with code `invalidTrace` that states the line and the problem.
    package init(xml: [UInt8], name: String = "The XML of the context") throws(DeviceError) {
        guard xml.count <= Self.maximumXMLSize else {
            throw .invalidTrace(
                "\(name) has \(xml.count) bytes; a sensor description has at most \(Self.maximumXMLSize). Is it the right file?"
            )
        }
        self = try IIOContextReader.read(xml, name: name)
    }
}

/// Builds a context from the elements of its XML.
struct IIOContextReader: ~Copyable {
    private static let maximumElements = 200_000
    /// Elements at this nesting depth or deeper are rejected.
    private static let maximumDepth = 64
    /// The value that iio-emu's generator writes for attributes that it could not read.
    private static let unreadValue = "ERROR"

    private enum ElementKind {
        case outside, context, device, channel, buffer, unknown
    }

    private var reader: XMLReader
    private var context = IIOContext(name: "", version: "")
    /// The device and channel whose start tags were read most recently.
    private var device = IIODevice(id: "")
    private var channel = IIOChannel(id: "")
    private var elementStack: [ElementKind] = [.outside]

    private init(_ reader: consuming XMLReader) { self.reader = reader }

    static func read(_ bytes: [UInt8], name: String) throws(DeviceError) -> IIOContext {
        var reader = IIOContextReader(XMLReader(MemorySource(bytes), name: name))
        return try reader.read()
    }

    private mutating func read() throws(DeviceError) -> IIOContext {
        var elements = 0
        while let token = try reader.next() {
            switch token {
            case .start:
                elements += 1
                guard elements <= Self.maximumElements, elementStack.count < Self.maximumDepth else {
                    throw reader.error("there are too many elements for a sensor description. Is it the right file?")
                }
                elementStack.append(try begin(reader.elementName))
            case .end:
                switch elementStack.removeLast() {
                case .device: context.devices.append(Self.sortingChannels(of: device))
                case .channel: device.channels.append(channel)
                case .outside, .context, .buffer, .unknown: break
                }
            }
        }
        return context
    }

    private mutating func begin(_ element: String) throws(DeviceError) -> ElementKind {
        switch (elementStack.last ?? .unknown, element) {
        case (.outside, "context"):
            context.name = reader.text(of: "name") ?? ""
            context.description = reader.text(of: "description") ?? ""
            if let major = reader.text(of: "version-major"), let minor = reader.text(of: "version-minor") {
                context.version = "\(major).\(minor)"
            }
            return .context
        case (.outside, _):
            throw reader.error(
                "the text begins with <\(element.prefix(80))>; libiio XML begins with <context>, and GPX with <gpx>.")
        case (.context, "context-attribute"):
            context.attributes.append(try attribute(element))
        case (.context, "device"):
            device = IIODevice(
                id: try required("id", of: element), name: reader.text(of: "name") ?? "",
                label: reader.text(of: "label") ?? "")
            return .device
        case (.device, "channel"):
            channel = IIOChannel(
                id: try required("id", of: element), name: reader.text(of: "name") ?? "",
                isOutput: reader.text(of: "type") == "output")
            return .channel
        case (.device, "attribute"):
            device.attributes.append(try attribute(element))
        case (.device, "debug-attribute"):
            device.debugAttributes.append(try attribute(element))
        case (.device, "buffer-attribute"):
            device.bufferAttributes.append(try attribute(element))
        case (.device, "buffer") where (reader.text(of: "index") ?? "0") == "0":
            // In libiio 1.0, a `buffer` element contains the attributes of a buffer. It also lists channels, which are
            // skipped because they only repeat known information.
            return .buffer
        case (.buffer, "attribute"):
            device.bufferAttributes.append(try attribute(element))
        case (.channel, "scan-element"):
            channel.scan = try scanElement()
        case (.channel, "attribute"):
            channel.attributes.append(try attribute(element))
        default:
            break
        }
        return .unknown
    }

    private mutating func attribute(_ element: String) throws(DeviceError) -> IIOAttribute {
        // Values read from sysfs end with a line break, which XML normalizes to a space. That space is removed.
        let value = reader.text(of: "value").map { String(IIONumber.trimmed($0)) }
        return IIOAttribute(
            name: try required("name", of: element), filename: reader.text(of: "filename"),
            value: value == Self.unreadValue ? nil : value)
    }

    private mutating func scanElement() throws(DeviceError) -> IIOScanElement {
        let index = try required("index", of: "scan-element")
        let format = try required("format", of: "scan-element")
        guard let number = Int32(index), number >= 0 else {
            throw reader.error(
                "the scan index \"\(index.prefix(40))\" of \(channel.id) is not an integer of 0 or more.")
        }
        guard let parsed = IIODataFormat(format) else {
            throw reader.error(
                "the format \"\(format.prefix(40))\" of \(channel.id) is invalid; a valid one is le:s12/16>>4.")
        }
        return IIOScanElement(
            index: Int(number), format: parsed, scale: reader.text(of: "scale").flatMap { Double($0) })
    }

    private mutating func required(_ key: StaticString, of element: String) throws(DeviceError) -> String {
        guard let value = reader.text(of: key), !value.isEmpty else {
            throw reader.error("<\(element)> lacks the attribute \(key).")
        }
        return value
    }

    /// Returns the device with its channels in libiio's order. This order determines the bits in a channel mask.
    private static func sortingChannels(of device: IIODevice) -> IIODevice {
        var device = device
        let keyed = device.channels.enumerated().sorted {
            ($0.element.scan?.index ?? .max, $0.offset) < ($1.element.scan?.index ?? .max, $1.offset)
        }
        device.channels = keyed.map(\.element)
        return device
    }
}

extension IIOContext {
    /// Sets attribute values from a JSON object: `{"iio:device0/input/accel_x/scale":"0.000598", …}`.
    ///
    /// A key is `device/attribute`, `device/buffer/attribute`, `device/input/channel/attribute` or `device/output/…`.
    /// Values are strings, or numbers that are used exactly as written.
    ///
    /// - Returns: The keys that match no attribute of this context, at most 100.
    /// - Throws: An error with code `invalidTrace` that states the line.
    @discardableResult
    package mutating func setValues(json: [UInt8], name: String = "The values") throws(DeviceError) -> [String] {
        var changed = self
        do throws(JSONError) {
            let unknown = try json.withBytes { bytes throws(JSONError) in try changed.setValues(bytes) }
            self = changed
            return unknown
        } catch {
            let line = json.prefix(max(error.offset, 0)).count { $0 == UInt8(ascii: "\n") } + 1
            throw .invalidTrace(
                "\(name), line \(line): this is not a JSON object of strings, such as {\"iio:device0/sampling_frequency\":\"100\"} (\(error.description))."
            )
        }
    }

    private mutating func setValues(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> [String] {
        var unknown: [String] = []
        var reader = JSONReader(bytes)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let name = key.string()
            let value: String
            if try reader.peekKind() == .number {
                value = String(decoding: try reader.readRawValue(), as: UTF8.self)
            } else {
                value = try reader.readString()
            }
            if !setValue(value, for: name), unknown.count < 100 { unknown.append(name) }
        }
        try reader.finish()
        return unknown
    }
}
