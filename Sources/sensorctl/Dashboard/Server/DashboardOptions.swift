// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// Where a dashboard listens, and what it serves.
package struct DashboardOptions: Sendable {
    /// Raster tiles that the user names, and whom to thank for them.
    package struct Tiles: Sendable {
        package let url: String
        package let attribution: String
        /// Scheme, host and port, as the content security policy has it.
        package let origin: String

        /// Nil for what is no address of http or https.
        package init?(url: String, attribution: String) {
            guard let scheme = ["https://", "http://"].first(where: url.hasPrefix),
                !url.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F || [34, 39, 59, 44].contains($0) })
            else { return nil }
            let authority = url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
            // A part of the name may say which of several servers.
            let host = authority.hasPrefix("{s}.") ? "*" + authority.dropFirst(3) : String(authority)
            guard !host.isEmpty, !host.contains("{"), !host.contains("@") else { return nil }
            (self.url, self.attribution, origin) = (url, attribution, scheme + host)
        }
    }

    /// 0 lets the system choose.
    package var port: UInt16 = 0
    package var isReadOnly = false
    package var tiles: Tiles?
    package var assets: AssetFolder
    /// A folder whose files take the place of those inside the program.
    package var pageFolder: String?
    /// How long a client may take for a request, and how long one is kept that asks for nothing more, in seconds.
    package var requestTime = 10.0
    package var idleTime = 30.0
    /// How often pages are asked whether they are there; one that has not answered twice is given up.
    package var pingTime = 20.0
    /// Seconds between two frames of a channel.
    package var frameTime = 0.033

    package init(assets: AssetFolder) { self.assets = assets }

    /// What the page may load: itself, and pictures of the one server that the user has named.
    var policy: String {
        let images = ["'self'", "data:"] + (tiles.map { [$0.origin] } ?? [])
        return """
            default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; \
            img-src \(images.joined(separator: " ")); base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
    }
}

/// What the session says of itself to each page.
package struct DashboardHello: Sendable {
    package var version = ""
    package var title = ""
    package var isTrace = false
    /// Answers the time at which the session's clock shows 0, in ISO 8601; nil where nobody knows. A machine's clock may be set
    /// while the dashboard runs.
    package var start: @Sendable () -> String? = { nil }
    /// Seconds, of a trace.
    package var duration: Double?
    /// What attitudes are measured against.
    package var attitudeFrame = ""
    /// Faults that can be switched: id, label, and what happens.
    package var faults: [(id: String, label: String, about: String)] = []

    package init() {}

    func message(
        _ options: DashboardOptions, _ channels: [DashboardChannel], session: String, now: Double
    ) -> DashboardMessage {
        DashboardMessage("hello", .news) { writer in
            writer.member("version", version)
            writer.member("session", session)
            writer.member("title", title)
            writer.member("mode", isTrace ? "trace" : "live")
            writer.member("readOnly", options.isReadOnly)
            writer.member("start", start())
            writer.member("duration", duration)
            writer.member("history", Int(ChannelHistory.length))
            writer.member("attitudeFrame", attitudeFrame)
            if let tiles = options.tiles {
                writer.object("tiles") { writer in
                    writer.member("url", tiles.url)
                    writer.member("attribution", tiles.attribution)
                }
            } else {
                writer.member("tiles", String?.none)
            }
            writer.object("libraries") { writer in
                for library in AssetFolder.Library.all {
                    writer.member(text: library.name, options.assets.has(library))
                }
                writer.member(
                    "packages", AssetFolder.Library.all.filter { !options.assets.has($0) }.map(\.package))
            }
            writer.array("channels") { writer in
                for (id, channel) in channels.enumerated() {
                    writer.object { writer in
                        writer.member("id", id)
                        writer.member("name", channel.name)
                        writer.member("label", channel.label)
                        writer.member("unit", channel.unit)
                        writer.member("axes", channel.axes)
                    }
                }
            }
            writer.array("faults") { writer in
                for fault in faults {
                    writer.object { writer in
                        writer.member("id", fault.id)
                        writer.member("label", fault.label)
                        writer.member("about", fault.about)
                    }
                }
            }
            writer.member("now", now)
        }
    }
}
