// SPDX-License-Identifier: Apache-2.0

import DeviceCore

struct CSVColumnMapParser {
    struct Entry {
        var key: String
        var value: String
        var unit: String?
        var isQuoted = false

        func error(_ what: String) -> DeviceError {
            CSVColumnMap.error("\"\(description)\" in the column map: \(what)")
        }

        var description: String { "\(key)=\(isQuoted ? "\"\(value)\"" : value)\(unit.map { ":\($0)" } ?? "")" }
    }

    private let bytes: [UInt8]
    private var at = 0

    init(_ text: String) { bytes = [UInt8](text.utf8) }

    mutating func next() throws(DeviceError) -> Entry? {
        skipWhitespace()
        while at < bytes.count, bytes[at] == UInt8(ascii: ",") {
            at += 1
            skipWhitespace()
        }
        guard at < bytes.count else { return nil }
        let key = word(until: "=,")
        guard at < bytes.count, bytes[at] == UInt8(ascii: "="), !key.isEmpty else {
            throw CSVColumnMap.error(
                "\"\(key)\" in the column map is not a valid entry. Write QUANTITY=COLUMN or QUANTITY=COLUMN:UNIT, for example speed=v:km/h."
            )
        }
        at += 1
        skipWhitespace()
        var entry = Entry(key: key, value: "")
        if at < bytes.count, bytes[at] == UInt8(ascii: "\"") {
            entry.value = try quoted(key)
            entry.isQuoted = true
        } else {
            entry.value = word(until: ",:")
        }
        if at < bytes.count, bytes[at] == UInt8(ascii: ":") {
            at += 1
            entry.unit = word(until: ",")
        }
        guard !entry.value.isEmpty else {
            throw CSVColumnMap.error(
                "\"\(entry.description)\" in the column map has no column. Add its name, or # and its number.")
        }
        return entry
    }

    private mutating func quoted(_ key: String) throws(DeviceError) -> String {
        var name: [UInt8] = []
        at += 1
        while at < bytes.count {
            if bytes[at] == UInt8(ascii: "\"") {
                at += 1
                guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
                    skipWhitespace()
                    guard at >= bytes.count || bytes[at] == UInt8(ascii: ",") || bytes[at] == UInt8(ascii: ":") else {
                        throw CSVColumnMap.error(
                            "The quoted column of \(key) in the column map must be followed by a comma, or by a colon and a unit. Double a quote in a name."
                        )
                    }
                    return String(decoding: name, as: UTF8.self)
                }
            }
            name.append(bytes[at])
            at += 1
        }
        throw CSVColumnMap.error("The quote before the column of \(key) in the column map is never closed.")
    }

    /// Returns the text up to one of the given bytes, without surrounding white space.
    private mutating func word(until ends: StaticString) -> String {
        let start = at
        while at < bytes.count, !ends.withUTF8Buffer({ $0.contains(bytes[at]) }) { at += 1 }
        var word = bytes[start..<at]
        while let last = word.last, last == 0x20 || last == 0x09 || last == 0x0a || last == 0x0d { word.removeLast() }
        while let first = word.first, first == 0x20 || first == 0x09 { word.removeFirst() }
        return String(decoding: word, as: UTF8.self)
    }

    private mutating func skipWhitespace() {
        while at < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[at]) { at += 1 }
    }
}
