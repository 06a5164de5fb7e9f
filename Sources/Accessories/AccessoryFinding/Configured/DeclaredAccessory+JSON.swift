// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import JSONBytes

extension DeclaredAccessory {
    /// The largest file that declares an accessory, in bytes.
    public static let maximumFileLength = 1 << 20

    /// Reads the file of an accessory. Paths of nodes that do not begin with "/" count from the file's folder.
    ///
    /// A mistake leaves the rest as it is; without a name or without a protocol that can be opened there is no accessory.
    ///
    /// - Parameters:
    ///   - json: The file's bytes.
    ///   - path: The file's path.
    /// - Returns: The accessory, nil when there is none; and what could not be used, each problem with file and key.
    public static func read(
        json: [UInt8], path: String
    ) -> (accessory: DeclaredAccessory?, problems: [DeviceError]) {
        var notes = SettingsJSON(path: path)
        func none(_ problem: String) -> (DeclaredAccessory?, [DeviceError]) {
            (nil, [DeviceError(.invalidConfiguration, "\(notes.shownPath) \(problem)")])
        }
        guard json.count <= maximumFileLength else { return none("is larger than a file of an accessory may be.") }
        return json.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            do throws(JSONError) {
                let accessory = try read(&reader, &notes, prefix: "")
                try reader.finish()
                return (accessory, notes.problems)
            } catch {
                return none("is not valid JSON (\(error)). It is ignored.")
            }
        }
    }

    /// The keys of the texts that may be missing, in the order in which they are written.
    private static let texts: [(key: String, path: any WritableKeyPath<DeclaredAccessory, String> & Sendable)] = [
        ("manufacturer", \.manufacturer), ("model", \.modelNumber), ("serial", \.serialNumber),
        ("firmware", \.firmwareRevision), ("hardware", \.hardwareRevision), ("port", \.portPath),
    ]

    /// The accessory as the bytes of a file that ``read(json:path:)`` reads. Endpoints of USB are left out: a file
    /// cannot name them.
    public func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("name", name)
            for (key, path) in Self.texts where !self[keyPath: path].isEmpty {
                writer.member(text: key, self[keyPath: path])
            }
            writer.object("protocols") { writer in
                for endpoint in endpoints { endpoint.write(to: &writer) }
            }
        }
        writer.newline()
        return writer.bytes
    }

    /// Reads an accessory; nil when the value is none. The prefix stands before the names of keys in problems.
    static func read(
        _ reader: inout JSONReader, _ json: inout SettingsJSON, prefix: String
    ) throws(JSONError) -> DeclaredAccessory? {
        let whole = prefix.isEmpty ? "the file" : String(prefix.dropLast())
        let consequence = "There is no such accessory."
        guard try json.isObject(&reader, whole, consequence) else { return nil }
        var accessory = DeclaredAccessory(name: "", endpoints: [])
        var hasName = false
        var hasProtocols = false
        let mistakes = json.problems.count
        try json.beginObject(&reader)
        while let key = try json.nextKey(&reader, prefix) {
            let name = prefix + key
            switch key {
            case "name":
                hasName = true
                accessory.name = ShownText.cleaned(try json.text(&reader, name, consequence) ?? "")
            case "protocols":
                hasProtocols = true
                accessory.endpoints = try Endpoint.readAll(&reader, &json, name: name)
            default:
                guard let path = texts.first(where: { $0.key == key })?.path else {
                    json.unknown(name)
                    try reader.skipValue()
                    continue
                }
                guard let text = try json.text(&reader, name, "It is ignored.") else { continue }
                accessory[keyPath: path] = ShownText.cleaned(text)
            }
        }
        if accessory.portPath.isEmpty { accessory.portPath = accessory.name }
        if accessory.name.isEmpty {
            // A name that is no string has been noted.
            if !hasName || json.problems.count == mistakes { json.note(whole, "has no name", consequence) }
            return nil
        }
        if accessory.endpoints.isEmpty {
            if !hasProtocols || json.problems.count == mistakes { json.note(whole, "has no protocols", consequence) }
            return nil
        }
        return accessory
    }
}

extension DeclaredAccessory.Endpoint {
    /// More than any accessory has.
    private static let maximumCount = 100

    /// Reads an object of protocols. One with a mistake is left out: half of its settings could do harm.
    fileprivate static func readAll(
        _ reader: inout JSONReader, _ json: inout SettingsJSON, name: String
    ) throws(JSONError) -> [Self] {
        var endpoints: [Self] = []
        guard try json.isObject(&reader, name, "There are no protocols.") else { return [] }
        try reader.beginObject()
        while let key = try reader.nextKey()?.string() {
            if !AccessoryProtocol.isValid(name: key) {
                json.note("a key of " + name, SettingsJSON.isNoName(key), "It is ignored.")
            } else if endpoints.contains(where: { $0.name == key }) {
                json.note("\(name).\(key)", "is there twice", "The first one counts.")
            } else if endpoints.count == maximumCount {
                json.note("\(name).\(key)", "is more than \(maximumCount) protocols", "It is ignored.")
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
        let consequence = "The protocol is left out."
        guard try json.isObject(&reader, name, consequence) else { return nil }
        var kinds: [(kind: String, path: String)] = []
        var settings = NodeSettings()
        var isUsable = true
        try json.beginObject(&reader)
        while let key = try json.nextKey(&reader, name + ".") {
            let full = "\(name).\(key)"
            if key == "tty" || key == "socket" || key == "hidraw" {
                if let path = try json.nodePath(&reader, full, consequence) {
                    kinds.append((key, path))
                } else {
                    isUsable = false
                }
            } else {
                let isTaken = try settings.read(key, &reader, &json, name: full, consequence: consequence)
                isUsable = isUsable && isTaken
            }
        }
        guard isUsable else { return nil }
        guard let (kind, path) = kinds.first, kinds.count == 1 else {
            json.note(name, "needs one of tty, socket and hidraw", consequence)
            return nil
        }
        if settings.hasTTY && kind != "tty" {
            json.note(name, "has speed, dtr or flowControl, which only a tty has", consequence)
        } else if settings.hasHID && kind != "hidraw" {
            json.note(name, "has reportLength or reportNumber, which only a hidraw has", consequence)
        } else if kind == "tty" {
            return .tty(path: path, settings.tty)
        } else if kind == "socket" {
            return .socket(path: path)
        } else if let framing = settings.hid {
            return .hidraw(path: path, framing)
        } else {
            json.note(name, "needs a reportLength", consequence)
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
