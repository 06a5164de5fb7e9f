// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import GPSDProtocol
import TestSupport
import Testing

@Suite("Malformed gpsd reports")
struct RobustnessTests {
    @Test("A report truncated at any byte is returned as malformed")
    func truncatedAnywhere() throws {
        var decoder = GPSDDecoder()
        for line in try Corpus.lines() where line.isReport {
            line.bytes.withUnsafeBytes { bytes in
                // The many long lines are similar: each is truncated at every eleventh byte, at offsets that depend on
                // the line number.
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
        "A malformed report has a reason and an offset",
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
    func reportsReason(text: String, reason: GPSDMalformedReport) {
        #expect(GPSDDecoder.decode(text).malformed == reason)
    }

    @Test("100,000 levels of nesting are rejected without deep recursion", arguments: ["[", "{\"a\":", "[{\"class\":"])
    func deepNesting(opening: String) {
        let deep = String(repeating: opening, count: 100_000)
        for text in ["{\"class\":\"TPV\",\"x\":\(deep)", "{\"class\":\"SKY\",\"satellites\":[{\"x\":\(deep)", deep] {
            let reason = GPSDDecoder.decode(text).malformed?.reason
            #expect(reason == (text.hasPrefix("{") ? .tooDeep : .notAnObject))
        }
    }

    @Test("Truncated UTF-8 is replaced and does not invalidate the report")
    func truncatedUTF8() {
        var decoder = GPSDDecoder()
        let line = [UInt8]("{\"class\":\"TPV\",\"device\":\"/dev/".utf8) + [0xe2, 0x82] + [UInt8]("\",\"lat\":1}".utf8)
        for _ in 0..<2 {
            let position = decoder.decode(line).position
            #expect(position?.receiver == "/dev/\u{fffd}" && position?.latitude == 1)
        }
    }

    @Test("A report of more than 64 KiB is decoded")
    func longReport() {
        let members = (0..<6000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let text = "{\"class\":\"TPV\",\(members),\"lat\":1}"
        #expect(text.utf8.count > 64 * 1024)
        #expect(GPSDDecoder.decode(text).position?.latitude == 1)
    }

    @Test("100,000 mutated reports are decoded as by Foundation or rejected")
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
            if case .malformed(let reason) = report {
                // Foundation accepts a comma after the last member.
                if members?["class"] is String, !text.contains(/,\s*[}\]]/) { Issue.record("\(reason): \(text)") }
            } else if members == nil, bytes.allSatisfy({ $0 < 0x80 }), !text.contains(/[0-9][eE][0-9]/) {
                // Foundation rejects invalid UTF-8 and numbers beyond the range of Double.
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
        // Many mutations change a digit or an ignored key and leave a valid report.
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
            // Inserts a copy of a part of the line at a random position.
            let chunk = bytes[index..<min(index + Int.random(in: 0..<12, using: &random), bytes.count)]
            bytes.insert(contentsOf: [UInt8](chunk), at: Int.random(in: 0..<bytes.count, using: &random))
        default: bytes.removeLast(min(Int.random(in: 0..<40, using: &random), bytes.count))
        }
    }
}
