// SPDX-License-Identifier: Apache-2.0

/// Mutates MCAP without its magic bytes: records, and the texts and messages in records. Corrects lengths and
/// checksums.
let mutateMCAP: Mutator = { bytes, dice, limit in
    var records = MCAPPiece.list(bytes)
    guard !records.isEmpty, !dice.isOne(in: 6) else { return mutateRaw(&bytes, limit: limit) }
    for _ in 0...dice.below(2) { mutate(&records, &dice) }
    bytes = records.flatMap(\.bytes)
}

private func mutate(_ records: inout [MCAPPiece], _ dice: inout Dice) {
    guard let place = records.indices.randomElement(using: &dice) else { return }
    switch dice.below(8) {
    case 0: mutateList(&records, &dice)
    case 1:
        // Moves some records into a separate chunk.
        let end = min(records.count, place + 1 + dice.below(4))
        let inner = records[place..<end].flatMap(\.bytes)
        records.replaceSubrange(place..<end, with: [MCAPPiece(code: 6, contents: MCAPPiece.chunk(inner))])
    case 2: records[place].code = UInt8(dice.below(17))
    default: records[place].mutate(&dice)
    }
}

/// An MCAP record (mcap.dev/spec) for a mutator.
private struct MCAPPiece {
    var code: UInt8
    var contents: [UInt8]

    /// Returns the records of a file. A truncated end remains in a record with a wrong length.
    static func list(_ bytes: [UInt8]) -> [MCAPPiece] {
        var (list, rest) = ([MCAPPiece](), bytes[...])
        while rest.count >= 9, list.count < 200 {
            let length = min(number(rest.dropFirst(), 8), rest.count - 9)
            list.append(MCAPPiece(code: rest.first ?? 0, contents: Array(rest.dropFirst(9).prefix(length))))
            rest = rest.dropFirst(9 + length)
        }
        return list
    }

    var bytes: [UInt8] { [code] + Self.little(contents.count, 8) + contents }

    /// A chunk without compression.
    static func chunk(_ records: [UInt8]) -> [UInt8] {
        let size = little(records.count, 8)
        let parts: [[UInt8]] = [
            little(1, 8), little(2, 8), size, little(Int(crc(records)), 4), little(0, 4), size, records,
        ]
        return Array(parts.joined())
    }

    mutating func mutate(_ dice: inout Dice) {
        switch code {
        case 1: mutateTexts(behind: 0, count: 2, &dice)
        case 3: mutateTexts(behind: 2, count: 3, &dice)
        case 4: mutateTexts(behind: 4, count: 3, &dice)
        case 12: mutateTexts(behind: 0, count: 2, &dice)
        case 5 where contents.count > 22:
            let head = Array(contents.prefix(22))
            var data = Array(contents.dropFirst(22))
            if var tree = JSONTree(data), !dice.isOne(in: 4) {
                mutateJSON(&tree, &dice)
                data = tree.bytes
            } else {
                mutateRaw(&data, limit: data.count + 8)
            }
            contents = head + data
        case 6 where contents.count > 40 && Self.number(contents.dropFirst(28), 4) == 0:
            var inner = Self.list(Array(contents.dropFirst(40)))
            Fuzz.mutate(&inner, &dice)
            contents = Self.chunk(inner.flatMap(\.bytes))
        default: mutateRaw(&contents, limit: contents.count + 8)
        }
    }

    /// Mutates one of the length-prefixed texts after the first `head` bytes.
    private mutating func mutateTexts(behind head: Int, count: Int, _ dice: inout Dice) {
        var (texts, rest) = ([[UInt8]](), contents.dropFirst(head))
        for _ in 0..<count where rest.count >= 4 {
            let length = min(Self.number(rest, 4), rest.count - 4)
            texts.append(Array(rest.dropFirst(4).prefix(length)))
            rest = rest.dropFirst(4 + length)
        }
        guard !texts.isEmpty, !dice.isOne(in: 5) else { return mutateRaw(&contents, limit: contents.count + 8) }
        let place = dice.below(texts.count)
        if dice.isOne(in: 2), let word = dice.pick(words) {
            texts[place] = Array(word.utf8)
        } else if var tree = JSONTree(texts[place]) {
            mutateJSON(&tree, &dice)
            texts[place] = tree.bytes
        } else {
            mutateRaw(&texts[place], limit: texts[place].count + 8)
        }
        let middle: [UInt8] = texts.flatMap { Self.little($0.count, 4) + $0 }
        contents = Array(contents.prefix(head)) + middle + Array(rest)
    }

    private static func number(_ bytes: some Collection<UInt8>, _ count: Int) -> Int {
        Int(bytes.prefix(count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & 0x7FFF_FFFF)
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// CRC-32 as in zlib.
    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { sum, byte in
            var sum = sum ^ UInt32(byte)
            for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
            return sum
        }
    }
}

private let words = [
    "", "json", "protobuf", "jsonschema", "foxglove.LocationFix", "gpsd.Report", "device_services.Vector",
    "device_services.Event",
    "/gpsd", "/fix", "/events", "/gyroscope/g", "device-services-trace", "header", "derived-from", "zstd", "lz4",
]
