// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONBytes
import Testing

@testable import Dashboard
import TestSupport

/// A page as the server sees it: a WebSocket on a raw socket.
final class PageClient {
    enum Frame: Equatable {
        case text(String)
        case binary([UInt8])
        case ping
        case close(Int)
    }

    /// A frame of readings.
    struct Readings {
        var channel: Int
        var times: [Double] = []
        var values: [[Float]] = []
    }

    let client: TestClient
    let token: String
    private var number = 0

    init(_ port: UInt16, token: String = "", path: String = "/live", headers: [String] = []) throws {
        client = try TestClient(port)
        self.token = token
        try client.send(Self.handshake(port, path: path, headers: headers))
        var line = try client.readLine()
        try #require(line == "HTTP/1.1 101 Switching Protocols")
        var accepts = false
        while !line.isEmpty {
            line = try client.readLine()
            // The key and the accept value are from RFC 6455, section 1.3.
            if line == "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" { accepts = true }
        }
        try #require(accepts)
    }

    static func handshake(_ port: UInt16, host: String? = nil, path: String = "/live", headers: [String] = []) -> String
    {
        let lines =
            [
                "GET \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Upgrade: websocket",
                "Connection: keep-alive, Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "Sec-WebSocket-Version: 13",
            ] + headers
        return lines.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// Reads the next frame, which must not be fragmented.
    func frame() throws -> Frame {
        let head = try client.read(2)
        #expect(head[0] & 0xF0 == 0x80, "Frames come whole")
        #expect(head[1] & 0x80 == 0, "A server does not mask")
        var length = Int(head[1] & 0x7F)
        if length > 125 {
            let bytes = try client.read(length == 126 ? 2 : 8)
            length = bytes.reduce(0) { $0 << 8 | Int($1) }
        }
        let payload = try client.read(length)
        switch head[0] & 0x0F {
        case 1: return .text(String(decoding: payload, as: UTF8.self))
        case 2: return .binary(payload)
        case 8: return .close(payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : 1005)
        case 9: return .ping
        default: throw Unexpected(what: "a frame of kind \(head[0] & 0x0F)")
        }
    }

    struct Unexpected: Error { let what: String }

    /// Returns the next JSON message of a type and passes all frames before it to the closure.
    func message(_ type: String, passing: (Frame) throws -> Void = { _ in }) throws -> [String: Any] {
        while true {
            let next = try frame()
            guard case .text(let text) = next else {
                if case .close(let code) = next { throw Unexpected(what: "closed with \(code)") }
                try passing(next)
                continue
            }
            let object = try Self.object(text)
            if object["type"] as? String == type { return object }
            try passing(next)
        }
    }

    static func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    static func readings(_ bytes: [UInt8], axes: Int) throws -> Readings {
        func number<Number: FixedWidthInteger>(_ offset: Int, _ type: Number.Type) -> Number {
            bytes[offset..<(offset + MemoryLayout<Number>.size)].reversed().reduce(0) { $0 << 8 | Number($1) }
        }
        try #require(bytes.count >= 16 && bytes[0] == 1 && number(4, UInt32.self) == 0)
        let count = Int(number(2, UInt16.self))
        try #require(bytes.count == 16 + count * 4 * (axes + 1))
        let first = Double(bitPattern: number(8, UInt64.self))
        var readings = Readings(channel: Int(bytes[1]))
        for index in 0..<count {
            let offset = 16 + index * 4 * (axes + 1)
            readings.times.append(first + Double(Float(bitPattern: number(offset, UInt32.self))))
            readings.values.append((1...axes).map { Float(bitPattern: number(offset + 4 * $0, UInt32.self)) })
        }
        return readings
    }

    func send(_ frame: [UInt8]) throws { try client.send(frame) }
    func send(text: String) throws { try send(Self.masked(1, Array(text.utf8))) }

    /// Sends a command and returns its answer.
    func command(
        _ members: String, token: String? = nil, passing: (Frame) throws -> Void = { _ in }
    ) throws -> [String: Any] {
        number += 1
        try send(text: #"{"id":\#(number),"token":"\#(token ?? self.token)",\#(members)}"#)
        var answer: [String: Any]?
        while answer == nil {
            let next = try frame()
            if case .text(let text) = next {
                let object = try Self.object(text)
                if ["done", "refused"].contains(object["type"] as? String), object["id"] as? Int == number {
                    answer = object
                    continue
                }
            }
            try passing(next)
        }
        return try #require(answer)
    }

    /// Creates a masked frame, as clients send it.
    static func masked(_ kind: UInt8, _ payload: [UInt8], isLast: Bool = true) -> [UInt8] {
        let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        var frame: [UInt8] = [kind | (isLast ? 0x80 : 0)]
        let count = payload.count
        // The length is in the second byte, or in the two or eight bytes after it.
        let following = count < 126 ? 0 : count < 65_536 ? 2 : 8
        frame.append(following == 0 ? 0x80 | UInt8(count) : following == 2 ? 0xFE : 0xFF)
        for index in 0..<following { frame.append(UInt8(truncatingIfNeeded: count >> (8 * (following - 1 - index)))) }
        return frame + mask + payload.enumerated().map { $0.element ^ mask[$0.offset % 4] }
    }
}

/// A server on its own port, with a feed that the test fills.
final class TestDashboard: @unchecked Sendable {
    let feed: DashboardFeed
    let server: DashboardServer
    let port: UInt16

    var token: String { server.token.text }

    init(
        axes: Int = 3, change: (inout DashboardOptions) -> Void = { _ in },
        handler: @escaping @Sendable (DashboardFeed, PageCommand) -> Void = { feed, command in
            feed.respond(to: command.page, with: DashboardMessage("done", .transient) { $0.member("id", command.id) })
        }
    ) throws {
        let names = ["x", "y", "z", "w"]
        let feed = DashboardFeed(
            channels: ["one", "two"].map { DashboardChannel($0, $0, unit: "g", axes: Array(names.prefix(axes))) })
        var options = DashboardOptions(assets: AssetFolder(root: "/nonexistent"))
        change(&options)
        self.feed = feed
        server = DashboardServer(feed: feed, options: options, hello: SessionDescription()) { handler(feed, $0) }
        port = try server.start()
    }

    deinit { server.stop() }

    /// Opens a page and waits until it has received the history.
    func readyPage(token: String = "") throws -> PageClient {
        let page = try PageClient(port, token: token)
        _ = try page.message("ready")
        return page
    }

    /// Sends a request and returns the response: the status, the headers and the body.
    func ask(_ head: String) throws -> (status: Int, headers: [String: String], body: [UInt8]) {
        try Self.answer(on: try TestClient(port), head)
    }

    static func answer(
        on client: TestClient, _ head: String
    ) throws -> (status: Int, headers: [String: String], body: [UInt8]) {
        try client.send(head)
        let first = try client.readLine().split(separator: " ")
        var headers: [String: String] = [:]
        while case let line = try client.readLine(), !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        let length = head.hasPrefix("HEAD") ? 0 : Int(headers["content-length"] ?? "") ?? 0
        return (Int(first[1]) ?? 0, headers, try client.read(length))
    }

    func get(_ path: String, host: String? = nil, _ headers: String...) throws
        -> (status: Int, headers: [String: String], body: [UInt8])
    {
        try ask(request(path, host: host, headers))
    }

    func request(_ path: String, method: String = "GET", host: String? = nil, _ headers: [String] = []) -> String {
        (["\(method) \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")"] + headers).map { $0 + "\r\n" }.joined()
            + "\r\n"
    }
}
