// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import GPSDProtocol
import Testing

@testable import GPSDSimulator

@Suite("Dialogues recorded with Debian's gpsd 3.22")
struct GPSDGoldenDialogueTests {
    struct Dialogue: Decodable {
        var receivers: Int
        /// The steps: a request, sent in one piece, and its answer.
        var steps: [[String]]
    }

    static func dialogues() throws -> [Dialogue] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("gpsd-3.22-dialogue.jsonl")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Dialogue.self, from: Data($0.utf8))
        }
    }

    /// Converts each character to one byte, as in the files of dialogues.
    private static func bytes(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }

    /// Returns the reports of a receiver from a recorded answer to ?POLL.
    private static func reports(_ dialogues: [Dialogue], _ key: String, of receiver: String) throws -> [UInt8] {
        let answer = try #require(
            dialogues.flatMap(\.steps).map { $0[1] }.first { $0.contains(#"{"class":"POLL""#) && $0.contains(receiver) }
        )
        let poll = try #require(answer.split(separator: "\r\n").first { $0.hasPrefix(#"{"class":"POLL""#) })
        let list = try #require(poll.range(of: "\"\(key)\":["))
        // Ends with the receiver's object.
        let start = try #require(
            poll.range(
                of: "{\"class\":\"\(key.uppercased())\",\"device\":\"\(receiver)\"",
                range: list.upperBound..<poll.endIndex))
        var depth = 0
        var end = start.lowerBound
        repeat {
            if poll[end] == "{" { depth += 1 }
            if poll[end] == "}" { depth -= 1 }
            end = poll.index(after: end)
        } while depth > 0
        return Array(poll[start.lowerBound..<end].utf8)
    }

    private static func state(_ count: Int, _ dialogues: [Dialogue], _ now: WallTime) throws -> GPSDState {
        var receivers: [SimulatedReceiver] = []
        for number in 0..<count {
            var description = ReceiverDescription()
            (description.path, description.driver) = ("udp://127.0.0.1:1000\(number)", "NMEA0183")
            var receiver = SimulatedReceiver(description: description, activation: now, isPresent: true)
            receiver.lastPosition = try reports(dialogues, "tpv", of: description.path)
            receiver.lastSky = try reports(dialogues, "sky", of: description.path)
            receivers.append(receiver)
        }
        return GPSDState(version: GPSDState.defaultVersion, receivers: receivers)
    }

    @Test("Every answer is identical byte for byte")
    func replays() throws {
        let dialogues = try Self.dialogues()
        #expect(dialogues.count > 200)
        let now = try #require(CivilDate.time(year: 2026, month: 1, day: 1))
        for dialogue in dialogues {
            var session = GPSDDialogue(try Self.state(dialogue.receivers, dialogues, now), now: now)
            #expect(session.greeting == Self.bytes(dialogue.steps[0][1]))
            for step in dialogue.steps.dropFirst() {
                var reply = session.reply(to: Self.bytes(step[0]))
                var expected = Self.bytes(step[1])
                if expected.count == GPSDState.maximumReplySize {
                    // gpsd truncates the last line in its own way if the reply exceeds its buffer.
                    let end = try #require(expected.lastIndex(of: 10))
                    #expect(reply.count == expected.count)
                    (reply, expected) = (Array(reply[...end]), Array(expected[...end]))
                }
                #expect(
                    reply == expected,
                    "\(dialogue.receivers) receivers, \(step[0]): \(String(decoding: reply, as: UTF8.self))")
            }
        }
    }
}
