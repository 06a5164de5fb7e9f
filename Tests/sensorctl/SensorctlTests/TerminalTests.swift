// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

private let canMakeTerminals = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

@Suite(
    "sensorctl demo in a terminal", .toolIsBuilt, .waiting,
    .enabled(if: canMakeTerminals, "script(1), which makes a terminal, is not installed"))
struct TerminalTests {
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
    private static let leave = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

    /// Runs a shell command in a terminal of 80 columns and 24 rows. $P is the program and $T the drive. The output
    /// is also written to the file $L.
    private func inTerminal(_ line: String) throws -> Tool.Result {
        let command = #"export P="$0" T="$1" L="$3" TERM=xterm-256color; script -qefc "stty cols 80 rows 24; $2" "$L""#
        let folder = try TemporaryFolder()
        return try Tool.shell(command, [Tool.drive, line, folder.path + "/output"])
    }

    @Test("The demo draws, ends by itself and restores the terminal")
    func endsByItself() throws {
        let result = try inTerminal(#""$P" demo "$T" --seconds 1 --region "village=46.5556,7.9045,150""#)
        #expect(result.status == 0)
        let start = try #require(result.output.range(of: Self.enter))
        let end = try #require(result.output.range(of: Self.leave))
        #expect(start.upperBound < end.lowerBound)
        let picture = result.output[start.upperBound..<end.lowerBound]
        for text in ["Core Location on Linux", "Trail", "Satellites", "km/h", "synthetic", "village"] {
            #expect(picture.contains(text), "\(text)")
        }
        // The dots of the trail.
        #expect(picture.unicodeScalars.contains { (0x2801...0x28FF).contains($0.value) })
        #expect(result.output[end.upperBound...].contains("621 locations"))
        // The road starts outside the region, 310 m from its center, and does not return.
        #expect(result.output[end.upperBound...].contains("village entered 1 ×"))
    }

    @Test("A signal ends the demo, and the terminal is restored", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(number: Int32) throws {
        let result = try inTerminal(
            Tool.signalWhen + #"A=$(stty -g); signal_when \#(number) '\#(Tool.hasDrawn)' "$P" demo "$T" "#
                + #"--seconds 600; echo "status $?"; [ "$A" = "$(stty -g)" ] && echo same"#)
        #expect(result.output.contains(Self.leave))
        #expect(result.output.contains("status 0"))
        #expect(result.output.contains("same"))
    }

    @Test("NO_COLOR removes the colors and keeps the picture")
    func noColor() throws {
        let result = try inTerminal(#"export NO_COLOR=1; "$P" demo "$T" --seconds 1"#)
        #expect(result.status == 0)
        #expect(result.output.contains("Trail"))
        #expect(!result.output.contains("38;5;"))
        #expect(try inTerminal(#""$P" demo "$T" --seconds 1"#).output.contains("38;5;"))
    }

    @Test("JSON output never waits, even in a terminal")
    func json() throws {
        // The drive takes five and a half minutes.
        let start = ContinuousClock.now
        let result = try inTerminal(#""$P" replay "$T" location --json | tail -n 1; "$P" replay "$T" location --json"#)
        #expect(result.status == 0)
        #expect(result.output.split(whereSeparator: \.isNewline).count { $0.contains("\"latitude\"") } == 622)
        #expect(ContinuousClock.now - start < .seconds(300))
    }

    @Test("A command that takes more than a second shows its progress and erases it")
    func activity() throws {
        // The named pipe stays empty until the text appears.
        let result = try inTerminal(
            #"mkfifo "$L.fifo"; (until grep -q "Reading" "$L"; do sleep 0.05; done; cat "$T") >"$L.fifo" & "#
                + #""$P" info "$L.fifo"; rm "$L.fifo""#)
        #expect(result.status == 0)
        let shown = try #require(result.output.range(of: "\u{1B}[1G\u{1B}[2KReading "))
        let text = result.output[shown.upperBound...].prefix { $0 != "\u{1B}" }
        #expect(text.contains(".fifo") && text.hasSuffix(" s"))
        let erased = try #require(result.output.range(of: "\u{1B}[1G\u{1B}[2K", options: .backwards))
        #expect(result.output[erased.upperBound...].contains("Recording"))
    }

    @Test("Without a terminal, no progress is shown")
    func noActivity() throws {
        let folder = try TemporaryFolder()
        let result = try Tool.shell(
            #"mkfifo "$2"; (sleep 1.5; cat "$1") >"$2" & "$0" info "$2""#, [Tool.drive, folder.path + "/fifo"])
        #expect(result.status == 0 && result.notes.isEmpty && !result.output.contains("\u{1B}"))
    }
}
