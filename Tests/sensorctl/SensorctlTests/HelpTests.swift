// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Help of sensorctl", .toolIsBuilt, .waiting)
struct HelpTests {
    /// A command in the output of `--experimental-dump-help`.
    private struct Command: Decodable {
        struct Argument: Decodable {
            var kind: String
            var isOptional: Bool
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
        for command in commands {
            let result = try Tool.run(["help"] + command.words)
            #expect(result.status == 0)
            for line in result.lines where line.count > 80 { Issue.record("\(command.words): \(line)") }
        }
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
        }
    }
}
