// SPDX-License-Identifier: Apache-2.0

package import JSONBytes

/// A JSON message to the pages.
package struct DashboardMessage: Sendable {
    package enum Retention: Sendable {
        /// The message replaces earlier messages of its type. A new page receives only the latest one.
        case state
        /// The message is a point on the track. A new page receives a simplified track.
        case track
        /// The message is an event. A new page receives the most recent events.
        case recent
        /// The message describes the whole recording and replaces earlier messages of its type. A new page receives the
        /// latest one. A seek does not invalidate it, so it is not sent again.
        case recording
        /// The message is sent once. A page that connects later does not receive it.
        case transient
    }

    let type: String
    let retention: Retention
    /// The type of the state message that this message invalidates, or nil if it invalidates none.
    let invalidatedState: String?
    let frame: [UInt8]

    /// - Parameter members: A closure that writes all members except "type".
    package init(
        _ type: String, _ retention: Retention, invalidating invalidatedState: String? = nil,
        _ members: (inout JSONWriter) -> Void
    ) {
        (self.type, self.retention, self.invalidatedState) = (type, retention, invalidatedState)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("type", type)
            members(&writer)
        }
        frame = WebSocketFrame.bytes(.text, writer.bytes)
    }

    /// True if the message replaces earlier messages of its type.
    var isState: Bool { retention == .state || retention == .recording }

    /// True if the history that follows a seek replaces the message.
    var isReplacedByHistory: Bool { retention != .transient && retention != .recording }
}
