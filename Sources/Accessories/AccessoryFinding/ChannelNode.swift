// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// The node that a session opens to communicate with an accessory.
package enum ChannelNode: AccessoryNode, Hashable {
    /// A USB or on-board serial port, or a pseudo-terminal.
    case tty(path: String, TTYSettings)
    /// A HID device, which transfers data in reports.
    case hidraw(path: String, HIDFraming)
    /// A Unix domain stream socket.
    case socket(path: String)
    case usb(USBEndpoints)

    package var path: String {
        switch self {
        case .tty(let path, _), .hidraw(let path, _), .socket(let path): path
        case .usb(let endpoints): endpoints.path
        }
    }
}

package struct TTYSettings: Sendable, Hashable {
    /// The behaviour of the DTR (data terminal ready) line when a port is opened or closed. Toggling DTR resets many
    /// boards.
    package enum DTR: String, Sendable, Hashable {
        /// Raises DTR when the port is opened, because some firmware waits for it. When the port is closed, the kernel
        /// lowers DTR if `HUPCL` is set, as it is by default.
        case assert
        /// Leaves DTR unchanged and clears `HUPCL`, so that the kernel does not lower DTR when the port is closed. The
        /// kernel still raises DTR when the port is first opened.
        case leave
    }

    /// The speed, in bits per second. USB serial converters require the correct speed, whereas USB CDC ACM devices
    /// ignore it.
    package var speed: UInt32
    package var dtr: DTR
    /// True to enable RTS/CTS flow control. With flow control, the port sends only while the peer asserts CTS (clear to
    /// send).
    package var usesHardwareFlowControl: Bool

    package init(speed: UInt32 = 115_200, dtr: DTR = .assert, usesHardwareFlowControl: Bool = false) {
        (self.speed, self.dtr, self.usesHardwareFlowControl) = (speed, dtr, usesHardwareFlowControl)
    }
}

/// The mapping between a byte stream and HID reports.
///
/// All reports have the same length. Written data is split into reports, and the last report is padded with zeros.
/// Reading a report returns all of its data bytes, including any padding.
package struct HIDFraming: Sendable, Hashable {
    /// The number of data bytes in each report, from 1 to 16,384. This does not include the report ID.
    package var reportLength: Int
    /// The ID of the reports that carry data, or 0 if reports are not numbered.
    package var reportNumber: UInt8

    package init(reportLength: Int, reportNumber: UInt8 = 0) {
        self.reportLength = reportLength
        self.reportNumber = reportNumber
    }
}

/// A pair of bulk endpoints on a USB interface that is not bound to a kernel driver.
package struct USBEndpoints: Sendable, Hashable {
    /// The path of the USB device node, such as "/dev/bus/usb/001/007".
    package let path: String
    package let interface: UInt8
    /// The alternate setting that contains the endpoints. Opening a session selects this setting, and closing the
    /// session selects setting 0.
    package let alternate: UInt8
    /// The address of the IN endpoint, such as 0x81.
    package let input: UInt8
    /// The address of the OUT endpoint, such as 0x02.
    package let output: UInt8
    /// The maximum packet size of the OUT endpoint, in bytes. If the queued output ends with a full packet, it is
    /// followed by a zero-length packet.
    package let packetLength: Int
    /// The maximum packet size of the IN endpoint, in bytes.
    package let inputPacketLength: Int

    /// Creates a pair of endpoints. `inputPacketLength` defaults to `packetLength`.
    package init(
        path: String, interface: UInt8, alternate: UInt8, input: UInt8, output: UInt8, packetLength: Int,
        inputPacketLength: Int? = nil
    ) {
        (self.path, self.interface, self.alternate) = (path, interface, alternate)
        (self.input, self.output) = (input, output)
        (self.packetLength, self.inputPacketLength) = (packetLength, inputPacketLength ?? packetLength)
    }
}

/// The node settings in a user's JSON file. Rules and declared accessories use the same keys.
struct NodeSettings {
    private var speed: UInt32?
    private var dtr: TTYSettings.DTR?
    private var usesHardwareFlowControl: Bool?
    private var reportLength: Int?
    private var reportNumber: UInt8?

    var hasTTY: Bool { speed != nil || dtr != nil || usesHardwareFlowControl != nil }
    var hasHID: Bool { reportLength != nil || reportNumber != nil }

    var tty: TTYSettings {
        let defaults = TTYSettings()
        return TTYSettings(
            speed: speed ?? defaults.speed, dtr: dtr ?? defaults.dtr,
            usesHardwareFlowControl: usesHardwareFlowControl ?? defaults.usesHardwareFlowControl)
    }

    var hid: HIDFraming? { reportLength.map { HIDFraming(reportLength: $0, reportNumber: reportNumber ?? 0) } }

    /// Reads the value of a key. Returns false if the value is invalid. An unknown key is reported and skipped.
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

    static func write(_ settings: TTYSettings, to writer: inout JSONWriter) {
        writer.member("speed", settings.speed)
        writer.member("dtr", settings.dtr.rawValue)
        writer.member("flowControl", settings.usesHardwareFlowControl ? "hardware" : "none")
    }

    static func write(_ framing: HIDFraming, to writer: inout JSONWriter) {
        writer.member("reportLength", framing.reportLength)
        writer.member("reportNumber", framing.reportNumber)
    }
}
