// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// The requests of a client to gpsd. Each request ends with a semicolon and a line feed and must be sent with a single
/// `send`, because gpsd parses each received segment separately.
package enum GPSDRequest {
    /// Requests the greeting of the server.
    package static let version = [UInt8]("?VERSION;\n".utf8)
    /// Requests the list of receivers.
    package static let devices = [UInt8]("?DEVICES;\n".utf8)
    /// Requests the last reports of each watched receiver.
    package static let poll = [UInt8]("?POLL;\n".utf8)

    /// Returns a request that enables or disables reports.
    ///
    /// - Parameters:
    ///   - enabled: Whether the server sends reports.
    ///   - device: The path of the receiver to watch; nil for all receivers.
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
