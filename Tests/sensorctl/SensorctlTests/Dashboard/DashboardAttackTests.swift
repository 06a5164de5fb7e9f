// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import Dashboard

@Suite("Denial of service against the dashboard's server", .waiting)
struct DashboardAttackTests {
    /// Waits until the condition is true, for at most 30 s.
    static func wait(for what: Comment, until condition: () throws -> Bool) throws {
        for _ in 0..<3000 {
            if try condition() { return }
            usleep(10_000)
        }
        Issue.record("In vain: \(what)")
    }

    @Test("A request line without an end closes the connection", arguments: ["GET /", "GET / HTTP/1.1\r\nX: ", ""])
    func endlessLine(_ start: String) throws {
        let dashboard = try TestDashboard()
        let client = try TestClient(dashboard.port)
        try client.send(start)
        let part = [UInt8](repeating: UInt8(ascii: "a"), count: 4096)
        // The server closes the connection after 8 KiB, so that later writes fail.
        #expect(throws: TestClient.Failure.self) { for _ in 0..<10_000 { try client.send(part) } }
        #expect(try dashboard.get("/").status == 200)
    }

    @Test("Headers without an end close the connection")
    func endlessHeaders() throws {
        let dashboard = try TestDashboard()
        let client = try TestClient(dashboard.port)
        try client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(dashboard.port)\r\n")
        #expect(throws: TestClient.Failure.self) { for index in 0..<100_000 { try client.send("X-\(index): 1\r\n") } }
        #expect(try dashboard.get("/").status == 200)
    }

    @Test("A request with a hundred extra headers is refused")
    func manyHeaders() throws {
        let dashboard = try TestDashboard()
        let head = dashboard.request("/", (0..<100).map { "X-\($0): 1" })
        #expect(try dashboard.ask(head).status == 431)
    }

    @Test(
        "A client that sends no complete request in time is disconnected",
        arguments: ["", "G", "GET / HTTP/1.1\r\nHost:"])
    func halfOpen(_ start: String) throws {
        let dashboard = try TestDashboard { $0.requestTimeout = 0.2 }
        let client = try TestClient(dashboard.port)
        try client.send(start)
        #expect(client.isClosed())
        try Self.wait(for: "no connection is left") { dashboard.server.counts.connections == 0 }
    }

