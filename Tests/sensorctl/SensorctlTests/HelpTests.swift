// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("The help of sensorctl", .toolIsBuilt, .waiting)
struct HelpTests {
    /// A command as it describes itself.
    private struct Command: Decodable {
        var commandName: String
        var discussion: String?
        var subcommands: [Command]?

        var all: [Command] { [self] + (subcommands ?? []).flatMap(\.all) }
    }

    private struct Description: Decodable {
        var command: Command
    }

    @Test("No paragraph has a gap between its words")
    func gaps() throws {
        let result = try Tool.run(["--experimental-dump-help"])
        let commands = try JSONDecoder().decode(Description.self, from: result.bytes).command.all
        #expect(commands.contains { $0.commandName == "record" && $0.discussion?.contains("--ring") == true })
        for command in commands {
            for line in (command.discussion ?? "").split(separator: "\n") {
                // Columns of a table are shorter, and examples are indented.
                let isParagraph = line.utf8.count > 120 && !line.hasPrefix(" ")
                #expect(!isParagraph || !line.contains("  "), "\(command.commandName): \(line)")
            }
        }
    }
}
