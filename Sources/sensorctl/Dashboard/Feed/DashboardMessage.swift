// SPDX-License-Identifier: Apache-2.0

package import JSONBytes

/// A JSON text for pages, and what becomes of it.
package struct DashboardMessage: Sendable {
    /// How long it is worth something.
    package enum Worth: Sendable {
        /// Until the next of its type: a page that comes later gets the last one.
        case state
        /// As a point of the way: all of them, thinned.
        case way
        /// For a while: a page that comes later gets the last ones.
        case recent
        /// When it happens, and never again.
        case news
    }

    let type: String
    let worth: Worth
    /// The type of a state that is over with it.
    let ended: String?
    /// As it is sent.
    let frame: [UInt8]

    /// - Parameters:
    ///   - ended: the type of a state that is over with it.
    ///   - members: writes what stands behind the type.
    package init(
        _ type: String, _ worth: Worth, ending ended: String? = nil, _ members: (inout JSONWriter) -> Void
    ) {
        (self.type, self.worth, self.ended) = (type, worth, ended)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("type", type)
            members(&writer)
        }
        frame = WebSocketFrame.bytes(.text, writer.bytes)
    }
}
