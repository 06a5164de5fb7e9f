// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import GPSDProtocol
import TestSupport
import Testing

@Suite("Broken input")
struct RobustnessTests {
    @Test("Every report cut at every byte is malformed as a whole")
    func cutAnywhere() throws {
        var decoder = GPSDDecoder()
        for line in try Corpus.lines() where line.isReport {
            line.bytes.withUnsafeBytes { bytes in
                // Long lines are many and alike: each is cut at every eleventh byte, and the next one elsewhere.
                let step = bytes.count > 1000 ? 11 : 1
                for count in stride(from: line.number % step, to: bytes.count, by: step) {
                    let report = decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                    if report.malformed?.reason != .truncated {
                        Issue.record("\(line.file):\(line.number) cut after \(count) bytes")
                    }
                }
            }
        }
    }

    @Test(
        "Lines that are no reports say why",
        arguments: [
            ("", GPSDMalformedReport(.truncated, at: 0)), ("  ", GPSDMalformedReport(.truncated, at: 2)),
            ("$GPGGA,1,2*00", GPSDMalformedReport(.notAnObject, at: 0)),
            ("[{}]", GPSDMalformedReport(.notAnObject, at: 0)),
            ("\0\0\0", GPSDMalformedReport(.notAnObject, at: 0)), ("{}", GPSDMalformedReport(.noClass, at: 0)),
            ("{\"a\":1}", GPSDMalformedReport(.noClass, at: 0)),
            ("{\"class\":1}", GPSDMalformedReport(.noClass, at: 0)),
            ("{\"class\":\"TPV\"}}", GPSDMalformedReport(.invalid, at: 15)),
            ("{\"class\":\"TPV\"}\0", GPSDMalformedReport(.invalid, at: 15)),
            ("{\"class\":\"TPV\",\"lat\":-}", GPSDMalformedReport(.invalid, at: 22)),
            ("{\"class\":\"TPV\",\"lat\":01}", GPSDMalformedReport(.invalid, at: 22)),
            ("{\"class\":\"TPV\",\"lat\":1 \"lon\":2}", GPSDMalformedReport(.invalid, at: 23)),
            ("{\"class\":\"TPV\",\"lat\":1", GPSDMalformedReport(.truncated, at: 22)),
            ("{\"class\":\"TPV\",\"device\":\"a\u{1}\"}", GPSDMalformedReport(.invalid, at: 26)),
        ]
    )
    func saysWhy(text: String, why: GPSDMalformedReport) {
        #expect(GPSDDecoder.decode(text).malformed == why)
    }

    @Test("100,000 levels are refused without a deep stack", arguments: ["[", "{\"a\":", "[{\"class\":"])
    func deepNesting(opening: String) {
        let deep = String(repeating: opening, count: 100_000)
        for text in ["{\"class\":\"TPV\",\"x\":\(deep)", "{\"class\":\"SKY\",\"satellites\":[{\"x\":\(deep)", deep] {
            let reason = GPSDDecoder.decode(text).malformed?.reason
            #expect(reason == (text.hasPrefix("{") ? .tooDeep : .notAnObject))
        }
    }

    @Test("Cut UTF-8 is replaced and does not lose the report")
    func cutUTF8() {
        var decoder = GPSDDecoder()
        let line = [UInt8]("{\"class\":\"TPV\",\"device\":\"/dev/".utf8) + [0xe2, 0x82] + [UInt8]("\",\"lat\":1}".utf8)
        for _ in 0..<2 {
            let position = decoder.decode(line).position
            #expect(position?.receiver == "/dev/\u{fffd}" && position?.latitude == 1)
        }
    }

    @Test("A report of 64 KB is read")
    func longReport() {
        let members = (0..<6000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let text = "{\"class\":\"TPV\",\(members),\"lat\":1}"
        #expect(text.utf8.count > 64 * 1024)
        #expect(GPSDDecoder.decode(text).position?.latitude == 1)
    }

    @Test("100,000 mutated reports read as Foundation reads them, or not at all")
    func mutations() throws {
        let lines = try Corpus.lines().filter { $0.isReport && $0.bytes.count < 700 }
        var random = SeededGenerator(seed: 2026)
        var decoder = GPSDDecoder()
        var intact = 0
        for _ in 0..<100_000 {
            var bytes = lines[Int.random(in: 0..<lines.count, using: &random)].bytes
            for _ in 0...Int.random(in: 0..<3, using: &random) { Self.mutate(&bytes, &random) }
            let report = decoder.decode(bytes)
            let members = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
            let text = String(decoding: bytes, as: UTF8.self)
            if case .malformed(let why) = report {
                // Foundation takes a comma behind the last member.
                if members?["class"] is String, !text.contains(/,\s*[}\]]/) { Issue.record("\(why): \(text)") }
            } else if members == nil, bytes.allSatisfy({ $0 < 0x80 }), !text.contains(/[0-9][eE][0-9]/) {
                // It refuses invalid UTF-8 and numbers beyond the range of Double.
                Issue.record("not JSON: \(text)")
            }
            if let position = report.position, let members {
                intact += 1
                for (key, value, range) in [
                    ("lat", position.latitude, -90...90), ("speed", position.speed, 0...20_000),
                    ("eph", position.horizontalError, Double.leastNonzeroMagnitude...1e8),
                ] {
                    let expected = (members[key] as? NSNumber)?.doubleValue ?? .nan
                    #expect(range.contains(expected) ? expected == value : value.isNaN)
                }
            }
        }
        // Many mutations hit a digit or an unread key and leave a valid report.
        #expect(intact > 10_000)
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes[index] = UInt8(truncatingIfNeeded: Int.random(in: 0..<256, using: &random))
        case 1: bytes[index] ^= 1 << UInt8(Int.random(in: 0..<8, using: &random))
        case 2: bytes.remove(at: index)
        case 3: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: index)
        case 4: bytes[index] = [UInt8]("0123456789.-+eE{}[]\":,\\ ".utf8)[Int.random(in: 0..<24, using: &random)]
        case 5: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &random))
        case 6:
            // A piece of the line once more, somewhere else.
            let piece = bytes[index..<min(index + Int.random(in: 0..<12, using: &random), bytes.count)]
            bytes.insert(contentsOf: [UInt8](piece), at: Int.random(in: 0..<bytes.count, using: &random))
        default: bytes.removeLast(min(Int.random(in: 0..<40, using: &random), bytes.count))
        }
    }
}
