// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import JSONBytes
package import SensorFusion
import SystemCalls

/// Text of other machines and makers, fit for a terminal.
package enum Printable {
    /// The text on one line: each line end and tab is a blank. What else could control a terminal is taken out where all
    /// text is written.
    package static func text(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 }) else { return text }
        return ShownText.lines(text).split(whereSeparator: { $0 == "\n" || $0 == "\t" }).joined(separator: " ")
    }

    /// Whole lines for a terminal: nothing in them controls it but what ``Ink`` has put there.
    package static func lines(_ text: String) -> [UInt8] {
        Array(ShownText.lines(text).replacing(Ink.escape, with: "\u{1B}[").utf8)
    }

    /// The bytes as text when they are UTF-8 without control characters other than tab, line feed and carriage return;
    /// nil otherwise. What can be read as text in a trace follows the same rule.
    package static func plain(_ bytes: some Sequence<UInt8>) -> String? {
        let bytes = Array(bytes)
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || [9, 10, 13].contains($0) }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Four digits, as vendors and products of USB are written.
    package static func hex(_ number: UInt16) -> String { HexDigit.text([UInt8(number >> 8), UInt8(number & 0xFF)]) }
}

extension CivilDate {
    /// `2026-11-21T03:05:09.000Z`: milliseconds, and more digits where they are not zero.
    package var timestamp: String {
        var (fraction, decimals) = (nanosecond, 9)
        while decimals > 3, fraction % 10 == 0 { (fraction, decimals) = (fraction / 10, decimals - 1) }
        return iso8601(decimals: decimals)
    }

    /// `2026-11-21`
    package var date: String { String(iso8601(decimals: 0).prefix(10)) }

    /// `03:05:09`
    package var timeOfDay: String { String(iso8601(decimals: 0).dropFirst(11).dropLast()) }

    /// `03:05:09.1`
    package var timeOfDayWithTenths: String { "\(timeOfDay).\(nanosecond / 100_000_000)" }
}

extension SensorKind {
    package var nameWithArticle: String { "aeiou".contains(name.prefix(1)) ? "an \(name)" : "a \(name)" }
}

extension MagneticSurvey.Side {
    /// As a user names it.
    package var words: String {
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

/// What a verb says once: a page for people, or objects for programs.
package protocol Report {
    /// The page, without the end of its last line.
    func text(ink: Ink) -> String

    /// The objects, one a line.
    func write(to writer: inout JSONWriter)
}

/// Keys and their values, in the order in which they are written.
package typealias JSONMembers = KeyValuePairs<StaticString, any JSONWritable>

extension JSONWriter {
    package mutating func members(_ members: JSONMembers) { for (key, value) in members { member(key, value) } }

    /// A list of an object for each of the things.
    package mutating func objects<Thing>(_ key: StaticString, _ things: [Thing], _ members: (Thing) -> JSONMembers) {
        array(key) { writer in
            for thing in things { writer.object { $0.members(members(thing)) } }
        }
    }

    /// An object on a line of its own.
    package mutating func line(_ body: (inout JSONWriter) -> Void) {
        object(body)
        newline()
    }

    /// An object on a line of its own that says of what kind it is.
    mutating func line(kind: String, _ body: (inout JSONWriter) -> Void) {
        line { writer in
            writer.member("kind", kind)
            body(&writer)
        }
    }

    mutating func line(kind: String, _ members: JSONMembers) { line(kind: kind) { $0.members(members) } }
}

/// Colours for a terminal.
package struct Ink: Sendable {
    /// The beginning of a terminal's command, for a text that ``Printable/lines(_:)`` is made of. Until then it is some
    /// characters without a meaning, others each time, so that nobody outside knows them.
    package static let escape = String(
        String.UnicodeScalarView(
            (0..<8).map { _ in Unicode.Scalar(UInt32.random(in: 0x100000...0x10fffd)) ?? "\u{10fffd}" }))

    /// False leaves texts as they are.
    package let isOn: Bool

    package init(isOn: Bool) { self.isOn = isOn }

    /// The text in one of the 256 colours of xterm.
    package func color(_ number: Int, _ text: String) -> String { code("38;5;\(number)", text) }
    package func dim(_ text: String) -> String { code("2", text) }
    package func bold(_ text: String) -> String { code("1", text) }

    private func code(_ code: String, _ text: String) -> String {
        isOn ? "\(Self.escape)\(code)m\(text)\(Self.escape)0m" : text
    }
}
