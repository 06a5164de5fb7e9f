// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import MQTTPublisher

@Suite("Spool lines")
struct SpoolLineTests {
    private static let record = SpoolRecord(
        number: 42, kind: .position, topic: "owntracks/a/b", payload: Array(#"{"_type": "location"}"#.utf8))

    private static func read(_ bytes: some Sequence<UInt8>) -> SpoolLine? {
        Array(bytes).withUnsafeBytes { SpoolLine($0) }
    }

    @Test("The checksum of a line is FNV-1a of the following bytes")
    func text() {
        // FNV-1a of "7 A", computed in Python.
        #expect(String(decoding: SpoolLine.acknowledged(through: 7).bytes, as: UTF8.self) == "352572180f334319 7 A\n")
        let line = String(decoding: SpoolLine.record(Self.record).bytes, as: UTF8.self)
        #expect(line.hasSuffix(" 42 P owntracks/a/b {\"_type\": \"location\"}\n"))
    }

    @Test("A written line is parsed back unchanged")
    func roundTrip() {
        for line in [SpoolLine.record(Self.record), .acknowledged(through: 0), .acknowledged(through: 1 << 61)] {
            #expect(Self.read(line.bytes.dropLast()) == line)
        }
    }

    @Test("A line that is truncated or has a flipped bit is rejected")
    func damage() {
        let whole = Array(SpoolLine.record(Self.record).bytes.dropLast())
        for length in whole.indices { #expect(Self.read(whole.prefix(length)) == nil, "\(length) bytes are read") }
        for index in whole.indices {
            for bit in 0..<8 {
                var bytes = whole
                bytes[index] ^= 1 << UInt8(bit)
                #expect(Self.read(bytes) == nil, "bit \(bit) of byte \(index) is not missed")
            }
        }
    }
}
