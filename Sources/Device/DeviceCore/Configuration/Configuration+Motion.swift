// SPDX-License-Identifier: Apache-2.0

import JSONBytes

extension Configuration {
    /// The maximum number of addresses, and of sensor settings. Any further elements are ignored.
    private static let maximumSensors = 100

    /// Reads `"motion": {"sources": [...], "sensors": [{...}]}`.
    mutating func readMotion(_ reader: inout JSONReader, _ json: inout SettingsJSON) throws(JSONError) {
        try json.readObject(&reader, "motion") { key, _, reader, json throws(JSONError) in
            switch key {
            case "sources": try readMotionSources(&reader, &json)
            case "sensors": try readSensors(&reader, &json)
            default: return false
            }
            return true
        }
    }

    /// If all addresses are invalid, keeps the default.
    private mutating func readMotionSources(_ reader: inout JSONReader, _ json: inout SettingsJSON) throws(JSONError) {
        let addresses = try json.distinctElements(&reader, "motion.sources", maximumCount: Self.maximumSensors) {
            json, reader, name throws(JSONError) in try json.parsed(&reader, name, MotionSourceAddress.init)
        }
        set(\.motionSources, addresses, json)
    }

    private mutating func readSensors(_ reader: inout JSONReader, _ json: inout SettingsJSON) throws(JSONError) {
        let settings = try json.elements(&reader, "motion.sensors", maximumCount: Self.maximumSensors) {
            json, reader, _ throws(JSONError) in try Self.readSensor(&reader, &json)
        }
        set(\.sensors, settings?.valid, json)
    }

    /// Returns nil if any part of the setting is invalid, because an incomplete setting could rotate readings the wrong
    /// way.
    private static func readSensor(
        _ reader: inout JSONReader, _ json: inout SettingsJSON
    ) throws(JSONError) -> SensorSetting? {
        var setting = SensorSetting(sensor: "*")
        var isUsable = true
        let isObject = try json.readObject(&reader, "an element of motion.sensors", prefix: "motion.sensors.") {
            key, name, reader, json throws(JSONError) in
            switch key {
            case "polled":
                let value = try json.bool(&reader, name)
                setting.isPolled = value ?? false
                if value == nil { isUsable = false }
            case "sensor", "kind", "mountMatrix", "convention", "trigger":
                guard let text = try json.text(&reader, name) else {
                    isUsable = false
                    break
                }
                guard let problem = setting.setValue(text, for: key) else { break }
                isUsable = false
                json.recordProblem(name, problem, "The settings of this sensor are ignored.")
            default: return false
            }
            return true
        }
        return isObject && isUsable ? setting : nil
    }
}

extension SensorSetting {
    /// Returns nil on success, or the reason the value is invalid.
    fileprivate mutating func setValue(_ text: String, for key: String) -> String? {
        let quoted = "\"\(text.prefix(100))\""
        switch key {
        case "sensor": sensor = text
        case "trigger": trigger = text
        case "kind":
            kind = SensorKind(rawValue: text)
            if kind == nil { return "\(quoted) is not one of accelerometer, gyroscope, magnetometer and pressure" }
        case "convention":
            convention = MountConvention(rawValue: text)
            if convention == nil { return "\(quoted) is not one of kernel, windows and raw" }
        case "mountMatrix":
            guard let matrix = MountMatrix(text) else {
                return "\(quoted) is not nine numbers such as 0, 1, 0; -1, 0, 0; 0, 0, 1"
            }
            guard !matrix.isSingular else { return "\(quoted) is a singular matrix" }
            mountMatrix = matrix
        default: break
        }
        return nil
    }
}
