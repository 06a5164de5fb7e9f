// SPDX-License-Identifier: Apache-2.0

/// A queued message for the broker.
package struct SpoolRecord: Sendable, Equatable {
    /// The kind of message. The raw value is the letter that represents it in a line.
    package enum Kind: UInt8, Sendable {
        /// A position. The broker retains the last position.
        case position = 0x50
        case readings = 0x52
    }

    var number: UInt64
    var kind: Kind
    var topic: String
    /// The payload, which contains no newline.
    var payload: [UInt8]
}

/// A line in a spool file. A position has the format `CHECK NUMBER P TOPIC PAYLOAD`. Readings have `R` instead of `P`.
/// `CHECK NUMBER A` means that the broker has acknowledged all records up to that number. `CHECK` is the 64-bit FNV-1a
/// hash of the rest of the line, in 16 hexadecimal digits. Numbers are less than 2^62, so that additions cannot
/// overflow. The format must not change, because the next run reads these lines.
package enum SpoolLine: Equatable {
    case record(SpoolRecord)
    case acknowledged(through: UInt64)

    /// The maximum length of a line, in bytes, including its newline. Longer messages are rejected.
    static let limit = 65_536

    package var bytes: [UInt8] {
        var body: [UInt8] = []
        switch self {
        case .record(let record):
            body.reserveCapacity(record.payload.count + record.topic.utf8.count + 24)
            body += "\(record.number) ".utf8
            body += [record.kind.rawValue, Self.space]
            body += record.topic.utf8
            body.append(Self.space)
            body += record.payload
        case .acknowledged(let number): body += "\(number) A".utf8
        }
        return Self.digits(body.withUnsafeBytes { Self.check($0) }) + [Self.space] + body + [UInt8(ascii: "\n")]
    }

    /// Parses a line without its newline. Returns nil if the line is truncated or damaged.
    package init?(_ line: UnsafeRawBufferPointer) {
        guard line.count > 17, line[16] == Self.space else { return nil }
        let body = UnsafeRawBufferPointer(rebasing: line[17...])
        guard line[..<16].elementsEqual(Self.digits(Self.check(body))) else { return nil }
        let parts = body.split(separator: Self.space, maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 2, let number = UInt64(String(decoding: parts[0], as: UTF8.self)),
            number < 1 << 62, parts[1].count == 1, let letter = parts[1].first
        else { return nil }
        if letter == UInt8(ascii: "A"), parts.count == 2 {
            self = .acknowledged(through: number)
            return
        }
        guard let kind = SpoolRecord.Kind(rawValue: letter), parts.count == 4, !parts[2].isEmpty else { return nil }
        self = .record(
            SpoolRecord(
                number: number, kind: kind, topic: String(decoding: parts[2], as: UTF8.self), payload: Array(parts[3])))
    }

    private static let space = UInt8(ascii: " ")

    private static func check(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    private static func digits(_ number: UInt64) -> [UInt8] {
        (0..<16).map { index in
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * index)) & 15
            return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        }
    }
}
