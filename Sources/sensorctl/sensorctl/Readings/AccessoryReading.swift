// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import SensorTools

/// The properties of an accessory, copied from its `EAAccessory` object. Its JSON member names are public API.
struct AccessoryReading: Sendable, Hashable {
    var connectionID: Int
    var name: String
    var manufacturer = ""
    var model = ""
    var serial = ""
    var firmware = ""
    var hardware = ""
    var port = ""
    var protocols: [String] = []

    var line: String {
        let serial = serial.isEmpty ? "" : "serial \(serial)"
        let words = [name, manufacturer, model == name ? "" : model, serial].filter { !$0.isEmpty }.map(
            TerminalText.text)
        let spoken = protocols.isEmpty ? "no protocol" : protocols.joined(separator: ", ")
        return "\(connectionID)  \(words.joined(separator: "  "))  \(spoken)"
    }

    func write(to writer: inout JSONWriter) {
        writer.object {
            $0.members([
                "connectionID": connectionID, "name": name, "manufacturer": manufacturer, "model": model,
                "serial": serial, "firmware": firmware, "hardware": hardware, "port": port, "protocols": protocols,
            ])
        }
    }
}

/// A change in the list of connected accessories.
struct AccessoryChangeReading: Reading {
    /// The kind of change. The raw value is the callback's name in JSON.
    enum Change: String, Sendable {
        case present = "connectedAccessories"
        case connected = "EAAccessoryDidConnect"
        case disconnected = "EAAccessoryDidDisconnect"
    }

    let change: Change
    let accessories: [AccessoryReading]
    let time: WallTime

    func writeMembers(to writer: inout JSONWriter) {
        writer.members(["callback": change.rawValue, "time": CivilDate(time).timestamp])
        if change == .present {
            writer.array("accessories") { writer in for accessory in accessories { accessory.write(to: &writer) } }
        } else if let accessory = accessories.first {
            writer.key("accessory")
            accessory.write(to: &writer)
        }
    }

    func lines(_ ink: TerminalStyle) -> [String] {
        let mark =
            switch change {
            case .present: ink.dim("=")
            case .connected: ink.color(78, "+")
            case .disconnected: ink.color(203, "-")
            }
        let time = ink.dim(CivilDate(time).timeOfDayWithTenths)
        return accessories.map { "\(time)  \(mark) \($0.line)" }
    }
}
