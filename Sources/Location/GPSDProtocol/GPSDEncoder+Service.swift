// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

// Encodes gpsd's service messages and receivers.
extension GPSDEncoder {
    package static func line(_ version: GPSDVersion) -> [UInt8] {
        var members = Members("VERSION")
        members.text("release", version.release)
        members.text("rev", version.revision)
        members.count("proto_major", version.protocolMajor)
        members.count("proto_minor", version.protocolMinor)
        members.text("remote", version.remote)
        return members.line()
    }

    /// Encodes a DEVICES object. `activation` is the time at which the active receivers were opened.
    package static func encode(_ receivers: [ReceiverDescription], activation: WallTime) -> [UInt8] {
        var members = Members("DEVICES")
        members.writer.array("devices") { writer in
            for receiver in receivers { writer.raw(encode(receiver, activation: activation)) }
        }
        return members.line()
    }

    /// Encodes a DEVICE object. For a receiver that has been removed, the `activated` member is 0.
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
        // The gpsd flag for a receiver that has sent position data.
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

    package static func encode(error message: String) -> [UInt8] {
        var members = Members("ERROR")
        members.writer.member("message", message)
        return members.line()
    }
}

/// The requests that a client sends to gpsd. Each request ends with a semicolon and a line feed. A client must send
/// each request with a single call to `send`, because gpsd parses each received segment separately.
package enum GPSDRequest {
    package static let version = [UInt8]("?VERSION;\n".utf8)
    package static let devices = [UInt8]("?DEVICES;\n".utf8)
    /// Requests the last reports of each watched receiver.
    package static let poll = [UInt8]("?POLL;\n".utf8)

    /// Enables or disables reports from a receiver, or from all receivers if `device` is nil.
    package static func watch(enabled: Bool, device: String? = nil) -> [UInt8] {
        var writer = JSONWriter(appendingTo: [UInt8]("?WATCH=".utf8))
        writer.object { writer in
            writer.member("enable", enabled)
            writer.member("json", true)
            writer.memberIfPresent("device", device)
        }
        return writer.bytes + [UInt8(ascii: ";"), UInt8(ascii: "\n")]
    }
}
