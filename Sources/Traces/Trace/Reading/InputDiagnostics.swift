// SPDX-License-Identifier: Apache-2.0

/// Problems found in a reader's input, grouped by message. Each group records how often the problem occurred, and the
/// location and text of the first occurrence.
package struct InputDiagnostics: Sendable, Hashable {
    /// The maximum number of distinct messages. Occurrences of further messages are only counted.
    package static let maximumMessages = 64

    /// All occurrences of a message.
    package struct Entry: Sendable, Hashable {
        /// The problem and its consequence, as a clause without a full stop.
        package let message: String
        package fileprivate(set) var count: Int
        /// The location of the first occurrence: a file, a line, or both. Empty if unknown.
        package let location: String
        /// The quoted input at the first occurrence. Empty if none was given.
        package let text: String

        package var remark: String {
            let first = [location, text].filter { !$0.isEmpty }.joined(separator: ": ")
            switch (count, first.isEmpty) {
            case (1, true): return message + "."
            case (1, false): return "\(message) (\(first))."
            case (_, true): return "\(message) (\(count) times)."
            case (_, false): return "\(message) (\(count) times; first in \(first))."
            }
        }
    }

    /// The messages in order of first occurrence.
    package private(set) var entries: [Entry] = []
    /// The number of problems that were not grouped, because ``maximumMessages`` had been reached.
    package private(set) var ungroupedCount = 0

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }
    package var count: Int { entries.reduce(ungroupedCount) { $0 + $1.count } }

    package var remarks: [String] {
        entries.map(\.remark)
            + (ungroupedCount == 0 ? [] : ["\(ungroupedCount) further problems were found in the input."])
    }

    /// Records a problem found in a line of the input. Line numbers start at 1; `line` is 0 if the input has no lines.
    /// `text` is the invalid input, which is evaluated only for the problem's first occurrence.
    package mutating func record(_ message: String, line: Int, of file: String = "", text: @autoclosure () -> String) {
        record(message, at: Self.location(line: line, of: file), text: text())
    }

    /// Records `count` occurrences of a problem. The location is, for example, "line 5" or "message 7 of /gps".
    /// `location` and `text` are evaluated for the first occurrence only.
    package mutating func record(
        _ message: String, at location: @autoclosure () -> String, text: @autoclosure () -> String, count: Int = 1
    ) {
        guard count > 0 else { return }
        add(message, count, Entry(message: message, count: count, location: location(), text: Self.quoted(text())))
    }

    /// Adds the problems that another reader found in a later part of the same input.
    package mutating func append(_ other: InputDiagnostics) {
        for entry in other.entries { add(entry.message, entry.count, entry) }
        ungroupedCount += other.ungroupedCount
    }

    private mutating func add(_ message: String, _ count: Int, _ entry: @autoclosure () -> Entry) {
        if let index = entries.firstIndex(where: { $0.message == message }) {
            entries[index].count += count
        } else if entries.count < Self.maximumMessages {
            entries.append(entry())
        } else {
            ungroupedCount += count
        }
    }

    private static func location(line: Int, of file: String) -> String {
        switch (line > 0, file.isEmpty) {
        case (true, true): "line \(line)"
        case (true, false): "line \(line) of \(file)"
        case (false, _): file
        }
    }

    /// Returns the first 80 characters in quotation marks, with control characters escaped. Empty text is returned
    /// unchanged.
    private static func quoted(_ text: String) -> String {
        let start = text.prefix(80)
        return text.isEmpty ? "" : (start.endIndex < text.endIndex ? start + "…" : start).debugDescription
    }
}
