// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import IIOFormat
import Testing

@testable import IIODSimulator

/// The dialogue was recorded with a directory in place of sysfs. Two answers are those of the kernel's files: the
/// timestamp clock ends with a line feed, and a device without a trigger has an empty `current_trigger`.
@Suite("The dialogue recorded with Debian's iiod 0.24")
struct IIODGoldenDialogueTests {
    struct Exchange: Decodable {
        var request: String
        var response_hex: String
        var eof: Bool

        var response: [UInt8] {
            let digits = Array(response_hex)
            return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                UInt8(String(digits[$0...$0 + 1]), radix: 16)
            }
        }
    }

    static func exchanges() throws -> [Exchange] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("iiod-0.24-dialogue.jsonl")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Exchange.self, from: Data($0.utf8))
        }
    }

    /// The timestamps of the samples in the dialogue, indexed by their number on x. A sample that iiod lost gets a
    /// timestamp just after its predecessor.
    static func stamps(_ exchanges: [Exchange]) throws -> [Int64] {
        var stamps: [Int: Int64] = [:]
        for exchange in exchanges where exchange.request.hasPrefix("READBUF") {
            guard let chunks = Chunks(exchange.response), !chunks.scans.isEmpty else { continue }
            for (number, stamp) in zip(chunks.first, chunks.stamps) { stamps[number] = stamp }
        }
        let last = try #require(stamps.keys.max())
        var result: [Int64] = []
        for number in 0...last { result.append(stamps[number] ?? (result.last ?? 0) + 1) }
        return result
    }

    @Test("Every answer is identical byte for byte")
    func replays() throws {
        let exchanges = try IIODGoldenDialogueTests.exchanges()
        #expect(exchanges.count == 39)
        let track = Fixtures.counting(try IIODGoldenDialogueTests.stamps(exchanges))
        #expect(track.times.count == 24)
        var dialogue = Dialogue(samples: IIORecordedSource([track])) { options in
            options.pace = .onDemand
            options.timestampPolicy = .trace
            options.attributesFollowSamples = false
        }
        for exchange in exchanges {
            let reply = dialogue.send(Array(exchange.request.utf8))
            #expect(
                reply == exchange.response,
                "\(exchange.request): \(String(decoding: reply, as: UTF8.self)), not \(String(decoding: exchange.response, as: UTF8.self))"
            )
            #expect((dialogue.wait == .ended) == exchange.eof)
        }
    }

    @Test("The dialogue works when sent byte by byte")
    func singleBytes() throws {
        let exchanges = try IIODGoldenDialogueTests.exchanges()
        let track = Fixtures.counting(try IIODGoldenDialogueTests.stamps(exchanges))
        var dialogue = Dialogue(samples: IIORecordedSource([track])) { options in
            options.pace = .onDemand
            options.timestampPolicy = .trace
            options.attributesFollowSamples = false
        }
        var replies: [UInt8] = []
        for exchange in exchanges {
            for byte in exchange.request.utf8 { replies += dialogue.send([byte]) }
        }
        let isSame = replies == exchanges.flatMap(\.response)
        #expect(isSame)
    }

    @Test("Pipelined requests yield all answers")
    func pipelined() throws {
        let exchanges = try IIODGoldenDialogueTests.exchanges()
        let track = Fixtures.counting(try IIODGoldenDialogueTests.stamps(exchanges))
        var dialogue = Dialogue(samples: IIORecordedSource([track])) { options in
            options.pace = .onDemand
            options.timestampPolicy = .trace
            options.attributesFollowSamples = false
        }
        #expect(dialogue.send(exchanges.flatMap { Array($0.request.utf8) }) == exchanges.flatMap(\.response))
    }
}
