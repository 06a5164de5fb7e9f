// SPDX-License-Identifier: Apache-2.0

@testable import Dashboard

/// The input is the data of several clients of the dashboard: requests, and frames after a handshake. The answers do
/// not depend on how the bytes are split or on other clients, and no client receives an answer to another client.
func fuzzDashboard(_ input: UnsafeBufferPointer<UInt8>) {
    let script = ClientScript(input)
    var plain = Stage(script, inPieces: false)
    var split = Stage(script, inPieces: true)
    for step in script.steps {
        plain.perform(step)
        split.perform(step)
    }
    precondition(plain.received == split.received, "answers depend on how requests were split")
}

private let port: UInt16 = 8080
private let feed = DashboardFeed(channels: [DashboardChannel("a", "A", unit: "g", axes: ["x", "y", "z"])])
private let requestHandler = RequestHandler(
    feed: feed, options: DashboardOptions(assets: AssetFolder(root: "/nowhere")), hello: SessionDescription(),
    token: DashboardToken(), port: port, handler: { _ in })

private struct Stage {
    private var visitors = [Visitor?](repeating: nil, count: ClientScript.maximumClients)
    private let inPieces: Bool
    private(set) var received = [[UInt8]](repeating: [], count: ClientScript.maximumClients)

    init(_ script: ClientScript, inPieces: Bool) { self.inPieces = inPieces }

    mutating func perform(_ step: ClientScript.Step) {
        let client = step.client
        switch step.action {
        case .connect: if visitors[client] == nil { visitors[client] = Visitor(page: client) }
        case .send, .sendOften:
            for piece in inPieces ? step.pieces : [step.sent] {
                visitors[client]?.receive(piece)
                if visitors[client]?.isOver == true { break }
            }
        case .read: visitors[client]?.read(&received[client])
        case .hangUp, .end: visitors[client] = nil
        // A page receives readings, which may be dropped, and no answers to other clients.
        case .wait:
            for index in visitors.indices {
                visitors[index]?.queue?.add([UInt8](repeating: 7, count: 60_000), readings: 1)
            }
        case .fault: break
        }
        if visitors[client]?.isOver == true {
            visitors[client]?.read(&received[client])
            visitors[client] = nil
        }
        for visitor in visitors { precondition(visitor?.queue?.size ?? 0 <= PageOutputQueue.limit + 65_536) }
    }
}

/// A connection without a socket.
private struct Visitor {
    let page: Int
    private var input: [UInt8] = []
    private var output: [UInt8] = []
    private var reader = WebSocketDecoder()
    /// The pending messages, once the connection is a page.
    var queue: PageOutputQueue?
    private(set) var isOver = false

    init(page: Int) { self.page = page }

    mutating func receive(_ bytes: [UInt8]) {
        input += bytes
        while queue == nil, !isOver {
            let parsed = HTTPRequest.parse(input[...])
            guard case .request(let request, let length) = parsed else {
                if case .invalid(let status) = parsed { end(HTTPResponse(status)) }
                break
            }
            precondition(
                length <= min(input.count, HTTPRequest.limit) && request.headers.count <= HTTPRequest.headerLimit)
            input.removeFirst(length)
            answer(request)
        }
        if queue != nil, !isOver { listen() }
    }

    private mutating func answer(_ request: HTTPRequest) {
        let ownHosts = ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"]
        let isAllowed = ownHosts.contains(request.value("host")?.lowercased() ?? "")
        switch requestHandler.handle(request) {
        case .response(let response):
            precondition(isAllowed || response.status.code >= 400)
            let bytes = response.bytes(
                policy: requestHandler.policy, hasBody: request.method != "HEAD", keepsAlive: request.keepsAlive)
            precondition(bytes.starts(with: "HTTP/1.1 \(response.status.code) ".utf8))
            output += bytes.prefix(64)
            isOver = !request.keepsAlive || response.status.code >= 400
        case .page(let acceptance, let hasToken):
            precondition(isAllowed && request.path == "/live" && !hasToken)
            output += WebSocketHandshake.response(acceptance)
            queue = PageOutputQueue()
        }
    }

    private mutating func end(_ response: HTTPResponse) {
        output += response.bytes(policy: requestHandler.policy, hasBody: true, keepsAlive: false)
        isOver = true
    }

    private mutating func listen() {
        for event in reader.decode(&input) {
            precondition(!isOver, "nothing comes behind the end")
            switch event {
            case .text(let bytes):
                precondition(bytes.count <= WebSocketDecoder.limit)
                let words = command(bytes)
                queue?.addResponse(WebSocketFrame.bytes(.text, words))
            case .ping(let payload):
                precondition(payload.count <= 125)
                queue?.addResponse(WebSocketFrame.bytes(.pong, payload))
            case .pong: break
            case .closed(let code):
                queue?.dropReadings()
                queue?.add(WebSocketFrame.close(code), readings: 0)
                isOver = true
            }
        }
        precondition(input.count < WebSocketDecoder.limit + 14)
    }

    /// Returns the result of a command as text.
    private func command(_ bytes: [UInt8]) -> [UInt8] {
        guard let text = CommandRequest(bytes) else { return Array("none".utf8) }
        precondition(!requestHandler.token.matches(text.token), "a command contains the token")
        switch text.action {
        case .addRegion(let region):
            precondition(abs(region.latitude) <= 90 && abs(region.longitude) <= 180 && region.radius > 0)
        case .seek(let time): precondition(time >= 0 && time <= 1e9)
        case .step(let count): precondition((1...1000).contains(count))
        default: break
        }
        return Array("\(page) \(text.id) \(String(describing: text.action))".utf8)
    }

    /// Reads the pending data.
    mutating func read(_ received: inout [UInt8]) {
        received += output
        output = []
        while queue?.send(
            atMost: 4096,
            {
                received.append(contentsOf: $0); return $0.count
            }) == true
        {}
        precondition(queue?.isEmpty ?? true && queue?.size ?? 0 == 0 && queue?.responseCount ?? 0 == 0)
    }
}
