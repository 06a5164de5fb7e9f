// SPDX-License-Identifier: Apache-2.0

import JSONBytes

extension Configuration {
    /// Applies a file's settings. An invalid setting does not affect the other settings.
    mutating func read(json bytes: [UInt8], path: String) {
        let result = bytes.withUnsafeBytes { buffer -> Result<Configuration, JSONError> in
            var copy = self
            var reader = JSONReader(buffer)
            var json = SettingsJSON(path: path)
            json.checkText(buffer)
            do throws(JSONError) {
                try copy.read(&reader, &json)
                try reader.finish()
            } catch { return .failure(error) }
            for problem in json.problems { copy.addProblem(problem) }
            return .success(copy)
        }
        switch result {
        case .success(let configuration): self = configuration
        case .failure(let error):
            addProblem("The configuration \(path) is not valid JSON (\(error)). None of its settings is used.")
        }
    }

    private mutating func read(_ reader: inout JSONReader, _ json: inout SettingsJSON) throws(JSONError) {
        try json.beginObject(&reader)
        while let key = try json.nextKey(&reader, "") {
            switch key {
            case "position": try readPosition(&reader, &json)
            case "mqtt": try readBrokerFiles(&reader, &json)
            case "location": try readLocation(&reader, &json)
            case "motion": try readMotion(&reader, &json)
            case "accessories": try readAccessories(&reader, &json)
            default:
                json.recordProblem(
                    key, "is not a section (position, mqtt, location, motion or accessories)", "It is ignored.")
                try reader.skipValue()
            }
        }
    }

    private mutating func readPosition(_ reader: inout JSONReader, _ json: inout SettingsJSON) throws(JSONError) {
        try json.readObject(&reader, "position") { key, name, reader, json throws(JSONError) in
            switch key {
            case "source":
                set(\.positionSource, try json.parsed(&reader, name, PositionSourceAddress.init), json)
            case "receiver": set(\.receiver, try json.text(&reader, name).map { .some($0) }, json)
            case "repairWeekRollover": set(\.repairsWeekRollover, try json.bool(&reader, name), json)
            default: return false
            }
            return true
        }
    }

    private mutating func readBrokerFiles(_ reader: inout JSONReader, _ json: inout SettingsJSON) throws(JSONError) {
        try json.readObject(&reader, "mqtt") { key, name, reader, json throws(JSONError) in
            guard let file = BrokerCredentialFiles.names.first(where: { $0.key == key }) else { return false }
            if let path = try json.path(&reader, name, "It is ignored.") {
                setBrokerFile(file.path, path, origin: .file(json.path))
            }
            return true
        }
    }

    private mutating func readLocation(_ reader: inout JSONReader, _ json: inout SettingsJSON) throws(JSONError) {
        try json.readObject(&reader, "location") { key, name, reader, json throws(JSONError) in
            switch key {
            case "authorization":
                set(\.locationRule, try json.parsed(&reader, name, Self.parseLocationRule), json)
            case "reducedAccuracy": set(\.reducesAccuracy, try json.bool(&reader, name), json)
            case "purpose": set(\.locationPurpose, try json.text(&reader, name).map { .some($0) }, json)
            default: return false
            }
            return true
        }
    }

    /// Assigns a value read from the file. Ignores nil, which means that the value was invalid and the problem has
    /// already been recorded.
    mutating func set<Value>(
        _ setting: WritableKeyPath<Configuration, Setting<Value>>, _ value: Value?, _ json: SettingsJSON
    ) { if let value { self[keyPath: setting] = Setting(value, origin: .file(json.path)) } }
}
