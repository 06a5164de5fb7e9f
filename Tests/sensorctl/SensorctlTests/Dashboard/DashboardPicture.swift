// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A page and the state it has received so far.
final class DashboardPicture {
    struct Line: Equatable {
        var time: Double
        var id: Int
        var direction: String
        var bytes: String
    }

    let page: PageClient
    private(set) var hello: [String: Any] = [:]
    private(set) var playback: [String: Any] = [:]
    /// The last message of each other type.
    private(set) var messages: [String: [String: Any]] = [:]
    private(set) var locations: [[String: Any]] = []
    private(set) var traffic: [Line] = []
    /// The readings by channel. NaN breaks a line.
    private(set) var readings: [Int: [(time: Double, values: [Float])]] = [:]
    /// The end time of the last history. nil from a clear until the next history has arrived.
    private(set) var ready: Double?
    private(set) var clears = 0
    private var pings = 0

    init(_ page: PageClient) { self.page = page }

    func process(_ frame: PageClient.Frame) throws {
        switch frame {
        case .text(let text): process(try PageClient.object(text))
        case .binary(let bytes):
            let channels = hello["channels"] as? [[String: Any]] ?? []
            let axes = try #require(channels[Int(bytes[1])]["axes"] as? [String])
            let new = try PageClient.readings(bytes, axes: axes.count)
            readings[new.channel, default: []] += zip(new.times, new.values).map { ($0, $1) }
        case .ping: pings += 1
        case .close(let code): throw PageClient.Unexpected(what: "closed with \(code)")
        }
    }

    private func process(_ message: [String: Any]) {
        let type = message["type"] as? String ?? ""
        switch type {
        case "hello": hello = message
        case "playback": playback = message
        case "clear":
            (locations, traffic, readings, ready) = ([], [], [:], nil)
            clears += 1
        case "ready": ready = message["t"] as? Double
        case "location":
            locations.append(message)
            messages["locationFailed"] = nil
        case "traffic":
            traffic.append(
                Line(
                    time: message["t"] as? Double ?? -1, id: message["id"] as? Int ?? -1,
                    direction: message["direction"] as? String ?? "", bytes: message["bytes"] as? String ?? ""))
        default: messages[type] = message
        }
    }

    /// Processes frames until the condition is true. Fails after two pings: the server sends three pings per minute and
    /// disconnects a page that answers none of three.
    func wait(
        for what: Comment, sourceLocation: SourceLocation = #_sourceLocation,
        until isSatisfied: (DashboardPicture) -> Bool
    ) throws {
        let former = pings
        while !isSatisfied(self) {
            guard pings - former < 2 else {
                Issue.record("In vain: \(what)", sourceLocation: sourceLocation)
                throw PageClient.Unexpected(what: "nothing")
            }
            try process(try page.frame())
        }
    }

    /// Sends a command and returns "done" or "refused".
    func command(_ members: String) throws -> String {
        try page.command(members, passing: process)["type"] as? String ?? ""
    }

    /// Seeks to a time and waits until its history has arrived.
    func seek(_ position: Double) throws {
        let former = clears
        #expect(try command(#""do":"seek","t":\#(position)"#) == "done")
        try wait(for: "the place \(position)") { $0.clears > former && abs(($0.ready ?? -1) - position) < 0.01 }
    }

    func list(_ type: String) -> [[String: Any]] { messages[type]?["list"] as? [[String: Any]] ?? [] }

    var attached: [[String: Any]] { list("accessories").filter { $0["connected"] as? Bool == true } }

    func region(_ name: String) -> [String: Any]? { list("regions").first { $0["id"] as? String == name } }
}
