// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TraceFormats

@Suite("Help of sensorctl", .toolIsBuilt, .waiting)
struct HelpTests {
    /// A command in the output of `--experimental-dump-help`.
    private struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                var kind: String
                var name: String
            }

            var kind: String
            var isOptional: Bool
            var shouldDisplay: Bool
            var names: [Name]?
            var abstract: String?
            var valueName: String?
            var allValues: [String]?

            /// The long name and the help of an option, or nil for other arguments and hidden options.
            var option: [String]? {
                guard kind != "positional", shouldDisplay else { return nil }
                return (names ?? []).first { $0.kind == "long" }.map { ["--" + $0.name, abstract ?? ""] }
            }
        }

        var commandName: String
        var superCommands: [String]?
        var discussion: String?
        var arguments: [Argument]?
        var subcommands: [Command]?

        var all: [Command] { [self] + (subcommands ?? []).flatMap(\.all) }
        /// The words of the command after `sensorctl`.
        var words: [String] { ((superCommands ?? []) + [commandName]).dropFirst().map(\.self) }
        /// The command as it is usually written. The word `all` is optional.
        var verb: String { words.filter { $0 != "all" }.joined(separator: " ") }
    }

    private struct Description: Decodable { var command: Command }

    private static func commands() throws -> [Command] {
        let result = try Tool.run(["--experimental-dump-help"])
        return try JSONDecoder().decode(Description.self, from: result.bytes).command.all
            .filter { $0.commandName != "help" }
    }

    @Test("Paragraphs contain no double spaces")
    func gaps() throws {
        let commands = try Self.commands()
        #expect(commands.contains { $0.commandName == "record" && $0.discussion?.contains("--ring") == true })
        for command in commands {
            for line in (command.discussion ?? "").split(separator: "\n") {
                // The rows of tables are shorter, and examples are indented.
                let isParagraph = line.utf8.count > 120 && !line.hasPrefix(" ")
                #expect(!isParagraph || !line.contains("  "), "\(command.commandName): \(line)")
            }
        }
    }

    @Test("The help fits into 80 columns")
    func width() throws {
        let commands = try Self.commands()
        #expect(commands.count > 20)
        for words in try commands.map(\.words) + Self.topics().map({ [$0] }) {
            let result = try Tool.run(["help"] + words)
            #expect(result.status == 0)
            for line in result.lines where line.count > 80 { Issue.record("\(words): \(line)") }
        }
    }

    @Test("The overview of a command has at most five lines")
    func overviews() throws {
        for command in try Self.commands() {
            let help = try Tool.run(["help"] + command.words).output
            let overview = try #require(help.components(separatedBy: "\n\nUSAGE: ").first)
            #expect(overview.hasPrefix("OVERVIEW: "))
            let count = overview.split(separator: "\n").count
            #expect(count <= 5, "\(command.words): \(count)")
        }
    }

    @Test("Options of the command itself precede those that many commands share")
    func order() throws {
        let commands = try Self.commands()
        // An option that has the same help in several commands is shared.
        var counts: [[String]: Int] = [:]
        for command in commands {
            for option in (command.arguments ?? []).compactMap(\.option) { counts[option, default: 0] += 1 }
        }
        let shared = Set(counts.filter { $0.value > 1 }.keys)
        #expect(Set(shared.map { $0[0] }).isSuperset(of: ["--json", "--columns", "--fault", "--from", "--overwrite"]))
        for command in commands {
            let options = (command.arguments ?? []).compactMap(\.option)
            let isShared = Dictionary(options.map { ($0[0], shared.contains($0)) }) { first, _ in first }
            // Flags that exclude each other are shown together, as in "--socket/--pty".
            let shown = try Tool.run(["help"] + command.words).output
                .matches(of: /\n  (?:-\w, )?(--[\w-]+(?:\/--[\w-]+)*)/)
                .flatMap { $0.1.split(separator: "/").map(String.init) }
            #expect(Set(shown) == Set(options.map { $0[0] }), "\(command.words)")
            let flags = shown.map { isShared[$0] ?? true }
            #expect(flags == flags.sorted { !$0 && $1 }, "\(command.words): \(zip(shown, flags).map { "\($0) \($1)" })")
        }
    }

    /// The names of the topics below the heading in the help of the program.
    private static func topics() throws -> [String] {
        let help = try Tool.run(["--help"]).output
        let section = try #require(help.components(separatedBy: "\n\nHELP TOPICS:\n").last)
        let topics = section.matches(of: #/(?:^|\n)\ \ ([a-z-]+)\ \ /#).map { String($0.1) }
        #expect(topics.count > 5)
        return topics
    }

    @Test("Every topic begins with its description and is listed in the help")
    func topicList() throws {
        let help = try Tool.run(["--help"]).output
        for topic in try Self.topics() {
            let lines = try Tool.run(["help", topic]).lines
            #expect(lines.count > 5)
            #expect(help.contains(lines.first ?? "?"), "\(topic)")
        }
    }

    /// The names that the code of a file compares with: `case "a", "b":` and the keys of tables.
    private static func names(in path: String, after start: String) throws -> Set<String> {
        let text = try String(contentsOfFile: Tool.root + "/" + path, encoding: .utf8)
        let code = try #require(text.components(separatedBy: start).last)
        var names = Set(code.matches(of: /"([a-z-]+)": \./).map { String($0.1) })
        for line in code.matches(of: /case ("[a-z0-9-]+"(?:, "[a-z0-9-]+")*)(?::| where)/) {
            names.formUnion(line.1.matches(of: /"([a-z0-9-]+)"/).map { String($0.1) })
        }
        return names
    }

    @Test(
        "The topics contain every fault and event that the code accepts",
        arguments: [
            ("faults", "Sources/Traces/TraceEditing/TraceFault.swift", "private init(_ clause", 13),
            ("faults", "Simulators/GPSDSimulator/Faults/GPSDFault.swift", "private init(_ fault", 11),
            ("faults", "Simulators/IIODSimulator/Faults/IIODFault.swift", "private init(_ fault", 14),
            ("events", "Sources/Traces/BlackBox/Triggers/RecordingTrigger.swift", "switch name {", 8),
        ])
    func faults(topic: String, path: String, start: String, count: Int) throws {
        let names = try Self.names(in: path, after: start).subtracting(["sigusr1"])
        #expect(names.count >= count, "\(names.sorted())")
        let text = try Tool.run(["help", topic]).output
        for name in names {
            let row = try Regex("\n  (?:.*, )?\(name)(?:[=(>, ].*)?\n")
            #expect(text.contains(row), "\(topic): \(name)")
        }
    }

    @Test("The topics contain every format, quantity, stream and part")
    func names() throws {
        let formats = try Tool.run(["help", "formats"]).output
        for format in RecordingFormat.all {
            #expect(formats.contains("\n  \(format.name) "), "\(format.name)")
            for ending in format.fileExtensions { #expect(formats.contains(ending), "\(ending)") }
        }
        for quantity in CSVColumnMap.quantities { #expect(formats.contains(quantity), "\(quantity)") }
        let streams = try Tool.run(["help", "streams"]).output
        // The values that the parser accepts, from its completions.
        let commands = try Self.commands()
        for (verb, name) in [("watch", "stream"), ("replay", "streams"), ("record", "parts")] {
            let command = try #require(commands.first { $0.commandName == verb })
            let argument = try #require((command.arguments ?? []).first { $0.valueName == name })
            let values = argument.allValues ?? []
            #expect(values.count > 4)
            for value in values { #expect(streams.contains(value), "\(verb): \(value)") }
        }
    }

    @Test("Help about an unknown name lists the known names")
    func unknown() throws {
        try Tool.expect(
            ["help", "fromats"], 64, "There is no command or help topic 'fromats'. Did you mean 'formats'?")
        try Tool.expect(["help", "simulate", "gpds"], 64, "Did you mean 'gpsd'? Use one of all, gpsd, iio, accessory.")
        let error = try Tool.run(["help", "xyzzy"]).notes
        for name in ["list", "place"] + (try Self.topics()) { #expect(error.contains(name), "\(name)") }
        // Streams are not commands, but their help is that of the command.
        #expect(try Tool.run(["help", "watch", "location"]).output == Tool.run(["watch", "--help"]).output)
    }

    @Test("A usage line contains every required argument")
    func usages() throws {
        for command in try Self.commands() where command.subcommands == nil {
            let lines = try Tool.run(["help"] + command.words).lines
            let usage = try #require(lines.first { $0.hasPrefix("USAGE: ") })
            #expect(usage.hasPrefix("USAGE: sensorctl " + command.verb), "\(usage)")
            let needed = (command.arguments ?? []).count { !$0.isOptional }
            #expect(usage.count { $0 == "<" } >= needed, "\(usage)")
        }
    }

    @Test("Every subcommand belongs to a group and has an example")
    func groups() throws {
        let help = try Tool.run(["--help"]).lines
        #expect(help.filter { $0.hasSuffix(" SUBCOMMANDS:") }.count == 5)
        // Subcommands without a group would be listed below this heading.
        #expect(!help.contains("SUBCOMMANDS:"))
        // The script `scripts/documentation` runs the examples.
        for command in try Self.commands() where command.subcommands == nil {
            let examples = command.discussion?.components(separatedBy: "\n\nExamples:\n").last ?? ""
            #expect(examples.hasPrefix("  sensorctl \(command.verb)"))
            #expect(try Tool.run(["help"] + command.words).output.hasSuffix("\n\nEXAMPLES:\n\(examples)\n"))
        }
    }
}
