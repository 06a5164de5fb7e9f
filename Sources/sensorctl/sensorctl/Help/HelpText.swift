// SPDX-License-Identifier: Apache-2.0

/// Lays out help texts. The argument parser's own layout cannot be configured.
enum HelpText {
    /// The width of help topics in columns, which is also the argument parser's default.
    static let width = 80

    /// Returns the argument parser's help with the sections that many commands share below those of the command itself,
    /// and with the examples at the end.
    static func arranged(_ help: String) -> String {
        var sections = help.split(separator: "\n\n").map { $0.hasSuffix("\n") ? $0.dropLast() : $0 }
        if sections.contains("USAGE: sensorctl <subcommand>") { sections.append(HelpTopic.section[...]) }
        let shared = ["RECORDINGS FROM OTHER PROGRAMS", "PLAYBACK:", "FAULTS:"]
        func rank(_ section: Substring) -> Int {
            if section.hasPrefix("  See 'sensorctl help") { return 3 }
            if section.hasPrefix("Examples:\n") { return 2 }
            return shared.contains { section.hasPrefix($0) } ? 1 : 0
        }
        let ordered = (0...3).flatMap { number in sections.filter { rank($0) == number } }
        return ordered.joined(separator: "\n\n").replacing("\n\nExamples:\n", with: "\n\nEXAMPLES:\n")
    }

    /// Breaks lines that are wider than ``width``. The rest of a line has the same indentation as its beginning or, in a
    /// table, as the second column.
    static func wrapped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { wrapped(line: $0) }.joined(separator: "\n")
    }

    private static func wrapped(line: Substring) -> String {
        var indentation = line.prefix { $0 == " " }.count
        if indentation > 0, let gap = line.dropFirst(indentation).firstRange(of: "  ") {
            let column = line[gap.lowerBound...].firstIndex { $0 != " " } ?? line.endIndex
            indentation = line.distance(from: line.startIndex, to: column)
        }
        var lines: [String] = []
        var rest = line
        while rest.count > width, let end = rest.prefix(width + 1).lastIndex(of: " "),
            rest.distance(from: rest.startIndex, to: end) > indentation
        {
            lines.append(String(rest[..<end]))
            rest = String(repeating: " ", count: indentation) + rest[rest.index(after: end)...]
        }
        return (lines + [String(rest)]).joined(separator: "\n")
    }

    /// Returns the rows of a table with aligned columns. The second column starts on a line of its own if the first one
    /// is too wide.
    static func table(_ rows: [(String, String)]) -> String {
        let column = 24
        return rows.map { name, meaning in
            let name = "  \(name)"
            let gap =
                name.count < column - 1
                ? String(repeating: " ", count: column - name.count)
                : "\n" + String(repeating: " ", count: column)
            return name + gap + meaning
        }.joined(separator: "\n")
    }

    /// Returns the rows of a table in which at least two spaces separate the columns.
    static func table(_ text: String) -> String {
        table(
            text.split(separator: "\n").map { line in
                let gap: Range<Substring.Index> = line.firstRange(of: "  ") ?? line.endIndex..<line.endIndex
                return (String(line[..<gap.lowerBound]), String(line[gap.upperBound...].drop { $0 == " " }))
            })
    }
}
