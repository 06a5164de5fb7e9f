// SPDX-License-Identifier: Apache-2.0

import JSONBytes

extension Configuration {
    /// Applies the settings of a file. An invalid setting does not affect the others.
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
        guard try json.isObject(&reader, "position") else { return }
        try json.beginObject(&reader)
        while let key = try json.nextKey(&reader, "position.") {
            let name = "position." + key
            switch key {
            case "source":
                guard let text = try json.text(&reader, name) else { continue }
                do throws(DeviceError) {
                    positionSource = Setting(try PositionSourceAddress(text), origin: .file(json.path))
                } catch { json.record(error.within("\(json.path), \(name)")) }
            case "receiver":
                if let text = try json.text(&reader, name) { receiver = Setting(text, origin: .file(json.path)) }
            case "repairWeekRollover":
                guard let value = try json.bool(&reader, name) else { continue }
                repairsWeekRollover = Setting(value, origin: .file(json.path))
            default:
                json.recordUnknownKey(name)
                try reader.skipValue()
            }
        }
    }

    private mutating func readBrokerFiles(_ reader: inout JSONReader, _ json: inout SettingsJSON) throws(JSONError) {
        guard try json.isObject(&reader, "mqtt") else { return }
        try json.beginObject(&reader)
        while let key = try json.nextKey(&reader, "mqtt.") {
            guard let name = BrokerCredentialFiles.names.first(where: { $0.key == key }) else {
                json.recordUnknownKey("mqtt." + key)
                try reader.skipValue()
                continue
            }
            guard let path = try json.path(&reader, "mqtt." + key, "It is ignored.") else { continue }
            setBrokerFile(name.path, path, origin: .file(json.path))
        }
    }

    private mutating func readLocation(_ reader: inout JSONReader, _ json: inout SettingsJSON) throws(JSONError) {
        guard try json.isObject(&reader, "location") else { return }
        try json.beginObject(&reader)
        while let key = try json.nextKey(&reader, "location.") {
            let name = "location." + key
            switch key {
            case "authorization":
                guard let text = try json.text(&reader, name) else { continue }
                if let rule = LocationRule(rawValue: text) {
                    locationRule = Setting(rule, origin: .file(json.path))
                } else {
                    json.record(Configuration.unknownRuleError(text, location: "\(json.path), \(name)"))
                }
            case "reducedAccuracy":
                guard let value = try json.bool(&reader, name) else { continue }
                reducesAccuracy = Setting(value, origin: .file(json.path))
            case "purpose":
                if let text = try json.text(&reader, name) { locationPurpose = Setting(text, origin: .file(json.path)) }
            default:
                json.recordUnknownKey(name)
                try reader.skipValue()
            }
        }
    }
}
