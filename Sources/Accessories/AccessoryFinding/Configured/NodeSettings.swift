// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// The JSON settings of a node. Rules and declared accessories share these keys.
struct NodeSettings {
    private var speed: UInt32?
    private var dtr: TTYSettings.DTR?
    private var usesHardwareFlowControl: Bool?
    private var reportLength: Int?
    private var reportNumber: UInt8?

    /// True if at least one setting for serial ports is present.
    var hasTTY: Bool { speed != nil || dtr != nil || usesHardwareFlowControl != nil }
    /// True if at least one setting for HID reports is present.
    var hasHID: Bool { reportLength != nil || reportNumber != nil }

    /// The serial port settings, with defaults for missing keys.
    var tty: TTYSettings {
        let defaults = TTYSettings()
        return TTYSettings(
            speed: speed ?? defaults.speed, dtr: dtr ?? defaults.dtr,
            usesHardwareFlowControl: usesHardwareFlowControl ?? defaults.usesHardwareFlowControl)
    }

    /// The HID framing; nil if the report length is missing.
    var hid: HIDFraming? {
        reportLength.map { HIDFraming(reportLength: $0, reportNumber: reportNumber ?? 0) }
    }

    /// Reads the value of a key. Returns false if the value is invalid. Reports and ignores unknown keys.
    mutating func read(
        _ key: String, _ reader: inout JSONReader, _ json: inout SettingsJSON, name: String, consequence: String
    ) throws(JSONError) -> Bool {
        switch key {
        case "speed":
            speed = try json.number(&reader, name, 1...Int64(UInt32.max), consequence).map { UInt32(clamping: $0) }
            return speed != nil
        case "dtr":
            guard let text = try json.text(&reader, name, consequence) else { return false }
            dtr = TTYSettings.DTR(rawValue: text)
            if dtr != nil { return true }
            json.recordProblem(name, "is neither \"assert\" nor \"leave\"", consequence)
            return false
        case "flowControl":
            guard let text = try json.text(&reader, name, consequence) else { return false }
            if text == "hardware" || text == "none" {
                usesHardwareFlowControl = text == "hardware"
                return true
            }
            json.recordProblem(name, "is neither \"none\" nor \"hardware\"", consequence)
            return false
        case "reportLength":
            reportLength = try json.number(&reader, name, 1...16_384, consequence).map { Int($0) }
            return reportLength != nil
        case "reportNumber":
            reportNumber = try json.number(&reader, name, 0...255, consequence).map { UInt8(clamping: $0) }
            return reportNumber != nil
        default:
            json.recordUnknownKey(name)
            try reader.skipValue()
            return true
        }
    }

    /// Writes all serial port settings.
    static func write(_ settings: TTYSettings, to writer: inout JSONWriter) {
        writer.member("speed", settings.speed)
        writer.member("dtr", settings.dtr.rawValue)
        writer.member("flowControl", settings.usesHardwareFlowControl ? "hardware" : "none")
    }

    /// Writes the HID framing.
    static func write(_ framing: HIDFraming, to writer: inout JSONWriter) {
        writer.member("reportLength", framing.reportLength)
        writer.member("reportNumber", framing.reportNumber)
    }
}
