// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import LoopbackServer
import Synchronization
import SystemCalls

/// The server thread's loop. Polls the sockets, enforces time limits, answers requests and sends data to pages.
final class DashboardServerLoop: ServiceLoop {
    private let shared: SharedServerState<DashboardServer.Content>
    private let requestHandler: RequestHandler
    private let acceptor: LoopbackAcceptor
    private let clock = LiveClock()
    private var connections: [HTTPConnection] = []
    private var pollSet: PollSet
    private var nextPage = 1
    /// The earliest time at which the next messages may be sent to the pages.
    private var nextFlush = BootTime.zero
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)

    init(shared: SharedServerState<DashboardServer.Content>, listener: LoopbackListener, requestHandler: RequestHandler)
    {
        self.shared = shared
        pollSet = PollSet(wakeUp: shared.wakeUp, clock: clock)
        self.requestHandler = requestHandler
        acceptor = LoopbackAcceptor(listener)
    }

    deinit { buffer.deallocate() }

    private var pages: Int { connections.count { $0.page != nil && !$0.isClosed } }

    func run() {
        while true {
            wait()
            if shared.isStopped { break }
            let now = clock.now
            // `wait()` adds the acceptor to `pollSet` first, then the connections in order. Therefore, `connections`
            // must not change between `wait()` and the end of this loop.
            for (index, connection) in connections.enumerated() {
                handleEvents(connection, revents: pollSet[index + 1], now: now)
            }
            acceptor.acceptPending(revents: pollSet[0], now: now) { accept($0, now: now) }
            if requestHandler.feed.hasPendingData, now >= nextFlush {
                nextFlush = now.advanced(bySeconds: requestHandler.options.flushInterval)
                forward(requestHandler.feed.drain(pages: pages))
            }
            for connection in connections where !connection.isClosed {
                if connection.hasOutput, !connection.isBlocked { connection.write() }
                // The next request may already have been received, because a client may send several requests without
                // waiting for the responses.
                if connection.isReadEnabled, connection.page == nil, !connection.input.isEmpty {
                    handleRequest(of: connection, now: now)
                }
                checkDeadline(of: connection, now: now)
            }
            removeClosedConnections()
        }
        for connection in connections {
            if connection.page != nil { connection.page?.queue.add(WebSocketFrame.close(.goingAway), readings: 0) }
            connection.write()
        }
        connections.removeAll()
        acceptor.isOpen = false
    }

    private func wait() {
        let now = clock.now
        pollSet.begin(deadline: acceptor.deadline(now: now))
        pollSet.add(acceptor.pollDescriptor(now: now))
        if requestHandler.feed.hasPendingData { pollSet.expire(at: nextFlush) }
        for connection in connections {
            var events: Int16 = connection.isReadEnabled ? Int16(POLLIN) : 0
            if connection.hasOutput { events |= Int16(POLLOUT) }
            pollSet.add(connection.descriptor, events: events)
            pollSet.expire(at: connection.deadline)
        }
        pollSet.wait()
    }

    private func accept(_ descriptor: Int32, now: BootTime) {
        let connection = HTTPConnection(
            descriptor, deadline: now.advanced(bySeconds: requestHandler.options.requestTimeout))
        let current = connections.filter { !$0.isClosed }
        if current.count >= DashboardServer.maximumConnections {
            // Closes the oldest idle connection to make room, so that idle clients cannot lock out others.
            let idle = current.first(where: \.isIdle) ?? current.first { $0.page == nil && $0.isBlocked }
            guard let idle else { return }
            idle.isClosed = true
            connections.removeAll { $0 === idle }
        }
        connections.append(connection)
    }

    private func removeClosedConnections() {
        connections.removeAll(where: \.isClosed)
        let (count, pages) = (connections.count, pages)
        let hasChanged = shared.content.withLock { $0.connections != count || $0.pages != pages }
        guard hasChanged else { return }
        shared.update { content in
            content.connections = count
            content.pages = pages
        }
        if pages == 0 { forward(requestHandler.feed.drain(pages: 0)) }
    }

    private func handleEvents(_ connection: HTTPConnection, revents: Int16, now: BootTime) {
        guard revents != 0, !connection.isClosed else { return }
        if revents & Int16(POLLERR | POLLNVAL) != 0 || revents & Int16(POLLHUP) != 0 && !connection.isReadEnabled {
            connection.isClosed = true
            return
        }
        if revents & Int16(POLLOUT) != 0 { connection.write() }
        guard revents & Int16(POLLIN | POLLHUP) != 0, connection.isReadEnabled else { return }
        connection.read(through: buffer)
        if connection.isClosed { return }
        if connection.page == nil { handleRequest(of: connection, now: now) }
        if connection.page != nil { readFrames(of: connection, now: now) }
    }

    private func handleRequest(of connection: HTTPConnection, now: BootTime) {
        switch HTTPRequest.parse(connection.input[...]) {
        case .incomplete: return
        case .invalid(let status): reject(connection, HTTPResponse(status))
        case .request(let request, let length):
            connection.input.removeFirst(length)
            switch requestHandler.handle(request) {
            case .response(let response):
                let keepsAlive = request.keepsAlive && response.status.code < 400
                connection.respond(
                    response.bytes(
                        policy: requestHandler.policy, hasBody: request.method != "HEAD", keepsAlive: keepsAlive),
                    closesAfterwards: !keepsAlive)
                connection.deadline = now.advanced(bySeconds: requestHandler.options.idleTimeout)
            case .page(let acceptance, let hasToken):
                guard freePageSlot(hasToken: hasToken) else {
                    return reject(connection, HTTPResponse(.unavailable, "Too many pages are open; close one."))
                }
                connection.respond(WebSocketHandshake.response(acceptance), closesAfterwards: false)
                upgrade(connection, hasToken: hasToken, now: now)
            }
        }
    }

    private func reject(_ connection: HTTPConnection, _ response: HTTPResponse) {
        connection.input = []
        connection.respond(
            response.bytes(policy: requestHandler.policy, hasBody: true, keepsAlive: false), closesAfterwards: true)
    }

    /// Returns true if another page can be accepted. If necessary, a page without a token is disconnected to make room
    /// for a page with a valid token.
    private func freePageSlot(hasToken: Bool) -> Bool {
        guard pages >= DashboardServer.maximumPages else { return true }
        guard hasToken, let other = connections.first(where: { !$0.isClosed && $0.page?.hasToken == false }) else {
            return false
        }
        other.isClosed = true
        return true
    }

    private func upgrade(_ connection: HTTPConnection, hasToken: Bool, now: BootTime) {
        let (flush, history) = requestHandler.feed.drainForNewPage(pages: pages + 1)
        forward(flush)
        var page = HTTPConnection.Page(id: nextPage, hasToken: hasToken, lastReceived: now)
        nextPage += 1
        page.queue.add(requestHandler.helloFrame, readings: 0)
        for (bytes, readings) in history { page.queue.add(bytes, readings: readings) }
        connection.page = page
        connection.deadline = now.advanced(bySeconds: requestHandler.options.pingInterval)
    }

    private func readFrames(of connection: HTTPConnection, now: BootTime) {
        guard var page = connection.page else { return }
        page.lastReceived = now
        for event in page.reader.decode(&connection.input) {
            switch event {
            case .text(let bytes): handleCommand(bytes, of: &page)
            case .ping(let payload): page.queue.addResponse(WebSocketFrame.bytes(.pong, payload))
            case .pong: break
            case .closed(let code):
                page.queue.dropReadings()
                page.queue.add(WebSocketFrame.close(code), readings: 0)
                connection.isClosing = true
                connection.deadline = now.advanced(bySeconds: requestHandler.options.requestTimeout)
            }
        }
        connection.page = page
    }

    private func handleCommand(_ bytes: [UInt8], of page: inout HTTPConnection.Page) {
        func reject(_ id: Int64, _ reason: String) {
            let message = DashboardMessage("refused", .transient) { writer in
                writer.member("id", id)
                writer.member("why", reason)
            }
            page.queue.addResponse(message.frame)
        }
        guard let request = CommandRequest(bytes) else { return reject(0, "The message is not a command.") }
        guard !requestHandler.options.isReadOnly else { return reject(request.id, "This dashboard is read-only.") }
        guard requestHandler.token.matches(request.token) else {
            return reject(request.id, "The token is invalid. Open the address that the terminal shows.")
        }
        guard let action = request.action else { return reject(request.id, "The command is unknown or incomplete.") }
        page.pendingCommandCount += 1
        requestHandler.handler(PageCommand(page: page.id, id: request.id, action: action))
    }

    private func forward(_ flush: DashboardFeed.Flush) {
        for connection in connections where connection.page != nil && !connection.isClosing {
            if flush.hasSeeked { connection.page?.queue.dropReadings() }
            if flush.droppedCount > 0 { connection.page?.queue.addDropped(flush.droppedCount) }
            for (bytes, readings) in flush.frames { connection.page?.queue.add(bytes, readings: readings) }
            for response in flush.responses where response.page == connection.page?.id {
                connection.page?.queue.addResponse(response.frame)
                connection.page?.pendingCommandCount -= 1
            }
        }
    }

    private func checkDeadline(of connection: HTTPConnection, now: BootTime) {
        guard connection.deadline <= now else { return }
        guard let page = connection.page, !connection.isClosing else {
            connection.isClosed = true
            return
        }
        // Disconnects a page that has answered neither of the last two pings.
        guard now.seconds(since: page.lastReceived) < 3 * requestHandler.options.pingInterval else {
            connection.isClosed = true
            return
        }
        connection.page?.queue.add(WebSocketFrame.bytes(.ping, []), readings: 0)
        connection.deadline = now.advanced(bySeconds: requestHandler.options.pingInterval)
    }
}
