// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// The requests that a client sends to gpsd. Each ends with a semicolon and a line feed, and belongs into one `send`:
/// gpsd reads every piece that arrives by itself.
package enum GPSDRequest {
    /// Asks for the server's greeting.
    package static let version = [UInt8]("?VERSION;\n".utf8)
    /// Asks for the list of receivers.
    package static let devices = [UInt8]("?DEVICES;\n".utf8)
    /// Asks for the last reports of every watched receiver.
    package static let poll = [UInt8]("?POLL;\n".utf8)

    /// Switches reports on or off.
    ///
    /// - Parameters:
    ///   - enabled: whether reports are to be sent.
    ///   - device: the path of the one receiver to watch; nil for all of them.
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
