// SPDX-License-Identifier: Apache-2.0

/// Mutates receiver logs: lines, and the fields in lines. Corrects the checksums of changed sentences.
let mutateNMEA: Mutator = { bytes, dice, limit in
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
    guard let place = lines.indices.randomElement(using: &dice), !dice.isOne(in: 5) else {
        return mutateRaw(&bytes, limit: limit)
    }
    if dice.isOne(in: 6) {
        mutateList(&lines, &dice)
    } else if var sentence = Sentence(lines[place]) {
        let other = dice.pick(lines).flatMap { Sentence($0) } ?? sentence
        for _ in 0...dice.below(3) { sentence.mutate(other, &dice) }
        if dice.isOne(in: 5) { lines.insert(sentence.bytes, at: place) } else { lines[place] = sentence.bytes }
    } else {
        mutateRaw(&lines[place], limit: lines[place].count + 16)
    }
    bytes = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
}

private struct Sentence {
    /// The part of the line before the sentence, including the first byte of the sentence.
    private let head: [UInt8]
    private var fields: [[UInt8]]
    /// The part of the line after the checksum.
    private let tail: [UInt8]

    init?(_ line: [UInt8]) {
        guard let start = line.lastIndex(where: { $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "!") }) else {
            return nil
        }
        let end = line[start...].firstIndex(of: UInt8(ascii: "*"))
        head = Array(line[...start])
        let lineEnd = line.last == UInt8(ascii: "\r") ? line.count - 1 : line.count
        let text = line[(start + 1)..<max(start + 1, end ?? lineEnd)]
        fields = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(Array.init)
        tail = end.map { Array(line[$0...].dropFirst(3)) } ?? []
    }

    mutating func mutate(_ other: Sentence, _ dice: inout Dice) {
        guard let place = fields.indices.randomElement(using: &dice) else { return fields.append([]) }
        switch dice.below(8) {
        case 0: fields[place] = dice.pick(other.fields) ?? []
        case 1: mutateList(&fields, &dice)
        case 2: fields[0] = dice.pick(other.fields.prefix(1) + names.map { Array($0.utf8) }) ?? []
        case 3, 4: fields[place] = Array((dice.pick(edges) ?? "").utf8)
        case 5:
            guard let digit = fields[place].indices.randomElement(using: &dice) else { return }
            fields[place][digit] = UInt8(ascii: "0") + UInt8(dice.below(10))
        case 6:
            fields[place].insert(
                dice.pick(Array("0123456789.-,*\\$".utf8)) ?? 0x30, at: dice.below(fields[place].count + 1))
        default: mutateRaw(&fields[place], limit: fields[place].count + 6)
        }
    }

    var bytes: [UInt8] {
        let text = Array(fields.joined(separator: [UInt8(ascii: ",")]))
        let sum = text.reduce(UInt8(0)) { $0 ^ $1 }
        let digits = Array("0123456789ABCDEF".utf8)
        return head + text + [UInt8(ascii: "*"), digits[Int(sum >> 4)], digits[Int(sum & 15)]] + tail
    }
}

private let names = [
    "GPRMC", "GNRMC", "GPGGA", "GNGNS", "GPGLL", "GPVTG", "GPZDA", "GPGSA", "GNGSA", "GPGSV", "GLGSV", "GAGSV", "GPGST",
    "GPGBS",
    "HCHDG", "GPHDT", "PUBX", "PMTK", "GPTXT", "SDDBT",
]

private let edges = [
    "", "0", "00", "1", "-1", "A", "V", "N", "S", "E", "W", "M", "D", "R", "F", "235959.999", "235960.00", "240000",
    "000000.00",
    "9000.0000", "9000.0001", "18000.0000", "18000.0001", "4960.0000", "0000.00", "310199", "290299", "311299",
    "010100", "999",
    "99.99", "0.0", "1e5", "-0", "4294967296", "99999999999999999999", "0.00000000000001", "360.0", "nan", "inf",
]
