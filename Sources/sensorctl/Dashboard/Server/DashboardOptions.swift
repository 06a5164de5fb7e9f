// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// The options of a ``DashboardServer``. They do not change while the server runs.
package struct DashboardOptions: Sendable {
    package struct Tiles: Sendable {
        /// The URL template, in Leaflet's syntax.
        package let url: String
        package let attribution: String
        /// The scheme, host and port, in the form that the content security policy requires.
        package let origin: String

        /// Returns nil if the URL is invalid or contains a character that could terminate a policy directive.
        package init?(url: String, attribution: String) {
            guard let scheme = ["https://", "http://"].first(where: url.hasPrefix),
                !url.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F || "\"';,".utf8.contains($0) })
            else { return nil }
            let authority = url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
            // Leaflet replaces the placeholder `{s}` with the subdomain of one of several tile servers.
            let host = authority.hasPrefix("{s}.") ? "*" + authority.dropFirst(3) : String(authority)
            guard !host.isEmpty, !host.contains("{"), !host.contains("@") else { return nil }
            (self.url, self.attribution, origin) = (url, attribution, scheme + host)
        }
    }

    /// The TCP port. 0 selects a free port.
    package var port: UInt16 = 0
    package var isReadOnly = false
    /// The units that a page shows until its user selects others: metric, imperial or nautical.
    package var units = "metric"
    package var tiles: Tiles?
    package var assets: AssetFolder
    /// The time limit for receiving a request, in seconds.
    package var requestTimeout = 10.0
    /// The maximum time between two requests, in seconds, including the time needed to send the response.
    package var idleTimeout = 30.0
    /// The interval between pings, in seconds. A page that does not answer two successive pings is disconnected.
    package var pingInterval = 20.0
    /// The minimum interval between transmissions to the pages, in seconds.
    package var flushInterval = 0.033

    package init(assets: AssetFolder) { self.assets = assets }

    var policy: String {
        let images = ["'self'", "data:"] + (tiles.map { [$0.origin] } ?? [])
        return """
            default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; \
            img-src \(images.joined(separator: " ")); base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
    }
}

/// A description of the session, sent to each new page.
package struct SessionDescription: Sendable {
    package var version = ""
    package var title = ""
    package var isTrace = false
    /// Returns the civil time at which the session's clock is zero, in ISO 8601 format, or nil if unknown. The result
    /// changes if the system clock is set while the dashboard is running.
    package var start: @Sendable () -> String? = { nil }
    /// The trace's duration in seconds, or nil for a live session.
    package var duration: Double?
    package var attitudeFrame = ""
    package var faults: [(id: String, label: String, about: String)] = []

    package init() {}

    /// Returns the first message to a page. Its keys must match those that the page's scripts read.
    func message(
        _ options: DashboardOptions, _ channels: [DashboardChannel], session: String, now: Double
    ) -> DashboardMessage {
        DashboardMessage("hello", .transient) { writer in
            writer.member("version", version)
            writer.member("session", session)
            writer.member("title", title)
            writer.member("mode", isTrace ? "trace" : "live")
            writer.member("readOnly", options.isReadOnly)
            writer.member("units", options.units)
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
                    writer.member(text: library.name, options.assets.contains(library))
                }
                writer.member(
                    "packages", AssetFolder.Library.all.filter { !options.assets.contains($0) }.map(\.package))
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
