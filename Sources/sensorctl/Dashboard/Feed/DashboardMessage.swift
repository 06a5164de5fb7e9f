// SPDX-License-Identifier: Apache-2.0

package import JSONBytes

/// A JSON message to the pages, and its lifetime.
package struct DashboardMessage: Sendable {
    package enum Retention: Sendable {
        /// The message is valid until the next message of the same type. New pages receive the last message.
        case state
        /// The message is a point of the track. New pages receive a reduced number of points.
        case track
        /// The message is an event. New pages receive the most recent events.
        case recent
        /// The message is sent once. New pages do not receive it.
        case transient
    }

    let type: String
    let retention: Retention
    /// The type of the state that this message invalidates.
    let invalidatedState: String?
    let frame: [UInt8]

    /// - Parameter members: Writes the members after "type".
    package init(
        _ type: String, _ worth: Retention, ending ended: String? = nil, _ members: (inout JSONWriter) -> Void
    ) {
        (self.type, self.retention, self.invalidatedState) = (type, worth, ended)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("type", type)
            members(&writer)
        }
        frame = WebSocketFrame.bytes(.text, writer.bytes)
    }
}
