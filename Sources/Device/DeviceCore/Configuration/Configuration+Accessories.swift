// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import JSONBytes

extension Configuration {
    /// More of anything than a machine has is a mistake.
    private static let maximumFolders = 100

    /// Reads `"accessories": {"folders": [...], "protocols": [...], "settle": 0.15, "rules": [{...}], "declared": [{...}]}`.
    mutating func readAccessories(_ reader: inout JSONReader, path: String) throws(JSONError) {
        var json = AccessoryJSON(path: path)
        try readAccessories(&reader, &json)
        for problem in json.problems { note(problem) }
    }

    private mutating func readAccessories(
        _ reader: inout JSONReader, _ json: inout AccessoryJSON
    ) throws(JSONError) {
        guard try json.isObject(&reader, "accessories", "The defaults are used.") else { return }
        try reader.beginObject()
        while let key = try reader.nextKey()?.string() {
            let name = "accessories." + key
            switch key {
            case "folders":
                guard let folders = try Self.readFolders(&reader, &json, name: name) else { continue }
                accessoryFolders = Setting(folders, origin: .file(json.path))
            case "protocols":
                guard let names = try json.protocolNames(&reader, name) else { continue }
                appProtocols = Setting(names, origin: .file(json.path))
            case "udev":
                if try reader.peekKind() == .bool {
                    watchesUdev = Setting(try reader.readBool(), origin: .file(json.path))
                } else {
                    try reader.skipValue()
                    json.note(name, "is neither true nor false", "The default is used.")
                }
            case "settle":
                let value = try reader.doubleIfPresent()
                if (0...10).contains(value) {
                    accessorySettleTime = Setting(value, origin: .file(json.path))
                } else {
                    json.note(name, "is not a number of seconds from 0 to 10", "The default is used.")
                }
            case "rules", "declared":
                // The accessories' wing reads them.
                parts[name] = .unread(Array(try reader.readRawValue()), path: json.path)
            default:
                json.unknown(name)
                try reader.skipValue()
            }
        }
    }

    private static func readFolders(
        _ reader: inout JSONReader, _ json: inout AccessoryJSON, name: String
    ) throws(JSONError) -> [String]? {
        guard try json.isArray(&reader, name, "It is ignored.") else { return nil }
        var folders: [String] = []
        var hasBad = false
        try reader.beginArray()
        while try reader.nextElement() {
            if folders.count == maximumFolders {
                try reader.skipValue()
                if !hasBad { json.note(name, "has more than \(maximumFolders) elements", "The rest is ignored.") }
                hasBad = true
            } else if let folder = try json.nodePath(&reader, "an element of " + name, "It is ignored.") {
                if !folders.contains(folder) { folders.append(folder) }
            } else {
                hasBad = true
            }
        }
        return folders.isEmpty && hasBad ? nil : folders
    }

    /// Takes the folders of an environment variable, which ":" separates.
    mutating func readAccessoryFolders(environment text: String) {
        let name = "DEVICE_SERVICES_ACCESSORIES"
        var folders: [String] = []
        for folder in text.split(separator: ":") where !folders.contains(String(folder)) {
            if folders.count == Self.maximumFolders {
                note(
                    DeviceError(
                        .invalidConfiguration,
                        "\(name) has more than \(Self.maximumFolders) folders. The rest is ignored."))
                break
            }
            folders.append(String(folder))
        }
        accessoryFolders = Setting(folders, origin: .environment(name))
    }

    /// Takes whether accessories are looked for on this machine: "on" or "off".
    mutating func readWatchesUdev(environment text: String) {
        let name = "DEVICE_SERVICES_UDEV"
        switch text {
        case "on", "off": watchesUdev = Setting(text == "on", origin: .environment(name))
        default:
            note(DeviceError(.invalidConfiguration, "\(name) is neither on nor off. It is ignored."))
        }
    }

    /// Takes the app's protocols of an environment variable, which commas separate. A list of bad ones leaves what was.
    mutating func readAppProtocols(environment text: String) {
        let name = "DEVICE_SERVICES_PROTOCOLS"
        var names: [String] = []
        for part in text.split(whereSeparator: { $0 == "," || $0 == " " }) {
            if names.count == AccessoryJSON.maximumProtocols {
                note(
                    DeviceError(
                        .invalidConfiguration,
                        "\(name) has more than \(AccessoryJSON.maximumProtocols) names. The rest is ignored."))
                break
            } else if !AccessoryProtocol.isValid(name: part) {
                note(
                    DeviceError(
                        .invalidConfiguration, "\(name): an element \(AccessoryJSON.isNoName(part)). It is ignored."))
            } else if !names.contains(String(part)) {
                names.append(String(part))
            }
        }
        if !names.isEmpty { appProtocols = Setting(names, origin: .environment(name)) }
    }
}
