// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import Testing

@Suite(
    "sensorctl talk in a terminal", .toolIsBuilt, .waiting,
    .enabled(if: TerminalTool.canRun, "setsid(1), which puts a program under a terminal, is not installed"))
struct TalkTerminalTests {
    /// An accessory that echoes all bytes, and an open conversation with it.
    private final class Stage {
        private let folder: TemporaryFolder
        private let simulator: RunningTool
        let tool: TerminalTool
        /// The settings of the terminal before the tool ran, which are those of every new terminal.
        let before: TerminalTool.Settings

        init(_ options: [String]) throws {
            folder = try TemporaryFolder()
            let file = folder.path + "/Box.json"
            try Data(#"{"name":"Box","protocols":{"com.example.echo":{"socket":"unused"}}}"#.utf8)
                .write(to: URL(fileURLWithPath: file))
            simulator = try RunningTool(["simulate", "accessory", file])
            let environment = ["DEVICE_SERVICES_ACCESSORIES": try #require(simulator.nextLine())]
            tool = try TerminalTool(["talk", "Box", "--json"] + options, environment: environment)
            before = try #require(tool.initial)
            #expect(tool.nextLine()?.contains(#""event":"opened""#) == true)
        }

        /// Ends the simulator and thereby unplugs the accessory.
        func unplug() { #expect(simulator.end() == 0) }

        /// Returns the bytes that the accessory echoes, at least `count` bytes.
        func echo(_ count: Int) throws -> [UInt8] {
            var bytes: [UInt8] = []
            while bytes.count < count, let line = tool.nextLine() {
                let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                guard object["event"] as? String == "in" else { continue }
                if let text = object["text"] as? String { bytes += Array(text.utf8) }
                guard let hex = object["hex"] as? String else { continue }
                var digits = hex[...]
                while let byte = UInt8(digits.prefix(2), radix: 16) {
                    bytes.append(byte)
                    digits = digits.dropFirst(2)
                }
            }
            return bytes
        }
    }

    @Test("With `--raw`, every key is sent unchanged, even Ctrl-C, and Ctrl-] ends the conversation")
    func raw() throws {
        let stage = try Stage(["--raw"])
        #expect(stage.before.makesSignals && stage.before.echoes && stage.before.waitsForLines)
        let during = try #require(stage.tool.settings)
        #expect(!during.makesSignals && !during.echoes && !during.waitsForLines)
        // Ctrl-C, Ctrl-Z, Ctrl-\, Ctrl-D, Ctrl-S, Ctrl-Q, Ctrl-V, erase, kill, return and line feed. By default, a
        // terminal intercepts or converts each of these keys.
        let keys: [UInt8] = [0x41, 0x03, 0x1A, 0x1C, 0x04, 0x13, 0x11, 0x16, 0x7F, 0x15, 0x0D, 0x0A, 0x00, 0xFF]
        try stage.tool.press(keys)
        #expect(try stage.echo(keys.count) == keys)
        // A single key is sent at once.
        try stage.tool.press([0x42])
        #expect(try stage.echo(1) == [0x42])
        try stage.tool.press([0x1D])
        let end = stage.tool.end()
        #expect(end.status == 0)
        #expect(end.settings == stage.before)
    }

    @Test("Without `--raw`, a line is sent when it is complete, and Ctrl-D ends the conversation")
    func lines() throws {
        let stage = try Stage(["--line-end", "crlf", "--wait", "0"])
        #expect(stage.tool.settings == stage.before)
        // The erase key deletes the X, as in every terminal. Ctrl-] is an ordinary key.
        try stage.tool.press(Array("AX\u{7F}T\u{1D}\n".utf8))
        #expect(try stage.echo(5) == Array("AT\u{1D}\r\n".utf8))
        try stage.tool.press([0x04])
        let end = stage.tool.end()
        #expect(end.status == 0)
        #expect(end.settings == stage.before)
    }

    @Test("Without `--raw`, Ctrl-C ends the conversation")
    func interrupt() throws {
        let stage = try Stage([])
        try stage.tool.press([0x03])
        let end = stage.tool.end()
        #expect(end.status == 0)
        #expect(end.settings == stage.before)
    }

    @Test("If the accessory is unplugged in raw mode, the settings of the terminal are restored")
    func gone() throws {
        let stage = try Stage(["--raw"])
        #expect(stage.tool.settings?.echoes == false)
        stage.unplug()
        let end = stage.tool.end()
        #expect(end.status == 69)
        #expect(end.settings == stage.before)
    }
}
