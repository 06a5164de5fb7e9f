// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// Encodes the simulated gpsd's messages. They must contain the same members, in the same order, as those of gpsd 3.22
/// (see `EncoderTests`).
extension GPSDEncoder {
    package static func encode(_ version: GPSDVersion) -> [UInt8] {
        var members = Members("VERSION")
        members.text("release", version.release)
        members.text("rev", version.revision)
        members.count("proto_major", version.protocolMajor)
        members.count("proto_minor", version.protocolMinor)
        members.text("remote", version.remote)
        return members.finish()
    }

    /// Encodes a DEVICES object. `activation` is the time at which the active receivers were opened.
    package static func encode(_ receivers: [ReceiverDescription], activation: WallTime) -> [UInt8] {
        var members = Members("DEVICES")
        members.writer.array("devices") { writer in
            for receiver in receivers { writer.raw(encode(receiver, activation: activation)) }
        }
        return members.finish()
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
            return members.finish()
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
        return members.finish()
    }

    package static func encode(_ watch: GPSDWatch) -> [UInt8] {
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
        return members.finish()
    }

    package static func encode(error message: String) -> [UInt8] {
        var members = Members("ERROR")
        members.writer.member("message", message)
        return members.finish()
    }
}
