// SPDX-License-Identifier: Apache-2.0

/// Writes a context as XML, the format in which recordings store it. Except for attribute values, the output is
/// identical to that of libiio 0.24: it contains no line breaks, and a space precedes each `/>`.
struct IIOXMLWriter {
    private(set) var text = ""
    private let includesValues: Bool

    init(includingValues: Bool) { includesValues = includingValues }

    mutating func write(_ context: IIOContext) {
        text += #"<?xml version="1.0" encoding="utf-8"?>"#
        text += Self.documentType(includingValues: includesValues)
        let version = Self.version(context.version)
        text += "<context"
        write("name", context.name)
        write("version-major", version.major)
        write("version-minor", version.minor)
        write("version-git", version.git)
        if !context.description.isEmpty { write("description", context.description) }
        text += " >"
        for attribute in context.attributes {
            text += "<context-attribute"
            write("name", attribute.name)
            write("value", attribute.text ?? "")
            text += " />"
        }
        for device in context.devices { write(device) }
        text += "</context>"
    }

    private mutating func write(_ device: IIODevice) {
        text += "<device"
        write("id", device.id)
        if !device.name.isEmpty { write("name", device.name) }
        if !device.label.isEmpty { write("label", device.label) }
        text += " >"
        for channel in device.channels { write(channel) }
        for attribute in device.attributes { write(attribute, as: "attribute") }
        for attribute in device.bufferAttributes { write(attribute, as: "buffer-attribute") }
        for attribute in device.debugAttributes { write(attribute, as: "debug-attribute") }
        text += "</device>"
    }

    private mutating func write(_ channel: IIOChannel) {
        text += "<channel"
        write("id", channel.id)
        if !channel.name.isEmpty { write("name", channel.name) }
        write("type", channel.isOutput ? "output" : "input")
        text += " >"
        if let scan = channel.scan {
            text += "<scan-element"
            write("index", "\(scan.index)")
            write("format", scan.format.libiioText)
            if let scale = scan.scale { write("scale", Self.sixDecimals(scale)) }
            text += " />"
        }
        for attribute in channel.attributes { write(attribute, as: "attribute", withFilename: true) }
        text += "</channel>"
    }

    private mutating func write(_ attribute: IIOAttribute, as element: String, withFilename: Bool = false) {
        text += "<\(element)"
        write("name", attribute.name)
        if withFilename { write("filename", attribute.filename) }
        if includesValues, let value = attribute.text { write("value", value) }
        text += " />"
    }

    private mutating func write(_ name: String, _ value: String) {
        text += " \(name)=\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&apos;"
            // An XML parser converts tabs and line breaks to spaces unless they are written as character references.
            case "\t", "\n", "\r": text += "&#\(scalar.value);"
            // Control characters and noncharacters cannot be represented in XML 1.0, so they are replaced.
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    private static func version(_ text: String) -> (major: String, minor: String, git: String) {
        let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 2,
            parts[0...1].allSatisfy({ (1...4).contains($0.utf8.count) && $0.utf8.allSatisfy(IIONumber.isDigit) })
        else { return ("0", "24", "v0.24") }
        return (parts[0], parts[1], parts.count > 2 ? parts[2] : "v\(parts[0]).\(parts[1])")
    }

    /// Formats a number like C's `%f`, but independently of the locale.
    static func sixDecimals(_ number: Double) -> String {
        guard number.isFinite else { return number.isNaN ? "nan" : number < 0 ? "-inf" : "inf" }
        let size = abs(number)
        let sign = number.sign == .minus ? "-" : ""
        // A `Double` of 2^53 or more has no fractional part. Scales never reach this range.
        guard size < 0x1p53 else { return "\(sign)\(size)" }
        var integerPart = Int64(size)
        let part = size - Double(integerPart)
        let product = part * 1e6
        // The product has already been rounded to a `Double`. Near a tie, that rounding error determines whether to
        // round up or down.
        let roundingError = (-product).addingProduct(part, 1e6)
        var millionths = Int64(product)
        let distanceFromTie = (product - Double(millionths) - 0.5) + roundingError
        if distanceFromTie > 0 || (distanceFromTie == 0 && millionths % 2 == 1) { millionths += 1 }
        if millionths == 1_000_000 {
            integerPart += 1
            millionths = 0
        }
        let digits = "\(millionths)"
        return "\(sign)\(integerPart).\(String(repeating: "0", count: 6 - digits.count))\(digits)"
    }

    static func documentType(includingValues: Bool) -> String {
        let value = includingValues ? " value CDATA #IMPLIED" : ""
        let declarations = [
            "ELEMENT context (device | context-attribute)*",
            "ELEMENT context-attribute EMPTY",
            "ELEMENT device (channel | attribute | debug-attribute | buffer-attribute)*",
            "ELEMENT channel (scan-element?, attribute*)",
            "ELEMENT attribute EMPTY",
            "ELEMENT scan-element EMPTY",
            "ELEMENT debug-attribute EMPTY",
            "ELEMENT buffer-attribute EMPTY",
            "ATTLIST context name CDATA #REQUIRED version-major CDATA #REQUIRED version-minor CDATA #REQUIRED "
                + "version-git CDATA #REQUIRED description CDATA #IMPLIED",
            "ATTLIST context-attribute name CDATA #REQUIRED value CDATA #REQUIRED",
            "ATTLIST device id CDATA #REQUIRED name CDATA #IMPLIED label CDATA #IMPLIED",
            "ATTLIST channel id CDATA #REQUIRED type (input|output) #REQUIRED name CDATA #IMPLIED",
            "ATTLIST scan-element index CDATA #REQUIRED format CDATA #REQUIRED scale CDATA #IMPLIED",
            "ATTLIST attribute name CDATA #REQUIRED filename CDATA #IMPLIED\(value)",
            "ATTLIST debug-attribute name CDATA #REQUIRED\(value)",
            "ATTLIST buffer-attribute name CDATA #REQUIRED\(value)",
        ]
        return "<!DOCTYPE context [\(declarations.map { "<!\($0)>" }.joined())]>"
    }
}
