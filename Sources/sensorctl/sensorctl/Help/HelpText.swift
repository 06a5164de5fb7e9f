// SPDX-License-Identifier: Apache-2.0

/// Lays out help texts. The argument parser's own layout cannot be configured.
enum HelpText {
    /// The width of help topics in columns, which is also the argument parser's default.
    static let width = 80

    /// Returns the argument parser's help with the sections that many commands share below those of the command itself,
    /// and with the examples at the end.
    static func arranged(_ help: String) -> String {
        var sections = help.split(separator: "\n\n").map { $0.hasSuffix("\n") ? $0.dropLast() : $0 }
        if sections.contains("USAGE: sensorctl <subcommand>") { sections.append(wrapped(HelpTopic.section)[...]) }
        let shared = ["RECORDINGS FROM OTHER PROGRAMS", "PLAYBACK:", "FAULTS:"]
        func rank(_ section: Substring) -> Int {
            if section.hasPrefix("  See 'sensorctl help") { return 3 }
            if section.hasPrefix("Examples:\n") { return 2 }
            return shared.contains { section.hasPrefix($0) } ? 1 : 0
        }
        let ordered = (0...3).flatMap { number in sections.filter { rank($0) == number } }
        return ordered.joined(separator: "\n\n").replacing("\n\nExamples:\n", with: "\n\nEXAMPLES:\n")
    }

    /// The column at which the meanings in a table begin, as in the argument parser's tables.
    private static let column = 26

    /// Breaks lines that are wider than ``width``. In the rows of a table, at least two spaces separate a name from its
    /// meaning. The meanings are aligned, unless the row is indented.
    static func wrapped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let indentation = line.prefix { $0 == " " }.count
            guard let gap = line.dropFirst(indentation).firstRange(of: "  ") else {
                return filled(line, indentation: indentation)
            }
            let meaning = line[gap.upperBound...].drop { $0 == " " }
            guard indentation == 0 else {
                return filled(line, indentation: line.distance(from: line.startIndex, to: meaning.startIndex))
            }
            let name = "  \(line[..<gap.lowerBound])"
            let lines = filled(String(repeating: " ", count: column) + meaning, indentation: column)
            return name.count < column - 1 ? name + lines.dropFirst(name.count) : name + "\n" + lines
        }.joined(separator: "\n")
    }

    private static func filled(_ line: some StringProtocol, indentation: Int) -> String {
        var lines: [String] = []
        var rest = String(line)
        while rest.count > width, let end = rest.prefix(width + 1).dropFirst(indentation).lastIndex(of: " ") {
            lines.append(String(rest[..<end]))
            rest = String(repeating: " ", count: indentation) + rest[rest.index(after: end)...]
        }
        return (lines + [rest]).joined(separator: "\n")
    }
}
