// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// The JSON representation of declared accessories. Its keys must not change, because users write them in files.
extension DeclaredAccessory {
    /// The maximum size of a file that declares an accessory, in bytes.
    package static let maximumFileLength = 1 << 20

    /// Reads a file that declares an accessory. Relative node paths are resolved against the file's directory.
    ///
    /// Invalid values are skipped. An accessory requires a name and at least one valid protocol.
    ///
    /// - Returns: The accessory and the problems found. The accessory is `nil` if the file does not declare a valid
    ///   accessory.
    package static func read(json: [UInt8], path: String) -> (accessory: DeclaredAccessory?, problems: [DeviceError]) {
        var settings = SettingsJSON(path: path)
        func none(_ problem: String) -> (DeclaredAccessory?, [DeviceError]) {
            (nil, [DeviceError(.invalidConfiguration, "\(settings.sanitizedPath) \(problem)")])
        }
        guard json.count <= maximumFileLength else {
            return none("is larger than the limit of \(maximumFileLength) bytes. It is ignored.")
        }
        return json.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            do throws(JSONError) {
                let accessory = try read(&reader, &settings, prefix: "")
                try reader.finish()
                return (accessory, settings.problems)
            } catch { return none("is not valid JSON (\(error)). It is ignored.") }
        }
    }

    private static let texts: [(key: String, path: any WritableKeyPath<DeclaredAccessory, String> & Sendable)] = [
        ("manufacturer", \.manufacturer), ("model", \.modelNumber), ("serial", \.serialNumber),
        ("firmware", \.firmwareRevision), ("hardware", \.hardwareRevision), ("port", \.portPath),
    ]

    /// Returns the contents of a JSON file that declares this accessory. USB endpoints are omitted, because a file
    /// cannot declare them.
    package func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("name", name)
            for (key, path) in Self.texts where !self[keyPath: path].isEmpty {
                writer.member(text: key, self[keyPath: path])
            }
            writer.object("protocols") { writer in for endpoint in endpoints { endpoint.write(to: &writer) } }
        }
        writer.newline()
        return writer.bytes
    }

    /// Reads an accessory. `prefix` precedes the key names in problem messages. It is empty or ends with a dot.
    static func read(
        _ reader: inout JSONReader, _ json: inout SettingsJSON, prefix: String
    ) throws(JSONError) -> DeclaredAccessory? {
        let subject = prefix.isEmpty ? "the file" : String(prefix.dropLast())
        let consequence = "The accessory is ignored."
        var accessory = DeclaredAccessory(name: "", endpoints: [])
        var hasName = false
        var hasProtocols = false
        let initialProblemCount = json.problems.count
        let isObject = try json.readObject(&reader, subject, consequence, prefix: prefix) {
            key, name, reader, json throws(JSONError) in
            switch key {
            case "name":
                hasName = true
                accessory.name = TerminalSanitizer.sanitized(try json.text(&reader, name, consequence) ?? "")
            case "protocols":
                hasProtocols = true
                accessory.endpoints = try Endpoint.readAll(&reader, &json, name: name)
            default:
                guard let path = texts.first(where: { $0.key == key })?.path else { return false }
                guard let text = try json.text(&reader, name, "It is ignored.") else { break }
                accessory[keyPath: path] = TerminalSanitizer.sanitized(text)
            }
            return true
        }
        guard isObject else { return nil }
        if accessory.portPath.isEmpty { accessory.portPath = accessory.name }
        if accessory.name.isEmpty {
            // A problem has already been recorded for an invalid name, so no second one is added.
            if !hasName || json.problems.count == initialProblemCount {
                json.recordProblem(subject, "has no name", consequence)
            }
            return nil
        }
        if accessory.endpoints.isEmpty {
            if !hasProtocols || json.problems.count == initialProblemCount {
                json.recordProblem(subject, "has no protocols", consequence)
            }
            return nil
        }
        return accessory
    }
}

extension DeclaredAccessory.Endpoint {
    /// The maximum number of protocols per accessory. No known accessory has more.
    private static let maximumCount = 100

    /// Reads all protocols. If any setting of a protocol is invalid, skips the whole protocol, because opening its node
    /// with only the valid settings could do harm.
    fileprivate static func readAll(
        _ reader: inout JSONReader, _ json: inout SettingsJSON, name: String
    ) throws(JSONError) -> [Self] {
        var endpoints: [Self] = []
        guard try json.isObject(&reader, name, "The protocols are ignored.") else { return [] }
        try reader.beginObject()
        while let key = try reader.nextKey()?.string() {
            if !AccessoryProtocol.isValid(name: key) {
                json.recordProblem("a key of " + name, SettingsJSON.invalidNameProblem(key), "It is ignored.")
            } else if endpoints.contains(where: { $0.name == key }) {
                json.recordProblem("\(name).\(key)", "is duplicated", "The first one is used.")
            } else if endpoints.count == maximumCount {
                json.recordProblem("\(name).\(key)", "exceeds the limit of \(maximumCount) protocols", "It is ignored.")
            } else {
                if let node = try readNode(&reader, &json, name: "\(name).\(key)") {
                    endpoints.append(Self(name: key, node: node))
                }
                continue
            }
            try reader.skipValue()
        }
        return endpoints
    }

    private static func readNode(
        _ reader: inout JSONReader, _ json: inout SettingsJSON, name: String
    ) throws(JSONError) -> ChannelNode? {
        let consequence = "The protocol is ignored."
        var kinds: [(kind: String, path: String)] = []
        var settings = NodeSettings()
        var isUsable = true
        let isObject = try json.readObject(&reader, name, consequence) { key, name, reader, json throws(JSONError) in
            if key == "tty" || key == "socket" || key == "hidraw" {
                let path = try json.path(&reader, name, consequence)
                if let path { kinds.append((key, path)) } else { isUsable = false }
            } else {
                isUsable = try settings.read(key, &reader, &json, name: name, consequence: consequence) && isUsable
            }
            return true
        }
        guard isObject, isUsable else { return nil }
        guard let (kind, path) = kinds.first, kinds.count == 1 else {
            json.recordProblem(name, "requires exactly one of tty, socket and hidraw", consequence)
            return nil
        }
        if settings.hasTTY && kind != "tty" {
            json.recordProblem(name, "contains speed, dtr or flowControl, which require a tty", consequence)
        } else if settings.hasHID && kind != "hidraw" {
            json.recordProblem(name, "contains reportLength or reportNumber, which require a hidraw", consequence)
        } else if kind == "tty" {
            return .tty(path: path, settings.tty)
        } else if kind == "socket" {
            return .socket(path: path)
        } else if let framing = settings.hid {
            return .hidraw(path: path, framing)
        } else {
            json.recordProblem(name, "requires a reportLength", consequence)
        }
        return nil
    }

    fileprivate func write(to writer: inout JSONWriter) {
        switch node {
        case .usb: return
        case .tty(let path, let settings):
            begin("tty", path, &writer)
            NodeSettings.write(settings, to: &writer)
        case .hidraw(let path, let framing):
            begin("hidraw", path, &writer)
            NodeSettings.write(framing, to: &writer)
        case .socket(let path): begin("socket", path, &writer)
        }
        writer.endObject()
    }

    private func begin(_ kind: StaticString, _ path: String, _ writer: inout JSONWriter) {
        writer.key(text: name)
        writer.beginObject()
        writer.member(kind, path)
    }
}
