// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// How a node is set up, as JSON says it: the keys that rules and declared accessories share.
struct NodeSettings {
    private var speed: UInt32?
    private var dtr: TTYSettings.DTR?
    private var usesHardwareFlowControl: Bool?
    private var reportLength: Int?
    private var reportNumber: UInt8?

    /// True when something was said that is about serial ports.
    var hasTTY: Bool { speed != nil || dtr != nil || usesHardwareFlowControl != nil }
    /// True when something was said that is about HID reports.
    var hasHID: Bool { reportLength != nil || reportNumber != nil }

    /// How a serial port is set up.
    var tty: TTYSettings {
        let usual = TTYSettings()
        return TTYSettings(
            speed: speed ?? usual.speed, dtr: dtr ?? usual.dtr,
            usesHardwareFlowControl: usesHardwareFlowControl ?? usual.usesHardwareFlowControl)
    }

    /// How reports become a stream; nil when their length was not said.
    var hid: HIDFraming? {
        reportLength.map { HIDFraming(reportLength: $0, reportNumber: reportNumber ?? 0) }
    }

    /// Reads the value of a key; false when the value cannot be used. A key that is none of these is noted and ignored.
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
            json.note(name, "is neither \"assert\" nor \"leave\"", consequence)
            return false
        case "flowControl":
            guard let text = try json.text(&reader, name, consequence) else { return false }
            if text == "hardware" || text == "none" {
                usesHardwareFlowControl = text == "hardware"
                return true
            }
            json.note(name, "is neither \"none\" nor \"hardware\"", consequence)
            return false
        case "reportLength":
            reportLength = try json.number(&reader, name, 1...16_384, consequence).map { Int($0) }
            return reportLength != nil
        case "reportNumber":
            reportNumber = try json.number(&reader, name, 0...255, consequence).map { UInt8(clamping: $0) }
            return reportNumber != nil
        default:
            json.unknown(name)
            try reader.skipValue()
            return true
        }
    }

    /// Writes how a serial port is set up, in full.
    static func write(_ settings: TTYSettings, to writer: inout JSONWriter) {
        writer.member("speed", settings.speed)
        writer.member("dtr", settings.dtr.rawValue)
        writer.member("flowControl", settings.usesHardwareFlowControl ? "hardware" : "none")
    }

    /// Writes how reports become a stream.
    static func write(_ framing: HIDFraming, to writer: inout JSONWriter) {
        writer.member("reportLength", framing.reportLength)
        writer.member("reportNumber", framing.reportNumber)
    }
}
