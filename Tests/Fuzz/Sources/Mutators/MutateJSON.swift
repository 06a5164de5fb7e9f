// SPDX-License-Identifier: Apache-2.0

/// Mutates gpsd reports, which follow a byte with the size of their pieces: lines, and the values, keys and members in
/// lines.
let mutateGPSD: Mutator = { bytes, dice, limit in
    var lines = bytes.dropFirst().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
    let first = dice.isOne(in: 16) ? UInt8(truncatingIfNeeded: dice.below(256)) : bytes.first ?? UInt8(ascii: "@")
    let place = dice.below(lines.count)
    guard !lines.isEmpty, !dice.isOne(in: 4), var tree = JSONTree(lines[place]) else {
        return mutateRaw(&bytes, limit: limit)
    }
    if dice.isOne(in: 8) {
        // A decoder applies to later lines what it has learned about keys and digits from earlier ones.
        mutateList(&lines, &dice)
    } else {
        for _ in 0...dice.below(3) { mutateJSON(&tree, &dice) }
        let end: [UInt8] = lines[place].last == UInt8(ascii: "\r") ? [UInt8(ascii: "\r")] : []
        let changed = dice.isOne(in: 6) ? withBlank(tree.bytes, &dice) : tree.bytes
        if dice.isOne(in: 4) { lines.insert(changed + end, at: place) } else { lines[place] = changed + end }
    }
    bytes = [first] + lines.joined(separator: [UInt8(ascii: "\n")])
}

/// Mutates one value, key or list of members.
func mutateJSON(_ tree: inout JSONTree, _ dice: inout Dice) {
    var own = dice
    tree.change(own.below(tree.count)) { value in
        switch value {
        case .atom(let bytes): value = atom(bytes, &own)
        case .array(var elements):
            if own.isOne(in: 8) { elements = Array(repeatElement(elements.first ?? .array([]), count: own.below(40))) }
            mutateList(&elements, &own)
            value = .array(elements)
        case .object(var members):
            if let place = members.indices.randomElement(using: &own) {
                switch own.below(4) {
                case 0: if let key = own.pick(otherKeys) { members[place].key = Array("\"\(key)\"".utf8) }
                case 1: members[place].key = members[own.below(members.count)].key
                default: mutateList(&members, &own)
                }
            }
            value = .object(members)
        }
    }
    dice = own
}

private func atom(_ bytes: [UInt8], _ dice: inout Dice) -> JSONTree {
    switch dice.below(8) {
    case 0, 1: return .atom(Array((dice.pick(edges) ?? "0").utf8))
    case 2: return dice.isOne(in: 2) ? .array([.atom(bytes)]) : .object([(Array("\"class\"".utf8), .atom(bytes))])
    case 3, 4, 5: return .atom(otherDigits(bytes, &dice))
    default:
        var bytes = bytes
        mutateRaw(&bytes, limit: bytes.count + 8)
        return .atom(bytes)
    }
}

/// The same number with a digit, a point, a sign or an exponent added, removed or moved.
private func otherDigits(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
    var bytes = bytes
    let place = dice.below(bytes.count + 1)
    switch dice.below(4) {
    case 0 where place < bytes.count: bytes.remove(at: place)
    case 1 where place < bytes.count: bytes[place] = UInt8(ascii: "0") + UInt8(dice.below(10))
    case 2:
        bytes.insert(
            contentsOf: repeatElement(UInt8(ascii: "0") + UInt8(dice.below(10)), count: 1 + dice.below(9)), at: place)
    default: bytes.insert(dice.pick(Array(".-+eE0 ".utf8)) ?? UInt8(ascii: "."), at: place)
    }
    return bytes
}

/// Inserts whitespace at any position.
private func withBlank(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
    var bytes = bytes
    bytes.insert(dice.pick(Array(" \t\r".utf8)) ?? 0x20, at: dice.below(bytes.count + 1))
    return bytes
}

/// Numbers and words for which readers take different paths.
private let edges = [
    "0", "-0", "-0.0", "1", "-1", "9", "0.5", "00", "01.5", "1.", ".5", "1e5", "1E-5", "1e400", "-1e400", "5e-324",
    "999999", "9999999", "99999999", "1234567.8", "123456.78", "0.12345678", "0.123456789", "1.12345678901234",
    "1.123456789012345", "1234567.12345678", "1234567.123456789", "-179.999999999", "180.0", "90.000000001",
    "2147483647",
    "2147483648", "-2147483649", "9223372036854775807", "9223372036854775808", "9007199254740993", "255", "256", "4.0",
    "0.1e1", "1.7976931348623157e308", "1.7976931348623159e308", "null", "true", "false", "NaN", "nan", "Infinity",
    "-Infinity", "\"\"", "\"TPV\"", "\"\\u0000\"", "\"\\ud800\"", "{}", "[]", "\"2016-12-31T23:59:60.999999999Z\"",
    "\"9999-12-31T23:59:59Z\"", "\"1969-12-31T23:59:59.5Z\"", "1483228800.0000000001",
]

private let otherKeys = [
    "class", "device", "devices", "mode", "time", "lat", "lon", "altHAE", "leapseconds", "satellites", "PRN", "used",
    "gnssid",
    "ecefvAcc", "cl\\u0061ss", "l\\u0061t", "path", "activated", "mag_x", "", "x",
]
