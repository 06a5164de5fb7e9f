// This source file is part of the swift-device-services project.
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
        var settings = TTYSettings()
        if let speed { settings.speed = speed }
        if let dtr { settings.dtr = dtr }
        if let usesHardwareFlowControl { settings.usesHardwareFlowControl = usesHardwareFlowControl }
        return settings
    }

    /// How reports become a stream; nil when their length was not said.
    var hid: HIDFraming? {
        reportLength.map { HIDFraming(reportLength: $0, reportNumber: reportNumber ?? 0) }
    }

    /// Reads the value of a key; nil when the key is none of these, false when the value cannot be used.
    mutating func read(
        _ key: String, _ reader: inout JSONReader, _ json: inout AccessoryJSON, name: String, consequence: String
    ) throws(JSONError) -> Bool? {
        switch key {
        case "speed":
            let value = try json.number(&reader, name, 1...Int64(UInt32.max), consequence)
            speed = value.map { UInt32(clamping: $0) }
            return value != nil
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
            let value = try json.number(&reader, name, 1...16_384, consequence)
            reportLength = value.map { Int($0) }
            return value != nil
        case "reportNumber":
            let value = try json.number(&reader, name, 0...255, consequence)
            reportNumber = value.map { UInt8(clamping: $0) }
            return value != nil
        default: return nil
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