    @Test("A request sent byte by byte times out as well")
    func slow() throws {
        let dashboard = try TestDashboard { $0.requestTimeout = 0.3 }
        let client = try TestClient(dashboard.port)
        // Without the time limit, the server would accept all bytes.
        #expect(throws: TestClient.Failure.self) {
            for byte in "GET / HTTP/1.1\r\nX: ".utf8 + [UInt8](repeating: 97, count: 3000) {
                try client.send([byte])
                usleep(10_000)
            }
        }
    }

    @Test("A client that does not read its response is disconnected")
    func unread() throws {
        let folder = try AssetFixture()
        try folder.add("js/leaflet/leaflet.js", String(repeating: "x", count: 3 << 20))
        let dashboard = try TestDashboard {
            $0.assets = AssetFolder(root: folder.path + "/js")
            $0.idleTimeout = 0.3
        }
        let client = try TestClient(dashboard.port)
        try client.send(dashboard.request("/assets/leaflet/leaflet.js"))
        try Self.wait(for: "it has gone") { dashboard.server.counts.connections == 0 }
        #expect(client.isClosed())
    }

    @Test("200 connections block no page, and at most 64 stay open")
    func manyConnections() throws {
        let dashboard = try TestDashboard()
        let page = try dashboard.readyPage(token: dashboard.token)
        var clients: [TestClient] = []
        for index in 0..<200 {
            let client = try TestClient(dashboard.port)
            if index % 2 == 0 { try client.send("GET / HTTP/1.1\r\n") }
            clients.append(client)
            #expect(dashboard.server.counts.connections <= DashboardServer.maximumConnections)
        }
        for _ in 0..<5 { #expect(try dashboard.get("/").status == 200) }
        // The existing page is not affected.
        #expect(try page.command(#""do":"pause""#)["type"] as? String == "done")
        #expect(dashboard.server.counts.pages == 1)
        #expect(dashboard.server.counts.connections <= DashboardServer.maximumConnections)
        withExtendedLifetime(clients) {}
    }

    @Test("The seventeenth page is refused until another page disconnects")
    func manyPages() throws {
        let dashboard = try TestDashboard()
        var pages = try (0..<DashboardServer.maximumPages).map { _ in try PageClient(dashboard.port) }
        #expect(try dashboard.ask(PageClient.handshake(dashboard.port)).status == 503)
        pages.removeFirst()
        try Self.wait(for: "one has gone") { dashboard.server.counts.pages < DashboardServer.maximumPages }
        _ = try PageClient(dashboard.port).message("ready")
    }

    @Test("Sixteen pages without the token do not block a page with it, and cannot replace it")
    func heldPlaces() throws {
        let dashboard = try TestDashboard()
        let strangers = try (0..<DashboardServer.maximumPages).map { _ in try PageClient(dashboard.port) }
        for wrong in ["?token=", "?token=\(String(repeating: "0", count: 32))", "?other=\(dashboard.token)"] {
            #expect(try dashboard.ask(PageClient.handshake(dashboard.port, path: "/live" + wrong)).status == 503)
        }
        let own = try PageClient(dashboard.port, token: dashboard.token, path: "/live?token=\(dashboard.token)")
        _ = try own.message("ready")
        #expect(dashboard.server.counts.pages == DashboardServer.maximumPages)
        #expect(try dashboard.ask(PageClient.handshake(dashboard.port)).status == 503)
        // A page with the token is not replaced, not even by a page that also has it.
        let others = try (1..<DashboardServer.maximumPages).map { _ in
            try PageClient(dashboard.port, token: dashboard.token, path: "/live?token=\(dashboard.token)")
        }
        #expect(
            try dashboard.ask(PageClient.handshake(dashboard.port, path: "/live?token=\(dashboard.token)")).status
                == 503)
        #expect(try own.command(#""do":"pause""#)["type"] as? String == "done")
        withExtendedLifetime((strangers, others)) {}
    }

    @Test("A page that never reads delays no other page and is notified of dropped readings")
    func neverReads() throws {
        // An hour, because the page does not answer pings and a slow machine takes minutes.
        let dashboard = try TestDashboard { ($0.flushInterval, $0.pingInterval) = (0, 3_600) }
        let lazy = try PageClient(dashboard.port)
        let other = try dashboard.readyPage()
        try Self.wait(for: "both are there") { dashboard.server.counts.pages == 2 }
        // More data than the sockets and the queue can hold.
        let (rounds, readings) = (400, 4000)
        var received = 0
        for round in 0..<rounds {
            for index in 0..<readings {
                dashboard.feed.add(0, at: Double(round * readings + index) / 1e4, SIMD4(1, 2, 3, 0))
            }
            while received < (round + 1) * readings {
                guard case .binary(let bytes) = try other.frame() else { continue }
                received += try PageClient.readings(bytes, axes: 3).times.count
            }
        }
        #expect(received == rounds * readings)
        // The page that did not read now reads its messages.
        var delivered = 0
        let dropped = try lazy.message("dropped") { frame in
            if case .binary(let bytes) = frame { delivered += try PageClient.readings(bytes, axes: 3).times.count }
        }
        let count = try #require(dropped["count"] as? Int)
        #expect(delivered < received)
        #expect(count > 0 && delivered + count <= received)
    }

    @Test("A page that does not answer pings is disconnected")
    func silentPage() throws {
        let dashboard = try TestDashboard { $0.pingInterval = 0.1 }
        let page = try PageClient(dashboard.port)
        try Self.wait(for: "it has gone") { dashboard.server.counts.pages == 0 }
        var pings = 0
        #expect(throws: TestClient.Failure.self) { while true { if try page.frame() == .ping { pings += 1 } } }
        #expect(pings > 0)
    }

    @Test(
        "Invalid WebSocket frames close the connection with a status code",
        arguments: [
            (PageClient.masked(1, [UInt8](repeating: 97, count: 4097)), 1009),
            (PageClient.masked(1, [UInt8](repeating: 97, count: 70_000)), 1009),
            ([0x81, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4], 1009),
            ([0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4], 1009),
            (
                PageClient.masked(1, [UInt8](repeating: 97, count: 3000), isLast: false)
                    + PageClient.masked(0, [UInt8](repeating: 97, count: 3000)), 1009
            ),
            ([0x81, 0x02, 97, 98], 1002),
            ([0xC1, 0x80, 1, 2, 3, 4], 1002),
            ([0x83, 0x80, 1, 2, 3, 4], 1002),
            (PageClient.masked(0, [97]), 1002),
            (PageClient.masked(1, [97], isLast: false) + PageClient.masked(1, [97]), 1002),
            (PageClient.masked(9, [], isLast: false), 1002),
            (PageClient.masked(9, [UInt8](repeating: 0, count: 126)), 1002),
            (PageClient.masked(2, [1, 2]), 1003),
            (PageClient.masked(1, [0xC3, 0x28]), 1007),
            (PageClient.masked(8, [0x03, 0xE8]), 1000),
        ] as [([UInt8], Int)])
    func badFrames(_ bytes: [UInt8], _ code: Int) throws {
        let dashboard = try TestDashboard(handler: { _, _ in })
        let page = try dashboard.readyPage(token: dashboard.token)
        try page.send(bytes)
        #expect(try page.frame() == .close(code))
        #expect(page.client.isClosed())
        try Self.wait(for: "it has gone") { dashboard.server.counts.connections == 0 }
    }

    @Test("A command may be fragmented, with a ping between the fragments")
    func fragments() throws {
        let dashboard = try TestDashboard()
        let page = try dashboard.readyPage()
        let text = Array(#"{"id":7,"token":"\#(dashboard.token)","do":"play"}"#.utf8)
        try page.send(PageClient.masked(1, Array(text[..<5]), isLast: false))
        try page.send(PageClient.masked(9, [1, 2, 3]))
        try page.send(PageClient.masked(0, Array(text[5..<9]), isLast: false))
        try page.send(PageClient.masked(0, Array(text[9...])))
        let pong = try page.client.read(5)
        #expect(pong == [0x8A, 3, 1, 2, 3])
        #expect(try page.message("done")["id"] as? Int == 7)
    }

    @Test(
        "Unread answers do not accumulate",
        arguments: [
            PageClient.masked(9, [UInt8](repeating: 0, count: 125)), PageClient.masked(9, []), PageClient.masked(1, []),
            PageClient.masked(1, Array(#"{"id":1,"token":"","do":"play"}"#.utf8)),
        ])
    func untaken(_ frame: [UInt8]) throws {
        let dashboard = try TestDashboard()
        let page = try dashboard.readyPage()
        page.client.limitSending(seconds: 0.2)
        page.client.limitReceiving(bytes: 4096)
        let many = (0..<1000).flatMap { _ in frame }
        // Once the sockets are full, the client cannot send more.
        #expect(throws: TestClient.Failure.self) { for _ in 0..<20_000 { try page.send(many) } }
        #expect(try dashboard.get("/").status == 200)
    }

    @Test("Unanswered commands do not accumulate")
    func unanswered() throws {
        let dashboard = try TestDashboard(handler: { _, _ in })
        let page = try dashboard.readyPage(token: dashboard.token)
        let command = PageClient.masked(1, Array(#"{"id":1,"token":"\#(dashboard.token)","do":"play"}"#.utf8))
        // Once the socket is full, the client cannot send more.
        page.client.limitSending(seconds: 0.2)
        #expect(throws: TestClient.Failure.self) { for _ in 0..<500_000 { try page.send(command) } }
        #expect(try dashboard.get("/").status == 200)
    }
}
