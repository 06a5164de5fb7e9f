// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import IIOFormat
import JSONBytes
import Trace

extension IIOContext {
    /// The largest description that is read, in bytes.
    public static var maximumXMLSize: Int { 16 << 20 }

    /// Reads a context from libiio's XML, as `iiod` sends it and `iio_info -S` and the emulators keep it.
    ///
    /// The dialects of libiio 0.21 to 0.26 and of 1.0 are read, with or without the document type inside, and with the
    /// values that iio-emu adds. Elements that are not known here are passed over. Channels are put in the order of
    /// their scan indexes, those without one last, as libiio does.
    ///
    /// The document type is skipped, so nothing outside is ever loaded, and entities that it may define do not exist.
    ///
    /// - Parameters:
    ///   - xml: the text, in UTF-8, at most ``maximumXMLSize`` bytes.
    ///   - name: what to call it in messages.
    /// - Throws: an error of code `invalidTrace` that names the line and says what is wrong there.
    public init(xml: [UInt8], name: String = "The XML of the context") throws(DeviceError) {
        guard xml.count <= Self.maximumXMLSize else {
            throw DeviceError(
                .invalidTrace,
                "\(name) has \(xml.count) bytes; a description of sensors has at most \(Self.maximumXMLSize). Is it another file?"
            )
        }
        self = try IIOContextReader.read(xml, name: name)
    }
}

/// Builds a context from the elements of libiio's XML.
struct IIOContextReader: ~Copyable {
    /// The most elements of a text that is taken for a description of sensors.
    private static let maximumElements = 200_000
    /// The deepest element of such a text.
    private static let maximumDepth = 64
    /// What iio-emu's generator writes for an attribute that could not be read.
    private static let unreadValue = "ERROR"

    /// The element whose children come next.
    private enum Place {
        case outside, context, device, channel, buffer, unknown
    }

    private var reader: XMLReader
    private var context = IIOContext(name: "", version: "")
    private var device = IIODevice(id: "")
    private var channel = IIOChannel(id: "")
    private var places: [Place] = [.outside]

    private init(_ reader: consuming XMLReader) { self.reader = reader }

    /// Reads a whole text.
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
                guard elements <= Self.maximumElements, places.count < Self.maximumDepth else {
                    throw reader.error("there are too many elements for a description of sensors. Is it another file?")
                }
                places.append(try begin(reader.elementName))
            case .end:
                switch places.removeLast() {
                case .device: context.devices.append(Self.ordered(device))
                case .channel: device.channels.append(channel)
                case .outside, .context, .buffer, .unknown: break
                }
            }
        }
        return context
    }

    /// Takes an element in, and says where its children will stand.
    private mutating func begin(_ element: String) throws(DeviceError) -> Place {
        switch (places.last ?? .unknown, element) {
        case (.outside, "context"):
            context.name = reader.text(of: "name") ?? ""
            context.description = reader.text(of: "description") ?? ""
            if let major = reader.text(of: "version-major"), let minor = reader.text(of: "version-minor") {
                context.version = "\(major).\(minor)"
            }
            return .context
        case (.outside, _):
            throw reader.error(
                "the text begins with <\(element.prefix(80))>; libiio's begins with <context>, and GPX with <gpx>.")
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
            // libiio 1.0 groups a buffer's attributes; the channels in it only repeat what is known.
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
        // Values of files end in a line end, which XML makes a blank.
        let value = reader.text(of: "value").map { String(IIONumber.trimmed($0)) }
        return IIOAttribute(
            name: try required("name", of: element), filename: reader.text(of: "filename"),
            value: value == Self.unreadValue ? nil : value)
    }

    private mutating func scanElement() throws(DeviceError) -> IIOScanElement {
        let index = try required("index", of: "scan-element")
        let format = try required("format", of: "scan-element")
        guard let number = Int32(index), number >= 0 else {
            throw reader.error("the scan index \"\(index.prefix(40))\" of \(channel.id) is not a number from 0 up.")
        }
        guard let parsed = IIODataFormat(format) else {
            throw reader.error(
                "the format \"\(format.prefix(40))\" of \(channel.id) cannot be read; one looks like le:s12/16>>4.")
        }
        return IIOScanElement(
            index: Int(number), format: parsed, scale: reader.text(of: "scale").flatMap { Double($0) })
    }

    private mutating func required(_ key: StaticString, of element: String) throws(DeviceError) -> String {
        guard let value = reader.text(of: key), !value.isEmpty else {
            throw reader.error("<\(element)> says no \(key), and needs one.")
        }
        return value
    }

    /// The device with its channels as libiio sorts them: a mask of channels counts in this order.
    private static func ordered(_ device: IIODevice) -> IIODevice {
        var device = device
        let keyed = device.channels.enumerated().sorted {
            ($0.element.scan?.index ?? .max, $0.offset) < ($1.element.scan?.index ?? .max, $1.offset)
        }
        device.channels = keyed.map(\.element)
        return device
    }
}

extension IIOContext {
    /// Gives attributes the values of a JSON object: `{"iio:device0/input/accel_x/scale":"0.000598", …}`.
    ///
    /// A key names the device, then, for an attribute of a channel, `input` or `output` and the channel, or `buffer` for
    /// one of the buffer, and last the attribute. Values are strings; numbers are taken as they are written.
    ///
    /// - Parameters:
    ///   - json: the object.
    ///   - name: what to call it in messages.
    /// - Returns: the keys that name nothing in this context, at most 100 of them.
    /// - Throws: an error of code `invalidTrace` that names the line.
    @discardableResult
    public mutating func setValues(json: [UInt8], name: String = "The values") throws(DeviceError) -> [String] {
        var changed = self
        do throws(JSONError) {
            let unknown = try json.withBytes { bytes throws(JSONError) in try changed.setValues(bytes) }
            self = changed
            return unknown
        } catch {
            let line = json.prefix(max(error.offset, 0)).count { $0 == UInt8(ascii: "\n") } + 1
            throw DeviceError(
                .invalidTrace,
                "\(name), line \(line): this is not an object of strings, such as {\"iio:device0/sampling_frequency\":\"100\"} (\(error.description))."
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
