// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("The help of sensorctl", .toolIsBuilt, .waiting)
struct HelpTests {
    /// A command as it describes itself.
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
        /// The words behind sensorctl.
        var words: [String] { ((superCommands ?? []) + [commandName]).dropFirst().map(\.self) }
        /// As it is mostly called: the word all may be left out.
        var verb: String { words.filter { $0 != "all" }.joined(separator: " ") }
    }

    private struct Description: Decodable {
        var command: Command
    }

    private static func commands() throws -> [Command] {
        let result = try Tool.run(["--experimental-dump-help"])
        return try JSONDecoder().decode(Description.self, from: result.bytes).command.all
            .filter { $0.commandName != "help" }
    }

    @Test("No paragraph has a gap between its words")
    func gaps() throws {
        let commands = try Self.commands()
        #expect(commands.contains { $0.commandName == "record" && $0.discussion?.contains("--ring") == true })
        for command in commands {
            for line in (command.discussion ?? "").split(separator: "\n") {
                // Columns of a table are shorter, and examples are indented.
                let isParagraph = line.utf8.count > 120 && !line.hasPrefix(" ")
                #expect(!isParagraph || !line.contains("  "), "\(command.commandName): \(line)")
            }
        }
    }

    @Test("It fits into 80 columns")
    func width() throws {
        let commands = try Self.commands()
        #expect(commands.count > 20)
        for command in commands {
            let result = try Tool.run(["help"] + command.words)
            #expect(result.status == 0)
            for line in result.lines where line.count > 80 { Issue.record("\(command.words): \(line)") }
        }
    }

    @Test("A usage names every argument that is needed")
    func usages() throws {
        for command in try Self.commands() where command.subcommands == nil {
            let lines = try Tool.run(["help"] + command.words).lines
            let usage = try #require(lines.first { $0.hasPrefix("USAGE: ") })
            #expect(usage.hasPrefix("USAGE: sensorctl " + command.verb), "\(usage)")
            let needed = (command.arguments ?? []).count { !$0.isOptional }
            #expect(usage.count { $0 == "<" } >= needed, "\(usage)")
        }
    }

    @Test("Every verb stands in a group, and has an example")
    func groups() throws {
        let help = try Tool.run(["--help"]).lines
        #expect(help.filter { $0.hasSuffix(" SUBCOMMANDS:") }.count == 5)
        // What is in no group would stand below this heading.
        #expect(!help.contains("SUBCOMMANDS:"))
        // scripts/documentation runs them.
        for command in try Self.commands() where command.subcommands == nil {
            let examples = command.discussion?.components(separatedBy: "\n\nExamples:\n").last ?? ""
            #expect(examples.hasPrefix("  sensorctl \(command.verb)"))
        }
    }
}
