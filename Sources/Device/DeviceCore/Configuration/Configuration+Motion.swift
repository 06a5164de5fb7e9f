// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import JSONBytes

extension Configuration {
    /// Settings for more sensors than a machine has are a mistake.
    private static let maximumSensors = 100

    /// Reads `"motion": {"sources": [...], "sensors": [{...}]}`.
    mutating func readMotion(_ reader: inout JSONReader, path: String) throws(JSONError) {
        guard try isObject(&reader, named: "motion", path: path) else { return }
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key.equals("sources") {
                try readMotionSources(&reader, path: path)
            } else if key.equals("sensors") {
                try readSensors(&reader, path: path)
            } else {
                unknown("motion." + key.string(), path: path)
                try reader.skipValue()
            }
        }
    }

    private mutating func readMotionSources(_ reader: inout JSONReader, path: String) throws(JSONError) {
        guard try isArray(&reader, named: "motion.sources", path: path) else { return }
        var addresses: [MotionSourceAddress] = []
        var isUsable = true
        try reader.beginArray()
        while try reader.nextElement() {
            guard let text = try text(&reader, named: "an element of motion.sources", path: path) else {
                isUsable = false
                continue
            }
            do throws(DeviceError) {
                let address = try MotionSourceAddress(text)
                if !addresses.contains(address), addresses.count < Self.maximumSensors { addresses.append(address) }
            } catch {
                isUsable = false
                note(error.within("\(path), motion.sources"))
            }
        }
        // One bad address leaves the good ones; a list of bad ones leaves the default.
        if isUsable || !addresses.isEmpty { motionSources = Setting(addresses, origin: .file(path)) }
    }

    private mutating func readSensors(_ reader: inout JSONReader, path: String) throws(JSONError) {
        guard try isArray(&reader, named: "motion.sensors", path: path) else { return }
        var settings: [SensorSetting] = []
        try reader.beginArray()
        while try reader.nextElement() {
            guard try isObject(&reader, named: "an element of motion.sensors", path: path) else { continue }
            if let setting = try readSensor(&reader, path: path), settings.count < Self.maximumSensors {
                settings.append(setting)
            }
        }
        sensors = Setting(settings, origin: .file(path))
    }

    /// Reads one sensor's setting; nil when something in it cannot be used: half of it could turn readings the wrong way.
    private mutating func readSensor(_ reader: inout JSONReader, path: String) throws(JSONError) -> SensorSetting? {
        var setting = SensorSetting(sensor: "*")
        var isUsable = true
        try reader.beginObject()
        while let key = try reader.nextKey()?.string() {
            let name = "motion.sensors." + key
            switch key {
            case "polled":
                if let value = try bool(&reader, named: name, path: path) {
                    setting.isPolled = value
                } else {
                    isUsable = false
                }
            case "sensor", "kind", "mountMatrix", "convention", "trigger":
                guard let text = try text(&reader, named: name, path: path) else {
                    isUsable = false
                    continue
                }
                guard let problem = setting.take(text, for: key) else { continue }
                isUsable = false
                note(
                    DeviceError(.invalidConfiguration, "\(path): \(name) \(problem). The sensor's setting is left out.")
                )
            default:
                unknown(name, path: path)
                try reader.skipValue()
            }
        }
        return isUsable ? setting : nil
    }

    private mutating func isArray(
        _ reader: inout JSONReader, named name: String, path: String
    ) throws(JSONError) -> Bool {
        if try reader.peekKind() == .array { return true }
        wrong(name, expected: "a list", path: path)
        try reader.skipValue()
        return false
    }
}

extension SensorSetting {
    /// Takes a value; what is wrong with it in words, nil when it was taken.
    fileprivate mutating func take(_ text: String, for key: String) -> String? {
        switch key {
        case "sensor": sensor = text
        case "trigger": trigger = text
        case "kind":
            guard let kind = SensorKind(rawValue: text) else {
                return "\"\(text.prefix(100))\" is none of accelerometer, gyroscope, magnetometer and pressure"
            }
            self.kind = kind
        case "convention":
            guard let convention = MountConvention(rawValue: text) else {
                return "\"\(text.prefix(100))\" is none of kernel, windows and raw"
            }
            self.convention = convention
        case "mountMatrix":
            guard let matrix = MountMatrix(text) else {
                return "\"\(text.prefix(100))\" is not nine numbers such as 0, 1, 0; -1, 0, 0; 0, 0, 1"
            }
            guard !matrix.isSingular else { return "\"\(text.prefix(100))\" is singular: it loses a direction" }
            mountMatrix = matrix
        default: break
        }
        return nil
    }
}
