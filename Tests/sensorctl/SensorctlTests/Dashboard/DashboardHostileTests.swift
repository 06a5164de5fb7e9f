// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import JSONBytes
import Synchronization
import TestSupport
import Testing

@testable import Dashboard

/// Attacks by malicious pages and clients.
private enum Hostile: String, CaseIterable, Sendable {
    case foreignOrigin, rebinding, missingToken, wrongToken, endlessRequest, halfOpen, manyConnections, neverReads
    case traversal, readOnlyBypass

    /// True if the attack must not receive any data.
    var learnsNothing: Bool { [.foreignOrigin, .rebinding, .traversal].contains(self) }

    /// Performs the attack once and returns the received text. Adds objects to `held` that stay open until the end.
    func attack(_ target: TestDashboard, holding held: inout [AnyObject]) throws -> String {
        var responses = ""
        func ask(_ head: String, _ status: Int) throws {
            let answer = try target.ask(head)
            #expect(answer.status == status, "\(self)")
            responses += "\(answer.headers)\(String(decoding: answer.body, as: UTF8.self))"
        }
        func send(_ frames: [UInt8]) throws {
            let page = try PageClient(target.port)
            try page.send(frames)
            let answer = try page.message("refused") { if case .text(let text) = $0 { responses += text } }
            responses += "\(answer)"
        }
        func command(_ member: String) -> [UInt8] { Array(#"{"id":1,\#(member)"do":"pause"}"#.utf8) }
        switch self {
        case .foreignOrigin:
            let origin = "Origin: http://evil.example"
            try ask(PageClient.handshake(target.port, headers: [origin]), 403)
            try ask(target.request("/", [origin]), 403)
            try ask(target.request("/page/index.html", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"]), 403)
        case .rebinding:
            let host = "evil.example:\(target.port)"
            try ask(PageClient.handshake(target.port, host: host, headers: ["Origin: http://\(host)"]), 403)
            try ask(target.request("/", host: host), 403)
        case .missingToken: try send(PageClient.masked(1, command("")))
        case .wrongToken: try send(PageClient.masked(1, command(#""token":"\#(DashboardToken().text)","#)))
        case .endlessRequest:
            let client = try TestClient(target.port)
            try client.send("GET / HTTP/1.1\r\n")
            let part = Array(String(repeating: "X: \(String(repeating: "x", count: 100))\r\n", count: 40).utf8)
            #expect(throws: TestClient.Failure.self) { for _ in 0..<10_000 { try client.send(part) } }
        case .halfOpen:
            let client = try TestClient(target.port)
            try client.send("GET / HTTP/1.1\r\nHost:")
            held.append(client)
            if held.count > 20 { held.removeFirst() }
        case .manyConnections:
            let clients = try (0..<200).map { _ in try TestClient(target.port) }
            for client in clients.dropFirst(100) { try? client.send("GET") }
        case .neverReads: if held.count < 4 { held.append(try PageClient(target.port)) }
        case .traversal:
            for path in [
                "/../../etc/passwd", "/assets/../secret.js", "/page/..%2f..%2fsecret.html", "/assets/leaflet/out.js",
            ] { try ask(target.request(path), 404) }
        case .readOnlyBypass:
            // A valid token, as held by a page that was opened before the dashboard became read-only.
            let bytes = command(#""token":"\#(target.token)","#)
            try send(PageClient.masked(1, Array(bytes[..<9]), isLast: false) + PageClient.masked(0, Array(bytes[9...])))
            try ask(target.request("/live", method: "POST", ["Content-Length: \(bytes.count)"]), 405)
            // Removes the token that the client sent itself.
            responses = responses.replacingOccurrences(of: target.token, with: "")
        }
        return responses
    }
}

/// Runs several attacks at once, each in a loop on its own thread.
private final class Attack: Sendable {
    private let isOver = Atomic<Bool>(false)
    private let rounds = Mutex<[Hostile: Int]>([:])
    private let responses = Mutex<[Hostile: String]>([:])
    private let remaining: Mutex<Int>
    private let semaphore = BinarySemaphore()
    private let count: Int

    init(_ hostiles: [Hostile], on target: TestDashboard) {
        count = hostiles.count
        remaining = Mutex(count)
        for hostile in hostiles {
            Thread.detachNewThread { [self] in
                var held: [AnyObject] = []
                while !isOver.load(ordering: .relaxed) {
                    // Attacks may interfere: at the connection limit, the server closes the oldest idle connection.
                    guard let new = try? hostile.attack(target, holding: &held) else { continue }
                    rounds.withLock { $0[hostile, default: 0] += 1 }
                    responses.withLock { $0[hostile] = new }
                }
                remaining.withLock { $0 -= 1 }
                semaphore.signal()
            }
        }
    }

    /// The smallest number of rounds of an attack. 0 until each attack has completed one.
    var least: Int { rounds.withLock { $0.count < count ? 0 : $0.values.min() ?? 0 } }

    /// Stops the attacks, calls `body` until all threads have ended, and returns the last text that each attack
    /// received.
    func end(meanwhile body: () throws -> Void) rethrows -> [Hostile: String] {
        isOver.store(true, ordering: .relaxed)
        while remaining.withLock({ $0 }) > 0 {
            try body()
            semaphore.wait(seconds: 0.1)
        }
        return responses.withLock { $0 }
    }
}

@Suite("Ten concurrent attacks on the dashboard", .waiting)
struct DashboardHostileTests {
    @Test("Attacks change and reveal nothing, and a regular page receives every reading", arguments: [true, false])
    func together(_ isReadOnly: Bool) throws {
        let commandCount = Mutex(0)
        let folder = try AssetFixture()
        let dashboard = try TestDashboard {
            ($0.isReadOnly, $0.flushInterval, $0.requestTimeout) = (isReadOnly, 0, 1)
            $0.assets = AssetFolder(root: folder.path + "/js")
        } handler: { feed, command in
            commandCount.withLock { $0 += 1 }
            feed.respond(to: command.page, with: DashboardMessage("done", .transient) { $0.member("id", command.id) })
        }
        dashboard.feed.publish(DashboardMessage("location", .track) { $0.member("latitude", 48.137) })
        let page = try dashboard.readyPage(token: dashboard.token)
        let attack = Attack(Hostile.allCases.filter { $0 != .readOnlyBypass || isReadOnly }, on: dashboard)
        let start = LiveClock().now
        var (sent, received) = (0, 0)
        func exchange() throws {
            for _ in 0..<100 {
                dashboard.feed.add(0, at: Double(sent) / 1e4, SIMD4(Float(sent), 0, 0, 0))
                sent += 1
            }
            while received < sent {
                switch try page.frame() {
                case .binary(let bytes):
                    for values in try PageClient.readings(bytes, axes: 3).values {
                        #expect(values[0] == Float(received))
                        received += 1
                    }
                case .text(let text): Issue.record("The good page received \(text)")
                // Without pongs, the server would disconnect the page after a minute.
                case .ping: try page.send(PageClient.masked(10, []))
                default: break
                }
            }
        }
        while sent < 20_000 || attack.least < 3, LiveClock().now.seconds(since: start) < 60 { try exchange() }
        #expect(attack.least >= 3, "Each has tried")
        for (hostile, responses) in try attack.end(meanwhile: exchange) {
            #expect(!responses.contains(dashboard.token) && !responses.contains("secret"), "\(hostile)")
            if hostile.learnsNothing {
                #expect(!responses.contains("48.137") && !responses.contains("doctype"), "\(hostile)")
            }
        }
        #expect(commandCount.withLock { $0 } == 0)
        #expect(try page.command(#""do":"pause""#)["type"] as? String == (isReadOnly ? "refused" : "done"))
        #expect(try dashboard.get("/").status == 200)
    }
}
