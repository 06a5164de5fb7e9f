// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

extension GPSDEncoder {
    /// Encodes a VERSION object.
    package static func line(_ version: GPSDVersion) -> [UInt8] {
        var members = Members("VERSION")
        members.text("release", version.release)
        members.text("rev", version.revision)
        members.count("proto_major", version.protocolMajor)
        members.count("proto_minor", version.protocolMinor)
        members.text("remote", version.remote)
        return members.line()
    }

    /// Encodes a DEVICES object, the list of all receivers.
    ///
    /// - Parameters:
    ///   - receivers: The receivers.
    ///   - activation: The time at which the active receivers were opened.
    package static func encode(_ receivers: [ReceiverDescription], activation: WallTime) -> [UInt8] {
        var members = Members("DEVICES")
        members.writer.array("devices") { writer in
            for receiver in receivers { writer.raw(encode(receiver, activation: activation)) }
        }
        return members.line()
    }

    /// Encodes a DEVICE object, which reports that a receiver was added, identified or removed. gpsd reports a removed
    /// receiver with the number 0 as its `activated` time.
    ///
    /// - Parameters:
    ///   - receiver: The receiver.
    ///   - activation: The time at which the receiver was opened.
    package static func encode(_ receiver: ReceiverDescription, activation: WallTime) -> [UInt8] {
        var members = Members("DEVICE")
        members.text("path", receiver.path)
        members.text("driver", receiver.driver)
        members.text("subtype", receiver.subtype)
        members.text("subtype1", receiver.subtype1)
        guard receiver.isActive else {
            members.count("activated", 0)
            return members.line()
        }
        members.time("activated", activation)
        // gpsd's flag for a receiver that has sent position data.
        members.count("flags", 1)
        // gpsd writes these members only for serial ports.
        if receiver.bitsPerSecond > 0 {
            members.count("native", 0)
            members.count("bps", receiver.bitsPerSecond)
            members.writer.member("parity", "N")
            members.count("stopbits", 1)
        }
        members.number("cycle", receiver.cycle, decimals: 2)
        return members.line()
    }

    /// Encodes a WATCH object.
    package static func line(_ watch: GPSDWatch) -> [UInt8] {
        var members = Members("WATCH")
        members.flag("enable", watch.isEnabled)
        members.flag("json", watch.json)
        members.flag("nmea", watch.nmea)
        members.count("raw", watch.raw)
        members.flag("scaled", watch.scaled)
        members.flag("timing", watch.timing)
        members.flag("split24", watch.split24)
        members.flag("pps", watch.pps)
        members.text("device", watch.device)
        return members.line()
    }

    /// Encodes an ERROR object.
    package static func encode(error message: String) -> [UInt8] {
        var members = Members("ERROR")
        members.writer.member("message", message)
        return members.line()
    }
}
