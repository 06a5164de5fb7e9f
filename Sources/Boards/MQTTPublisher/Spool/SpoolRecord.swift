// SPDX-License-Identifier: Apache-2.0

/// A message that waits for the broker.
package struct SpoolRecord: Sendable, Equatable {
    /// What it is.
    package enum Kind: UInt8, Sendable {
        /// A position, of which the broker keeps the last.
        case position = 0x50
        /// Readings of a sensor.
        case readings = 0x52
    }

    /// Rises from record to record.
    var number: UInt64
    var kind: Kind
    var topic: String
    /// Holds no newline.
    var payload: [UInt8]
}

/// A line of a spool's file: `CHECK NUMBER P TOPIC PAYLOAD` for a record, with R in the place of P for readings, and
/// `CHECK NUMBER A` when the broker has taken all up to that number. CHECK is FNV-1a of what follows it, as 16 digits.
package enum SpoolLine: Equatable {
    case record(SpoolRecord)
    case taken(through: UInt64)

    /// The most bytes of a line, its newline included. A longer message is refused.
    static let limit = 65_536

    /// The line, with its newline.
    package var bytes: [UInt8] {
        var body: [UInt8] = []
        switch self {
        case .record(let record):
            body.reserveCapacity(record.payload.count + record.topic.utf8.count + 24)
            body += "\(record.number) ".utf8
            body += [record.kind.rawValue, Self.blank]
            body += record.topic.utf8
            body.append(Self.blank)
            body += record.payload
        case .taken(let number): body += "\(number) A".utf8
        }
        return Self.digits(body.withUnsafeBytes { Self.check($0) }) + [Self.blank] + body + [UInt8(ascii: "\n")]
    }

    /// Reads a line without its newline; nil when it was cut off, or is damaged.
    package init?(_ line: UnsafeRawBufferPointer) {
        guard line.count > 17, line[16] == Self.blank else { return nil }
        let body = UnsafeRawBufferPointer(rebasing: line[17...])
        guard line[..<16].elementsEqual(Self.digits(Self.check(body))) else { return nil }
        let parts = body.split(separator: Self.blank, maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 2, let number = UInt64(String(decoding: parts[0], as: UTF8.self)),
            number < 1 << 62, parts[1].count == 1, let letter = parts[1].first
        else { return nil }
        if letter == UInt8(ascii: "A"), parts.count == 2 {
            self = .taken(through: number)
            return
        }
        guard let kind = SpoolRecord.Kind(rawValue: letter), parts.count == 4, !parts[2].isEmpty else { return nil }
        self = .record(
            SpoolRecord(
                number: number, kind: kind, topic: String(decoding: parts[2], as: UTF8.self), payload: Array(parts[3])))
    }

    private static let blank = UInt8(ascii: " ")

    private static func check(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    private static func digits(_ number: UInt64) -> [UInt8] {
        (0..<16).map { place in
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * place)) & 15
            return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        }
    }
}
