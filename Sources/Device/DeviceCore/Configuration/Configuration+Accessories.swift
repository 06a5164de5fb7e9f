// SPDX-License-Identifier: Apache-2.0

import JSONBytes

extension Configuration {
    /// The maximum number of directories. A larger number is considered a mistake.
    private static let maximumDirectories = 100

    /// Reads the section `accessories`:
    ///
    ///     {"folders": [...], "protocols": [...], "udev": true, "settle": 0.15, "rules": [{...}], "declared": [{...}]}
    mutating func readAccessories(_ reader: inout JSONReader, _ json: inout SettingsJSON) throws(JSONError) {
        guard try json.isObject(&reader, "accessories", "The defaults are used.") else { return }
        try json.beginObject(&reader)
        while let key = try json.nextKey(&reader, "accessories.") {
            let name = "accessories." + key
            switch key {
            case "folders":
                let folders = try json.strings(&reader, name, maximumCount: Self.maximumDirectories) {
                    json, reader, name throws(JSONError) in try json.path(&reader, name, "It is ignored.")
                }
                if let folders { accessoryDirectories = Setting(folders, origin: .file(json.path)) }
            case "protocols":
                guard let names = try json.protocolNames(&reader, name) else { continue }
                appProtocols = Setting(names, origin: .file(json.path))
            case "udev":
                guard let value = try json.bool(&reader, name, "is neither true nor false") else { continue }
                watchesUdev = Setting(value, origin: .file(json.path))
            case "settle":
                let value = try reader.doubleIfPresent()
                if (0...10).contains(value) {
                    accessorySettleTime = Setting(value, origin: .file(json.path))
                } else {
                    json.recordProblem(name, "is not a number of seconds from 0 to 10", SettingsJSON.defaultConsequence)
                }
            case "rules", "declared":
                // AccessoryFinding parses these values.
                deferredSections[name] = .json(Array(try reader.readRawValue()), path: json.path)
            default:
                json.recordUnknownKey(name)
                try reader.skipValue()
            }
        }
    }

    // MARK: Environment

    /// Sets the directories of declared accessories from an environment variable, separated by ":".
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

    /// Sets whether udev is watched for accessories of this machine: "on" or "off".
    mutating func readWatchesUdev(environment text: String) {
        let name = "DEVICE_SERVICES_UDEV"
        switch text {
        case "on", "off": watchesUdev = Setting(text == "on", origin: .environment(name))
        default: addProblem("\(name) is neither on nor off. It is ignored.")
        }
    }

    /// Sets the app's protocols from an environment variable, separated by commas or spaces. If all names are invalid,
    /// the previous value is kept.
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
