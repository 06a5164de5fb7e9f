// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// The requests that a client sends to gpsd. Each request ends with a semicolon and a line feed, and must be sent in a
/// single call to `send`, because gpsd parses each received segment separately.
package enum GPSDRequest {
    package static let version = [UInt8]("?VERSION;\n".utf8)
    package static let devices = [UInt8]("?DEVICES;\n".utf8)
    /// Requests the latest reports from each watched receiver.
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
