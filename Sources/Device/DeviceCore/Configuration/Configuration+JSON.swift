// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import JSONBytes

extension Configuration {
    /// Takes the settings of a file. What is wrong with one of them leaves the others as they are.
    mutating func read(json bytes: [UInt8], path: String) {
        let result = bytes.withUnsafeBytes { buffer -> Result<Configuration, JSONError> in
            var copy = self
            var reader = JSONReader(buffer)
            do throws(JSONError) {
                try copy.read(&reader, path: path)
                try reader.finish()
                return .success(copy)
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let configuration): self = configuration
        case .failure(let error):
            note(
                DeviceError(
                    .invalidConfiguration,
                    "The configuration \(path) is not valid JSON (\(error)). None of its settings is used."))
        }
    }

    private mutating func read(_ reader: inout JSONReader, path: String) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key.equals("position") {
                try readPosition(&reader, path: path)
            } else if key.equals("location") {
                try readLocation(&reader, path: path)
            } else if key.equals("motion") {
                try readMotion(&reader, path: path)
            } else if key.equals("accessories") {
                try readAccessories(&reader, path: path)
            } else {
                // Other parts of the same file belong to other services.
                try reader.skipValue()
            }
        }
    }

    private mutating func readPosition(_ reader: inout JSONReader, path: String) throws(JSONError) {
        guard try isObject(&reader, named: "position", path: path) else { return }
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key.equals("source") {
                guard let text = try text(&reader, named: "position.source", path: path) else { continue }
                do throws(DeviceError) {
                    positionSource = Setting(try PositionSourceAddress(text), origin: .file(path))
                } catch {
                    note(error.within("\(path), position.source"))
                }
            } else if key.equals("receiver") {
                guard let text = try text(&reader, named: "position.receiver", path: path) else { continue }
                receiver = Setting(text, origin: .file(path))
            } else if key.equals("repairWeekRollover") {
                guard let value = try bool(&reader, named: "position.repairWeekRollover", path: path) else { continue }
                repairsWeekRollover = Setting(value, origin: .file(path))
            } else {
                unknown("position." + key.string(), path: path)
                try reader.skipValue()
            }
        }
    }

    private mutating func readLocation(_ reader: inout JSONReader, path: String) throws(JSONError) {
        guard try isObject(&reader, named: "location", path: path) else { return }
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key.equals("authorization") {
                guard let text = try text(&reader, named: "location.authorization", path: path) else { continue }
                if let rule = LocationRule(rawValue: text) {
                    locationRule = Setting(rule, origin: .file(path))
                } else {
                    note(Configuration.unknownRule(text, place: "\(path), location.authorization"))
                }
            } else if key.equals("reducedAccuracy") {
                guard let value = try bool(&reader, named: "location.reducedAccuracy", path: path) else { continue }
                reducesAccuracy = Setting(value, origin: .file(path))
            } else if key.equals("purpose") {
                guard let text = try text(&reader, named: "location.purpose", path: path) else { continue }
                locationPurpose = Setting(text, origin: .file(path))
            } else {
                unknown("location." + key.string(), path: path)
                try reader.skipValue()
            }
        }
    }

    // MARK: Values

    mutating func isObject(
        _ reader: inout JSONReader, named name: String, path: String
    ) throws(JSONError) -> Bool {
        if try reader.peekKind() == .object { return true }
        wrong(name, expected: "an object", path: path)
        try reader.skipValue()
        return false
    }

    mutating func text(
        _ reader: inout JSONReader, named name: String, path: String
    ) throws(JSONError) -> String? {
        if let text = try reader.textIfPresent() { return text.string() }
        wrong(name, expected: "a string", path: path)
        return nil
    }

    mutating func bool(
        _ reader: inout JSONReader, named name: String, path: String
    ) throws(JSONError) -> Bool? {
        if let value = try reader.boolIfPresent() { return value }
        wrong(name, expected: "true or false", path: path)
        return nil
    }

    mutating func wrong(_ name: String, expected: String, path: String) {
        note(
            DeviceError(.invalidConfiguration, "\(path): \(name) is not \(expected). The default is used."))
    }

    mutating func unknown(_ name: String, path: String) {
        note(
            DeviceError(.invalidConfiguration, "\(path): \(name.prefix(100)) is not a known setting. It is ignored."))
    }
}
