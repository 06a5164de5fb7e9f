// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import LoopbackServer
import Synchronization
import SystemCalls

/// The loop of the server's thread: polls sockets and deadlines, answers requests, and forwards the session's data to
/// the pages.
final class DashboardServerLoop: ServiceLoop {
    private let shared: ServedState<DashboardServer.Content>
    private let world: ServerWorld
    private let door: LoopbackDoor
    private let clock = LiveClock()
    private var connections: [Connection] = []
    private var pollSet: PollSet
    private var nextPage = 1
    /// The earliest time of the next flush to the pages.
    private var nextFlush = BootTime.zero
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)

    init(shared: ServedState<DashboardServer.Content>, listener: LoopbackListener, world: ServerWorld) {
        self.shared = shared
        pollSet = PollSet(wakeUp: shared.wakeUp, clock: clock)
        self.world = world
        door = LoopbackDoor(listener)
    }

    deinit { buffer.deallocate() }

    private var pages: Int { connections.count { $0.page != nil && !$0.isOver } }

    func run() {
        while true {
            wait()
            if shared.isStopped { break }
            let now = clock.now
            for (index, connection) in connections.enumerated() {
                serve(connection, events: pollSet[index + 1], now: now)
            }
            door.letIn(revents: pollSet[0], now: now) { adopt($0, now: now) }
            if world.feed.isFilled, now >= nextFlush {
                // At most one flush per frame time.
                nextFlush = now.advanced(bySeconds: world.options.frameTime)
                hand(world.feed.take(pages: pages))
            }
            for connection in connections where !connection.isOver {
                if connection.hasOutput, !connection.isBlocked { connection.write() }
                // Clients may send further requests before they receive a response.
                if connection.takesInput, connection.page == nil, !connection.input.isEmpty {
                    answer(connection, now: now)
                }
                look(after: connection, now: now)
            }
            closeEnded()
        }
        for connection in connections {
            if connection.page != nil { connection.page?.queue.add(WebSocketFrame.close(.goingAway), readings: 0) }
            connection.write()
        }
        connections.removeAll()
        door.isOpen = false
    }

    private func wait() {
        let now = clock.now
        pollSet.begin(deadline: door.deadline(now: now))
        pollSet.add(door.interest(now: now))
        if world.feed.isFilled { pollSet.expire(at: nextFlush) }
        for connection in connections {
            var events: Int16 = connection.takesInput ? Int16(POLLIN) : 0
            if connection.hasOutput { events |= Int16(POLLOUT) }
            pollSet.add(connection.descriptor, events: events)
            pollSet.expire(at: connection.deadline)
        }
        pollSet.wait()
    }

    // MARK: Accepting connections

    private func adopt(_ descriptor: Int32, now: BootTime) {
        let connection = Connection(descriptor, deadline: now.advanced(bySeconds: world.options.requestTime))
        let current = connections.filter { !$0.isOver }
        if current.count >= DashboardServer.maximumConnections {
            // An idle connection is closed, the oldest first, so that idle clients cannot exclude others.
            let idle = current.first(where: \.isIdle) ?? current.first { $0.page == nil && $0.isBlocked }
            guard let idle else { return }
            idle.isOver = true
            connections.removeAll { $0 === idle }
        }
        connections.append(connection)
    }

    private func closeEnded() {
        connections.removeAll(where: \.isOver)
        let (count, pages) = (connections.count, pages)
        let isNews = shared.content.withLock { $0.connections != count || $0.pages != pages }
        guard isNews else { return }
        shared.change { content in
            content.connections = count
            content.pages = pages
        }
        if pages == 0 { hand(world.feed.take(pages: 0)) }
    }

    // MARK: Reading requests and commands

    private func serve(_ connection: Connection, events: Int16, now: BootTime) {
        guard events != 0, !connection.isOver else { return }
        if events & Int16(POLLERR | POLLNVAL) != 0 || events & Int16(POLLHUP) != 0 && !connection.takesInput {
            connection.isOver = true
            return
        }
        if events & Int16(POLLOUT) != 0 { connection.write() }
        guard events & Int16(POLLIN | POLLHUP) != 0, connection.takesInput else { return }
        connection.read(through: buffer)
        if connection.isOver { return }
        if connection.page == nil { answer(connection, now: now) }
        if connection.page != nil { listen(connection, now: now) }
    }

    private func answer(_ connection: Connection, now: BootTime) {
        switch HTTPRequest.parse(connection.input[...]) {
        case .incomplete: return
        case .wrong(let status): refuse(connection, HTTPResponse(status))
        case .request(let request, let length):
            connection.input.removeFirst(length)
            switch world.answer(request) {
            case .response(let response):
                let keeps = request.keepsAlive && response.status.code < 400
                connection.answer(
                    response.bytes(policy: world.policy, hasBody: request.method != "HEAD", keepsAlive: keeps),
                    thenEnds: !keeps)
                // The time limit for sending the response and receiving the next request.
                connection.deadline = now.advanced(bySeconds: world.options.idleTime)
            case .page(let acceptance, let hasToken):
                guard hasPlace(forToken: hasToken) else {
                    return refuse(connection, HTTPResponse(.unavailable, "Too many pages are open; close one."))
                }
                connection.answer(WebSocketHandshake.answer(acceptance), thenEnds: false)
                become(page: connection, hasToken: hasToken, now: now)
            }
        }
    }

    private func refuse(_ connection: Connection, _ response: HTTPResponse) {
        connection.input = []
        connection.answer(
            response.bytes(policy: world.policy, hasBody: true, keepsAlive: false), thenEnds: true)
    }

    /// True if another page can be accepted. A page with the token may replace one without, because programs of other
    /// users could otherwise occupy all slots.
    private func hasPlace(forToken hasToken: Bool) -> Bool {
        guard pages >= DashboardServer.maximumPages else { return true }
        guard hasToken, let other = connections.first(where: { !$0.isOver && $0.page?.hasToken == false }) else {
            return false
        }
        other.isOver = true
        return true
    }

    private func become(page connection: Connection, hasToken: Bool, now: BootTime) {
        let (flush, beginning) = world.feed.takeForNewPage(pages: pages + 1)
        hand(flush)
        var page = Connection.Page(id: nextPage, hasToken: hasToken, lastHeard: now)
        nextPage += 1
        page.queue.add(world.greeting, readings: 0)
        for (bytes, readings) in beginning { page.queue.add(bytes, readings: readings) }
        connection.page = page
        connection.deadline = now.advanced(bySeconds: world.options.pingTime)
    }

    private func listen(_ connection: Connection, now: BootTime) {
        guard var page = connection.page else { return }
        page.lastHeard = now
        for event in page.reader.take(&connection.input) {
            switch event {
            case .text(let bytes): take(bytes, of: &page)
            case .ping(let payload): page.queue.answer(WebSocketFrame.bytes(.pong, payload))
            case .pong: break
            case .closed(let code):
                page.queue.dropReadings()
                page.queue.add(WebSocketFrame.close(code), readings: 0)
                connection.isEnding = true
                connection.deadline = now.advanced(bySeconds: world.options.requestTime)
            }
        }
        connection.page = page
    }

    private func take(_ bytes: [UInt8], of page: inout Connection.Page) {
        func refuse(_ id: Int64, _ why: String) {
            let message = DashboardMessage("refused", .news) { writer in
                writer.member("id", id)
                writer.member("why", why)
            }
            page.queue.answer(message.frame)
        }
        guard let text = CommandText(bytes) else { return refuse(0, "The message is not a command.") }
        guard !world.options.isReadOnly else { return refuse(text.id, "This dashboard is read-only.") }
        guard world.token.matches(text.token) else {
            return refuse(text.id, "The token is invalid. Open the address that the terminal shows.")
        }
        guard let action = text.action else { return refuse(text.id, "The command is unknown or incomplete.") }
        page.waiting += 1
        world.handler(PageCommand(page: page.id, id: text.id, action: action))
    }

    // MARK: Sending data

    private func hand(_ flush: DashboardFeed.Flush) {
        for connection in connections where connection.page != nil && !connection.isEnding {
            if flush.isNewPlace { connection.page?.queue.dropReadings() }
            if flush.missed > 0 { connection.page?.queue.note(missed: flush.missed) }
            for (bytes, readings) in flush.frames { connection.page?.queue.add(bytes, readings: readings) }
            for answer in flush.answers where answer.page == connection.page?.id {
                connection.page?.queue.answer(answer.frame)
                connection.page?.waiting -= 1
            }
        }
    }

    private func look(after connection: Connection, now: BootTime) {
        guard connection.deadline <= now else { return }
        guard let page = connection.page, !connection.isEnding else {
            connection.isOver = true
            return
        }
        // The last two pings have not been answered.
        guard now.seconds(since: page.lastHeard) < 3 * world.options.pingTime else {
            connection.isOver = true
            return
        }
        connection.page?.queue.add(WebSocketFrame.bytes(.ping, []), readings: 0)
        connection.deadline = now.advanced(bySeconds: world.options.pingTime)
    }
}
