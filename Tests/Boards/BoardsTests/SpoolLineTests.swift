// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import MQTTPublisher

@Suite("Lines of a spool")
struct SpoolLineTests {
    private static let record = SpoolRecord(
        number: 42, kind: .position, topic: "owntracks/a/b", payload: Array(#"{"_type": "location"}"#.utf8))

    private static func read(_ bytes: some Sequence<UInt8>) -> SpoolLine? {
        Array(bytes).withUnsafeBytes { SpoolLine($0) }
    }

    @Test("A line by hand: its check is FNV-1a of what follows")
    func text() {
        // FNV-1a of "7 A", as three lines of Python compute it.
        #expect(String(decoding: SpoolLine.taken(through: 7).bytes, as: UTF8.self) == "352572180f334319 7 A\n")
        let line = String(decoding: SpoolLine.record(Self.record).bytes, as: UTF8.self)
        #expect(line.hasSuffix(" 42 P owntracks/a/b {\"_type\": \"location\"}\n"))
    }

    @Test("What was written is read")
    func roundTrip() {
        for line in [SpoolLine.record(Self.record), .taken(through: 0), .taken(through: 1 << 61)] {
            #expect(Self.read(line.bytes.dropLast()) == line)
        }
    }

    @Test("A line that was cut off anywhere, or of which any bit is another, is none")
    func damage() {
        let whole = Array(SpoolLine.record(Self.record).bytes.dropLast())
        for length in whole.indices { #expect(Self.read(whole.prefix(length)) == nil, "\(length) bytes are read") }
        for place in whole.indices {
            for bit in 0..<8 {
                var bytes = whole
                bytes[place] ^= 1 << UInt8(bit)
                #expect(Self.read(bytes) == nil, "bit \(bit) of byte \(place) is not missed")
            }
        }
    }
}
