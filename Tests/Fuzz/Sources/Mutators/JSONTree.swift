// SPDX-License-Identifier: Apache-2.0

/// A JSON tree for a mutator. Members keep their order and may be duplicates, and numbers, words and texts are kept as
/// bytes. Shares no code with the readers that are fuzzed.
indirect enum JSONTree {
    /// A number, a word, or a text with its quotes.
    case atom([UInt8])
    case array([JSONTree])
    /// Keys with their quotes.
    case object([(key: [UInt8], value: JSONTree)])

    /// nil if the bytes are not one value, or if the value is nested too deeply for a mutator.
    init?(_ bytes: some Collection<UInt8>) {
        var scanner = Scanner(bytes: Array(bytes))
        guard let tree = scanner.value(depth: 0), scanner.next() == nil else { return nil }
        self = tree
    }

    var bytes: [UInt8] {
        switch self {
        case .atom(let bytes): return bytes
        case .array(let elements):
            return [UInt8(ascii: "[")] + elements.map(\.bytes).joined(separator: [UInt8(ascii: ",")])
                + [UInt8(ascii: "]")]
        case .object(let members):
            let parts = members.map { $0.key + [UInt8(ascii: ":")] + $0.value.bytes }
            return [UInt8(ascii: "{")] + parts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")]
        }
    }

    /// The number of values, including this one.
    var count: Int {
        switch self {
        case .atom: 1
        case .array(let elements): elements.reduce(1) { $0 + $1.count }
        case .object(let members): members.reduce(1) { $0 + $1.value.count }
        }
    }

    /// Changes the value with this number, counted from 0 for the root.
    mutating func change(_ number: Int, _ change: (inout JSONTree) -> Void) {
        guard number > 0 else { return change(&self) }
        var left = number - 1
        switch self {
        case .atom: return
        case .array(var elements):
            guard let place = Self.place(of: &left, counts: elements.map(\.count)) else { return }
            elements[place].change(left, change)
            self = .array(elements)
        case .object(var members):
            guard let place = Self.place(of: &left, counts: members.map(\.value.count)) else { return }
            members[place].value.change(left, change)
            self = .object(members)
        }
    }

    private static func place(of number: inout Int, counts: [Int]) -> Int? {
        for (place, count) in counts.enumerated() {
            if number < count { return place }
            number -= count
        }
        return nil
    }

    private struct Scanner {
        let bytes: [UInt8]
        var at = 0

        /// The next byte that is not whitespace.
        mutating func next() -> UInt8? {
            while at < bytes.count, bytes[at] <= 0x20 { at += 1 }
            return at < bytes.count ? bytes[at] : nil
        }

        private mutating func consume(_ byte: UInt8) -> Bool {
            guard next() == byte else { return false }
            at += 1
            return true
        }

        mutating func value(depth: Int) -> JSONTree? {
            guard depth < 32, let byte = next() else { return nil }
            if byte == UInt8(ascii: "\"") { return text().map { .atom($0) } }
            if consume(UInt8(ascii: "[")) {
                var elements: [JSONTree] = []
                if consume(UInt8(ascii: "]")) { return .array([]) }
                repeat {
                    guard let element = value(depth: depth + 1) else { return nil }
                    elements.append(element)
                } while consume(UInt8(ascii: ","))
                return consume(UInt8(ascii: "]")) ? .array(elements) : nil
            }
            if consume(UInt8(ascii: "{")) {
                var members: [(key: [UInt8], value: JSONTree)] = []
                if consume(UInt8(ascii: "}")) { return .object([]) }
                repeat {
                    guard next() == UInt8(ascii: "\""), let key = text(), consume(UInt8(ascii: ":")),
                        let value = value(depth: depth + 1)
                    else { return nil }
                    members.append((key, value))
                } while consume(UInt8(ascii: ","))
                return consume(UInt8(ascii: "}")) ? .object(members) : nil
            }
            let start = at
            while at < bytes.count, bytes[at] > 0x20, !"[]{},:\"".utf8.contains(bytes[at]) { at += 1 }
            return at > start ? .atom(Array(bytes[start..<at])) : nil
        }

        private mutating func text() -> [UInt8]? {
            let start = at
            at += 1
            while at < bytes.count {
                if bytes[at] == UInt8(ascii: "\\") {
                    at += 2
                } else {
                    at += 1
                    if bytes[at - 1] == UInt8(ascii: "\"") { return Array(bytes[start..<at]) }
                }
            }
            return nil
        }
    }
}
