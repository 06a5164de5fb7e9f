// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import LoopbackServer
import Synchronization
import SystemCalls

/// Serves a page that shows what a session tells, to browsers on this machine.
///
/// One thread of its own has all connections. No client can hold it up, make it grow without bounds, or keep others out.
package final class DashboardServer: Sendable {
    /// The most connections, and the most pages among them.
    package static let maximumConnections = 64
    package static let maximumPages = 16

    struct Content: ServedContent {
        var isStopped = false
        var connections = 0
        var pages = 0

        init() {}
    }

    package let token = DashboardToken()
    package let feed: DashboardFeed
    private let options: DashboardOptions
    private let hello: DashboardHello
    private let thread = ServiceThread<ServedState<Content>, UInt16>()
    private let handler: @Sendable (PageCommand) -> Void

    /// - Parameter handler: does what a page asks for, and answers it by the feed. It is called on the server's thread, which
    ///   it may not hold up.
    package init(
        feed: DashboardFeed, options: DashboardOptions, hello: DashboardHello,
        handler: @escaping @Sendable (PageCommand) -> Void
    ) {
        (self.feed, self.options, self.hello, self.handler) = (feed, options, hello, handler)
    }

    /// Starts to listen on 127.0.0.1 and answers the port. Throws `busy` when it is taken.
    @discardableResult
    package func start() throws(DeviceError) -> UInt16 {
        try thread.start { () throws(DeviceError) in
            let listener = try LoopbackListener(port: options.port, for: "The dashboard", sendRoom: 262_144)
            let shared = try ServedState<Content>(for: "the dashboard")
            let wakeUp = shared.wakeUp
            feed.whenFilled { wakeUp.signal() }
            let world = ServerWorld(
                feed: feed, options: options, hello: hello, token: token, port: listener.port, handler: handler)
            return (shared, listener.port, DashboardServerLoop(shared: shared, listener: listener, world: world))
        }
    }

    /// Closes all connections; returns when the thread has ended.
    package func stop() {
        thread.stop()
        feed.whenFilled(nil)
    }

    /// The number of connections, and of the pages among them.
    package var counts: (connections: Int, pages: Int) {
        thread.current?.state.content.withLock { ($0.connections, $0.pages) } ?? (0, 0)
    }
}

/// What answers are made of. It belongs to the server's thread.
struct ServerWorld {
    let feed: DashboardFeed
    let options: DashboardOptions
    let token: DashboardToken
    let handler: @Sendable (PageCommand) -> Void
    let site: Site
    let policy: String
    private let hello: DashboardHello
    private let guards: RequestGuard
    /// A word by which a page that comes back knows whether it is still the same session.
    private let session = DashboardToken().text

    init(
        feed: DashboardFeed, options: DashboardOptions, hello: DashboardHello, token: DashboardToken, port: UInt16,
        handler: @escaping @Sendable (PageCommand) -> Void
    ) {
        (self.feed, self.options, self.hello, self.token, self.handler) = (feed, options, hello, token, handler)
        site = Site(assets: options.assets, pageFolder: options.pageFolder)
        policy = options.policy
        guards = RequestGuard(port: port)
    }

    enum Answer {
        case response(HTTPResponse)
        /// It becomes a page, with that value of the handshake; one with the token does not stand back for others.
        case page(String, hasToken: Bool)
    }

    func answer(_ request: HTTPRequest) -> Answer {
        if let refusal = guards.refusal(of: request) { return .response(refusal) }
        if request.path == "/live" {
            guard let acceptance = WebSocketHandshake.acceptance(of: request) else {
                return .response(WebSocketHandshake.refusal)
            }
            let word = "token="
            let hasToken = request.query.hasPrefix(word) && token.matches(String(request.query.dropFirst(word.count)))
            return .page(acceptance, hasToken: hasToken)
        }
        return .response(site.response(request.path) ?? HTTPResponse(.notFound))
    }

    var greeting: [UInt8] {
        hello.message(options, feed.channels, session: session, now: feed.now).frame
    }
}
