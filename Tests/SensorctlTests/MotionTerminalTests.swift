// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

private let canMakeTerminals = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

@Suite(
    "Lines that move in a terminal", .enabled(if: Tool.isBuilt, "sensorctl was not built next to the tests"),
    .enabled(if: canMakeTerminals, "script(1), which makes a terminal, is not installed"))
struct MotionTerminalTests {
    /// Replays in a terminal of that many columns; the program and the trace are $P and $T in the line.
    private func inTerminal(_ line: String, columns: Int = 80, type: String = "xterm-256color") throws -> Tool.Result {
        let command =
            #"export P="$0" T="$1" TERM="$4"; script -qefc "stty cols $3 rows 24; $2" /dev/null"#
        return try Tool.shell(command, [Tool.sixPoses, line, "\(columns)", type])
    }

    @Test("Three axes are drawn over and over, with the rate below them")
    func axes() throws {
        let result = try inTerminal(#""$P" replay "$T" accelerometer --speed 20"#)
        #expect(result.status == 0)
        // Up over three axes and a foot.
        #expect(result.output.contains("\u{1B}[4A\r"))
        #expect(result.output.contains("50.0 Hz"))
        #expect(result.output.unicodeScalars.contains { (0x2581...0x2588).contains($0.value) })
        #expect(!result.output.contains("\u{1B}[?1049h"))
    }

    @Test("No row is wider than the terminal", arguments: [42, 60, 80, 200])
    func width(columns: Int) throws {
        let result = try inTerminal(#"NO_COLOR=1 "$P" replay "$T" gyro --speed 40"#, columns: columns)
        let rows = result.output.replacing("\u{1B}[2K", with: "").replacing("\u{1B}[4A", with: "")
            .split(whereSeparator: \.isNewline)
        #expect(rows.contains { $0.contains("rad/s") })
        #expect(rows.allSatisfy { $0.count <= columns })
    }

    @Test(
        "A terminal that cannot move its cursor, or is too narrow, gets lines",
        arguments: [("dumb", 80), ("xterm", 40)])
    func plain(type: String, columns: Int) throws {
        let result = try inTerminal(#""$P" replay "$T" accelerometer --speed 40"#, columns: columns, type: type)
        #expect(result.status == 0)
        #expect(!result.output.contains("\u{1B}[4A"))
        #expect(result.output.split(whereSeparator: \.isNewline).count == 579)
    }

    @Test("Orientations stand below one another")
    func orientation() throws {
        let result = try inTerminal(#""$P" replay "$T" orientation --speed 40"#)
        #expect(result.output.split(whereSeparator: \.isNewline).count == 6)
        #expect(result.output.contains("portraitUpsideDown"))
    }

    @Test("A signal ends it and leaves whole rows", arguments: ["INT", "TERM"])
    func signals(name: String) throws {
        let result = try inTerminal(
            #"timeout --foreground --preserve-status -s \#(name) 2 "$P" replay "$T" gyro; echo "status $?""#)
        #expect(result.output.contains("status 0"))
    }
}
