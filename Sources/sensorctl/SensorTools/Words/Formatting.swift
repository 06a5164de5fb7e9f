// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import JSONBytes
package import SensorFusion
import SystemCalls

/// Sanitizes text from other machines and devices for output to a terminal.
package enum TerminalText {
    /// Returns the text as a single line, with line breaks and tabs replaced with spaces. Other control characters are
    /// replaced when the text is written.
    package static func text(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 }) else { return text }
        return TerminalSanitizer.sanitizedLines(text).split(whereSeparator: { $0 == "\n" || $0 == "\t" }).joined(
            separator: " ")
    }

    /// Returns lines for a terminal. Removes all control sequences except those of ``TerminalStyle``.
    package static func lines(_ text: String) -> [UInt8] {
        Array(TerminalSanitizer.sanitizedLines(text).replacing(TerminalStyle.escape, with: "\u{1B}[").utf8)
    }

    /// Returns the text, or nil if it contains invalid UTF-8 or control characters other than tab, line feed and
    /// carriage return. The same rules apply to text in traces.
    package static func plain(_ bytes: some Sequence<UInt8>) -> String? {
        let bytes = Array(bytes)
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || [9, 10, 13].contains($0) }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    static func hasOnlyLettersDigits(_ text: String, and others: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) || others.unicodeScalars.contains($0)
        }
    }

    /// Returns four hexadecimal digits, the usual form of USB vendor and product IDs.
    package static func hex(_ number: UInt16) -> String { HexDigit.text([UInt8(number >> 8), UInt8(number & 0xFF)]) }
}

extension CivilDate {
    /// The date and time with at least three decimals, such as `2026-11-21T03:05:09.000Z`.
    package var timestamp: String {
        var (fraction, decimals) = (nanosecond, 9)
        while decimals > 3, fraction % 10 == 0 { (fraction, decimals) = (fraction / 10, decimals - 1) }
        return iso8601(decimals: decimals)
    }

    /// The date, such as `2026-11-21`.
    package var date: String { String(iso8601(decimals: 0).prefix(10)) }

    /// The time of day, such as `03:05:09`.
    package var timeOfDay: String { String(iso8601(decimals: 0).dropFirst(11).dropLast()) }

    /// The time of day with tenths of a second, such as `03:05:09.1`.
    package var timeOfDayWithTenths: String { "\(timeOfDay).\(nanosecond / 100_000_000)" }
}

extension SensorKind {
    package var nameWithArticle: String { "aeiou".contains(name.prefix(1)) ? "an \(name)" : "a \(name)" }
}

extension PoseCoverage.Side {
    package var displayName: String {
        switch self {
        case .face: "face"
        case .back: "back"
        case .topEdge: "top edge"
        case .bottomEdge: "bottom edge"
        case .rightEdge: "right edge"
        case .leftEdge: "left edge"
        }
    }
}

/// The result of a command, as text for users or as JSON objects for programs.
package protocol Report {
    /// Returns the text, without a trailing line break.
    func text(ink: TerminalStyle) -> String

    /// Writes one JSON object per line. Users' programs read the keys, which must therefore not change.
    func write(to writer: inout JSONWriter)
}

package typealias JSONMembers = KeyValuePairs<StaticString, any JSONWritable>

extension JSONWriter {
    package mutating func members(_ members: JSONMembers) { for (key, value) in members { member(key, value) } }

    package mutating func objects<Item>(_ key: StaticString, _ items: [Item], _ members: (Item) -> JSONMembers) {
        array(key) { writer in for item in items { writer.object { $0.members(members(item)) } } }
    }

    /// Writes a JSON object on a line of its own.
    package mutating func line(_ body: (inout JSONWriter) -> Void) {
        object(body)
        newline()
    }

    mutating func line(kind: String, _ body: (inout JSONWriter) -> Void) {
        line { writer in
            writer.member("kind", kind)
            body(&writer)
        }
    }

    mutating func line(_ members: JSONMembers) { line { $0.members(members) } }
}

package struct TerminalStyle: Sendable {
    /// A placeholder that ``TerminalText/lines(_:)`` replaces with the terminal's control sequence introducer (CSI). It
    /// consists of random private-use characters, so that untrusted text cannot contain it.
    package static let escape = String(
        String.UnicodeScalarView(
            (0..<8).map { _ in Unicode.Scalar(UInt32.random(in: 0x100000...0x10fffd)) ?? "\u{10fffd}" }))

    /// True if text is returned with styles, or false if it is returned unchanged.
    package let isOn: Bool
    package var units: UnitSystem

    package init(isOn: Bool, units: UnitSystem = .metric) { (self.isOn, self.units) = (isOn, units) }

    /// Returns the text in a colour from xterm's 256-colour palette.
    package func color(_ number: Int, _ text: String) -> String { code("38;5;\(number)", text) }
    package func dim(_ text: String) -> String { code("2", text) }
    package func bold(_ text: String) -> String { code("1", text) }

    private func code(_ code: String, _ text: String) -> String {
        isOn ? "\(Self.escape)\(code)m\(text)\(Self.escape)0m" : text
    }
}
