// SPDX-License-Identifier: Apache-2.0

import JSONBytes

extension Configuration {
    /// The maximum number of directories. A longer list is probably a mistake and is truncated.
    private static let maximumDirectories = 100

    /// Reads the `accessories` section:
    ///
    ///     {"folders": [...], "protocols": [...], "udev": true, "settle": 0.15, "rules": [{...}], "declared": [{...}]}
    mutating func readAccessories(_ reader: inout JSONReader, _ json: inout SettingsJSON) throws(JSONError) {
        try json.readObject(&reader, "accessories", "The defaults are used.") {
            key, name, reader, json throws(JSONError) in
            switch key {
            case "folders":
                let folders = try json.distinctElements(&reader, name, maximumCount: Self.maximumDirectories) {
                    json, reader, name throws(JSONError) in try json.path(&reader, name, "It is ignored.")
                }
                set(\.accessoryDirectories, folders, json)
            case "protocols": set(\.appProtocols, try json.protocolNames(&reader, name).map { .some($0) }, json)
            case "udev": set(\.watchesUdev, try json.bool(&reader, name, "is neither true nor false"), json)
            case "settle":
                let value = try reader.doubleIfPresent()
                if (0...10).contains(value) {
                    set(\.accessorySettleTime, .seconds(value), json)
                } else {
                    json.recordProblem(name, "is not a number of seconds from 0 to 10", SettingsJSON.defaultConsequence)
                }
            case "rules", "declared":
                // Stored unparsed, because the AccessoryFinding module parses these values.
                deferredSections[name] = .json(Array(try reader.readRawValue()), path: json.path)
            default: return false
            }
            return true
        }
    }

    // MARK: Environment

    /// Reads the directories of declared accessories, which are separated by ":".
    mutating func readAccessoryDirectories(environment text: String) {
        let name = "DEVICE_SERVICES_ACCESSORIES"
        var folders: [String] = []
        for folder in text.split(separator: ":") where !folders.contains(String(folder)) {
            if folders.count == Self.maximumDirectories {
                addProblem("\(name) has more than \(Self.maximumDirectories) directories. The rest is ignored.")
                break
            }
            folders.append(String(folder))
        }
        accessoryDirectories = Setting(folders, origin: .environment(name))
    }

    mutating func readWatchesUdev(environment text: String) {
        let name = "DEVICE_SERVICES_UDEV"
        switch text {
        case "on", "off": watchesUdev = Setting(text == "on", origin: .environment(name))
        default: addProblem("\(name) is neither on nor off. It is ignored.")
        }
    }

    /// Reads the app's protocols, which are separated by commas or spaces. If all names are invalid, keeps the previous
    /// value.
    mutating func readAppProtocols(environment text: String) {
        let name = "DEVICE_SERVICES_PROTOCOLS"
        var names: [String] = []
        for part in text.split(whereSeparator: { $0 == "," || $0 == " " }) {
            if names.count == SettingsJSON.maximumProtocols {
                addProblem("\(name) has more than \(SettingsJSON.maximumProtocols) names. The rest is ignored.")
                break
            } else if !AccessoryProtocol.isValid(name: part) {
                addProblem("\(name): an element \(SettingsJSON.invalidNameProblem(String(part))). It is ignored.")
            } else if !names.contains(String(part)) {
                names.append(String(part))
            }
        }
        if !names.isEmpty { appProtocols = Setting(names, origin: .environment(name)) }
    }
}
