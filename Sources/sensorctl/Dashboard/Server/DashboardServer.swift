// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import LoopbackServer
import Synchronization
import SystemCalls

/// Serves the dashboard page to browsers on this machine. A single thread serves all connections. No client can block
/// the thread, use unbounded memory or lock out other clients.
package final class DashboardServer: Sendable {
    package static let maximumConnections = 64
    package static let maximumPages = 16

    struct Content: SharedServerContent {
        var isStopped = false
        var connections = 0
        var pages = 0
    }

    package let token = DashboardToken()
    package let feed: DashboardFeed
    private let options: DashboardOptions
    private let hello: SessionDescription
    private let thread = ServiceThread<SharedServerState<Content>, UInt16>()
    private let handler: @Sendable (PageCommand) -> Void

    /// - Parameter handler: A closure that executes a command and responds through the feed. Called on the server's
    ///   thread, so it must not block.
    package init(
        feed: DashboardFeed, options: DashboardOptions, hello: SessionDescription,
        handler: @escaping @Sendable (PageCommand) -> Void
    ) {
        (self.feed, self.options, self.hello, self.handler) = (feed, options, hello, handler)
    }

    /// Starts listening on 127.0.0.1 and returns the port. Throws `busy` if the port is in use.
    @discardableResult package func start() throws(DeviceError) -> UInt16 {
        try thread.start { () throws(DeviceError) in
            let listener = try LoopbackListener(port: options.port, for: "The dashboard", sendBufferSize: 262_144)
            let shared = try SharedServerState<Content>(for: "the dashboard")
            let wakeUp = shared.wakeUp
            feed.onPendingData { wakeUp.signal() }
            let requestHandler = RequestHandler(
                feed: feed, options: options, hello: hello, token: token, port: listener.port, handler: handler)
            return (
                shared, listener.port,
                DashboardServerLoop(shared: shared, listener: listener, requestHandler: requestHandler)
            )
        }
    }

    /// Closes all connections and waits for the thread to end.
    package func stop() {
        thread.stop()
        feed.onPendingData(nil)
    }

    package var counts: (connections: Int, pages: Int) {
        thread.current?.state.content.withLock { ($0.connections, $0.pages) } ?? (0, 0)
    }
}

/// Creates responses to requests. Used only on the server's thread.
struct RequestHandler {
    let feed: DashboardFeed
    let options: DashboardOptions
    let token: DashboardToken
    let handler: @Sendable (PageCommand) -> Void
    let staticContent: StaticContent
    let policy: String
    private let hello: SessionDescription
    private let originValidator: OriginValidator
    /// A random session ID that lets a page detect whether it has reconnected to the same session.
    private let session = DashboardToken().text

    init(
        feed: DashboardFeed, options: DashboardOptions, hello: SessionDescription, token: DashboardToken, port: UInt16,
        handler: @escaping @Sendable (PageCommand) -> Void
    ) {
        (self.feed, self.options, self.hello, self.token, self.handler) = (feed, options, hello, token, handler)
        staticContent = StaticContent(assets: options.assets)
        policy = options.policy
        originValidator = OriginValidator(port: port)
    }

    enum RequestAction {
        case response(HTTPResponse)
        /// Accepts a page's WebSocket connection. The string is the value of the Sec-WebSocket-Accept header.
        /// `hasToken` is true if the page sent a valid token. A page with a valid token is never disconnected to make
        /// room for another page.
        case page(String, hasToken: Bool)
    }

    func handle(_ request: HTTPRequest) -> RequestAction {
        if let refusal = originValidator.rejection(of: request) { return .response(refusal) }
        if request.path == "/live" {
            guard let acceptance = WebSocketHandshake.acceptance(of: request) else {
                return .response(WebSocketHandshake.refusal)
            }
            let prefix = "token="
            let hasToken =
                request.query.hasPrefix(prefix) && token.matches(String(request.query.dropFirst(prefix.count)))
            return .page(acceptance, hasToken: hasToken)
        }
        return .response(staticContent.response(request.path) ?? HTTPResponse(.notFound))
    }

    var helloFrame: [UInt8] { hello.message(options, feed.channels, session: session, now: feed.now).frame }
}
