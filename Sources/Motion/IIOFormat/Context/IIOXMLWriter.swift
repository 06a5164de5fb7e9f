// SPDX-License-Identifier: Apache-2.0

/// Writes a context in libiio's words: no line ends, and a blank before each `/>`.
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
            // A parser turns these into blanks unless they are written as numbers.
            case "\t", "\n", "\r": text += "&#\(scalar.value);"
            // XML 1.0 has no way to write these.
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    /// "0.24" and "0.24.v0.24" both are 0, 24 and v0.24.
    private static func version(_ text: String) -> (major: String, minor: String, git: String) {
        let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 2,
            parts[0...1].allSatisfy({ (1...4).contains($0.utf8.count) && $0.utf8.allSatisfy(isDigit) })
        else { return ("0", "24", "v0.24") }
        return (parts[0], parts[1], parts.count > 2 ? parts[2] : "v\(parts[0]).\(parts[1])")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    /// As C's `%f` writes it in every locale: six decimals, the nearest, and the even one of two as near.
    static func sixDecimals(_ number: Double) -> String {
        guard number.isFinite else { return number.isNaN ? "nan" : number < 0 ? "-inf" : "inf" }
        let size = abs(number)
        let sign = number.sign == .minus ? "-" : ""
        // Beyond, a double has no decimals; scales never reach it.
        guard size < 0x1p53 else { return "\(sign)\(size)" }
        var whole = Int64(size)
        let part = size - Double(whole)
        let product = part * 1e6
        // What the product lost to rounding decides where it stands on the middle between two.
        let lost = (-product).addingProduct(part, 1e6)
        var millionths = Int64(product)
        let beyondMiddle = (product - Double(millionths) - 0.5) + lost
        if beyondMiddle > 0 || (beyondMiddle == 0 && millionths % 2 == 1) { millionths += 1 }
        if millionths == 1_000_000 {
            whole += 1
            millionths = 0
        }
        let digits = "\(millionths)"
        return "\(sign)\(whole).\(String(repeating: "0", count: 6 - digits.count))\(digits)"
    }
}

extension IIOXMLWriter {
    /// libiio's document type, which stands inside the document.
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
