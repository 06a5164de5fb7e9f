// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

private let canMakeTerminals = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

@Suite(
    "Live displays in a terminal", .toolIsBuilt, .waiting,
    .enabled(if: canMakeTerminals, "script(1), which makes a terminal, is not installed"))
struct MotionTerminalTests {
    /// Runs a command in a terminal with the given number of columns. $P is the program and $T the trace. The output
    /// is also written to the file $L.
    private func inTerminal(_ line: String, columns: Int = 80, type: String = "xterm-256color") throws -> Tool.Result {
        let command = #"export P="$0" T="$1" TERM="$4" L="$5"; script -qefc "stty cols $3 rows 24; $2" "$L""#
        let folder = try TemporaryFolder()
        return try Tool.shell(command, [Tool.sixPoses, line, "\(columns)", type, folder.path + "/output"])
    }

    @Test("Three axes are redrawn in place, with the rate below them")
    func axes() throws {
        let result = try inTerminal(#""$P" replay "$T" accelerometer --speed 20"#)
        #expect(result.status == 0)
        // Moves the cursor up over three axes and a footer.
        #expect(result.output.contains("\u{1B}[4A\u{1B}[1G"))
        #expect(result.output.contains("50.0 Hz"))
        #expect(result.output.unicodeScalars.contains { (0x2581...0x2588).contains($0.value) })
        #expect(!result.output.contains("\u{1B}[?1049h"))
    }

    @Test("No row is wider than the terminal", arguments: [42, 60, 80, 200])
    func width(columns: Int) throws {
        let result = try inTerminal(#"NO_COLOR=1 "$P" replay "$T" gyro --speed 40"#, columns: columns)
        let rows = result.output.replacing("\u{1B}[1G\u{1B}[2K", with: "").replacing("\u{1B}[4A", with: "")
            .split(whereSeparator: \.isNewline)
        #expect(rows.contains { $0.contains("rad/s") })
        #expect(rows.allSatisfy { $0.count <= columns })
    }

    @Test(
        "A terminal that cannot move its cursor or is too narrow shows plain lines",
        arguments: [("dumb", 80), ("xterm", 40)])
    func plain(type: String, columns: Int) throws {
        let result = try inTerminal(#""$P" replay "$T" accelerometer --speed 40"#, columns: columns, type: type)
        #expect(result.status == 0)
        #expect(!result.output.contains("\u{1B}[4A"))
        #expect(result.output.split(whereSeparator: \.isNewline).count == 579)
    }

    @Test("The attitude is a horizon and the heading a compass, both redrawn in place", arguments: [42, 60, 80, 120])
    func instruments(columns: Int) throws {
        for (stream, titles) in [
            ("attitude", ["Horizon", "roll", "yaw"]),
            ("heading", columns < 60 ? ["magnetic"] : ["Compass", "magnetic"]),
        ] {
            let result = try inTerminal(
                #"NO_COLOR=1 "$P" replay "$T" \#(stream) --frame magnetic --speed 8"#, columns: columns)
            #expect(result.status == 0)
            for title in titles { #expect(result.output.contains(title), "\(stream) \(title)") }
            // The cursor moves up over the previous picture.
            let moves = result.output.split(separator: "\u{1B}[").filter {
                $0.prefix { $0.isNumber }.count > 0 && $0.drop { $0.isNumber }.hasPrefix("A")
            }
            #expect(moves.count > 3, "\(stream)")
            var text = result.output.replacing("\u{1B}[1G\u{1B}[2K", with: "")
            for rows in 1...23 { text = text.replacing("\u{1B}[\(rows)A", with: "") }
            // Messages between the pictures may be wider than the terminal.
            let drawn = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("no ") }
            #expect(drawn.allSatisfy { $0.count <= columns }, "\(stream)")
        }
    }

    @Test("A terminal too small for a picture shows the attitude as lines", arguments: [("dumb", 80), ("xterm", 40)])
    func plainAttitude(type: String, columns: Int) throws {
        let result = try inTerminal(#""$P" replay "$T" attitude --speed 40"#, columns: columns, type: type)
        #expect(result.status == 0)
        #expect(!result.output.contains("Horizon"))
        #expect(result.output.contains("pitch"))
    }

    @Test("Orientations are printed one per line")
    func orientation() throws {
        let result = try inTerminal(#""$P" replay "$T" orientation --speed 40"#)
        #expect(result.output.split(whereSeparator: \.isNewline).count == 6)
        #expect(result.output.contains("portraitUpsideDown"))
    }

    @Test("A signal ends a live display with status 0", arguments: [SIGINT, SIGTERM])
    func signals(number: Int32) throws {
        let result = try inTerminal(
            Tool.signalWhen + #"signal_when \#(number) '\#(Tool.hasDrawn)' "$P" replay "$T" gyro --loop forever; "#
                + #"echo "status $?""#)
        #expect(result.output.contains("status 0"))
    }
}
