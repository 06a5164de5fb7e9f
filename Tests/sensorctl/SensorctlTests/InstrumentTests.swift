// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import sensorctl

@Suite("Attitude and heading displays")
struct InstrumentTests {
    /// The gravity of a device with the given roll and pitch in degrees.
    private static func gravity(roll: Double, pitch: Double) -> SIMD3<Double> {
        let (r, p) = (roll * .pi / 180, pitch * .pi / 180)
        // Core Motion's gravity: (cos p · sin r, −sin p, −cos p · cos r).
        return SIMD3(cos(p) * sin(r), -sin(p), -cos(p) * cos(r))
    }

    private static func horizon(roll: Double, pitch: Double, columns: Int = 31, rows: Int = 11) -> [String] {
        var canvas = Canvas(width: columns, height: rows)
        HorizonView(gravity: gravity(roll: roll, pitch: pitch)).draw(
            on: &canvas, x: 0, y: 0, columns: columns, rows: rows)
        return canvas.rows(colored: false)
    }

    private static func trimmed(_ rows: [String]) -> [String] {
        rows.map { row in String(row.reversed().drop { $0 == " " }.reversed()) }
    }

    @Test("Roll and pitch derived from gravity are those of Core Motion")
    func angles() {
        for (roll, pitch) in [(0.0, 0.0), (30, 10), (-120, 40), (175, -60)] {
            let view = HorizonView(gravity: Self.gravity(roll: roll, pitch: pitch))
            #expect(abs(view.roll * 180 / .pi - roll) < 1e-9)
            #expect(abs(view.pitch * 180 / .pi - pitch) < 1e-9)
        }
        // In free fall, no direction is down.
        #expect(HorizonView(gravity: .zero).pitch == 0)
    }

    @Test("A level device has the horizon in the middle and the ground below it")
    func level() {
        #expect(
            Self.trimmed(Self.horizon(roll: 0, pitch: 0)) == [
                "  ╷      ╷ ⠠⣀⣀⣀▼⣀⣀⣀⠄ ╷      ╷",
                "",
                "             ⠐⠒⠒⠒⠂",
                "             ⢀⣀⣀⣀⡀",
                "",
                "⠶⠶⠶⠶⠶⠶⠶⠶⠶⠶⠶━━━╸◆╺━━━⠶⠶⠶⠶⠶⠶⠶⠶⠶⠶⠶",
                "░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░",
                "░░░░░░░░░░░░░⠈⠉⠉⠉⠁░░░░░░░░░░░░░",
                "░░░░░░░░░░░░░⠠⠤⠤⠤⠄░░░░░░░░░░░░░",
                "░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░",
                "░░░░░░░░░░░⠐⠉⠉⠉⠉⠉⠉⠉⠂-30░░░░░░░░",
            ])
    }

    @Test("Raising the top edge by 20° lowers the horizon")
    func climb() {
        #expect(
            Self.trimmed(Self.horizon(roll: 0, pitch: 20)) == [
                "  ╷      ╷   ⢀⣀▼⣀⡀   ╷      ╷",
                "",
                "             ⠐⠒⠒⠒⠂",
                "           ⢀⣀⣀⣀⣀⣀⣀⣀⡀30",
                "",
                "           ━━━╸◆╺━━━",
                "",
                "⣀⡀           ⠈⠉⠉⠉⠁           ⢀⣀",
                "░⠈⠉⠉⠑⠒⠒⠒⠲⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠖⠒⠒⠒⠊⠉⠉⠁░",
                "░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░",
                "░░░░░░░░░░░░░⠈⠉⠉⠉⠁░░░░░░░░░░░░░",
            ])
    }

    @Test("Lowering the right edge by 30° rotates the horizon counterclockwise")
    func bank() {
        #expect(
            Self.trimmed(Self.horizon(roll: 30, pitch: 0)) == [
                "  ╷    ⠐⠊╷  ⣀⠴ ┬     ▼      ╷",
                "        ⢀⡠⠔⠊⠁              ⢀⡠⠖⠋",
                "       ⠘⠉  ⢀⡠⠖          ⣀⠤⠚⠁░░░",
                "          ⠘⠁  ⢀⡤    ⢀⡠⠔⠋⠁░░░░░░",
                "            ⠔⠊⠁  ⣀⠤⠒⠉░░░░░░░░░░",
                "           ━━━╸◆╺━━━░░░░░░░░░░░",
                "          ⣀⠤⠒⠉░░⢀⡠⠔░░░░░░░░░░░░",
                "      ⢀⣠⠔⠊⠁░░░░⠚⠁░░⢀⡄░░░░░░░░░░",
                "   ⢀⡤⠒⠉░░░░░░░░░░⠴⠊⠁░░⣀⡄-30░░░░",
                "⣠⠴⠊⠁░░░░░░░░░░░░░░⢀⡠⠔⠊⠁░░░░░░░░",
                "░░░░░░░░░░░░░░░░░⠖⠉░░⢀⡠⠄░░░░░░░",
            ])
    }

    @Test("A face-down device has the ground above the horizon")
    func inverted() {
        let rows = Self.horizon(roll: 180, pitch: 0)
        #expect(rows.prefix(5).dropFirst().allSatisfy { $0.contains("░") })
        #expect(rows.suffix(5).allSatisfy { !$0.contains("░") })
    }

    @Test("The horizon stays within its columns at every attitude and size", arguments: [12, 31, 78, 200])
    func bounds(columns: Int) {
        for roll in stride(from: -180.0, through: 180, by: 45) {
            for pitch in stride(from: -90.0, through: 90, by: 30) {
                let rows = Self.horizon(roll: roll, pitch: pitch, columns: columns, rows: columns / 3)
                #expect(rows.allSatisfy { $0.count == columns })
            }
        }
    }

    private static let motion = DeviceMotionReading(
        timestamp: 12.345, quaternion: [0, 0, 0, 1], gravity: gravity(roll: -12.3, pitch: 4.5),
        userAcceleration: [0.012, -0.5, 1.2], rotationRate: [0.1, 0, -1], magneticField: [10, 20, -40],
        magneticAccuracy: 2, heading: 123.4, roll: -12.3 * .pi / 180, pitch: 4.5 * .pi / 180, yaw: .pi,
        frame: .magnetic,
        condition: DeviceMotionReading.Condition(bias: [0.005, -0.003, 0.004], isResting: true, isDisturbed: false))

    @Test("A terminal of 60 columns and 24 rows shows the numbers next to the horizon")
    func wide() {
        #expect(
            Self.trimmed(Self.motion.picture(width: 60, height: 23, rate: 99.96).rows(colored: false)) == [
                "╭─ Horizon ────────────────────╮╭─ Attitude ───────────────╮",
                "│  ╷      ╷  ▼  ┬ ⠈⠉⠉⠒╷      ╷ ││ roll              -12.3° │",
                "│            ⠐⠤⠤⣀⣀             ││ pitch               4.5° │",
                "│                 ⠉⠉⠑⠒⠒30      ││ yaw, magnetic     180.0° │",
                "│             ⠠⢄⣀⡀             ││ heading       ESE 123.4° │",
                "│                ⠈⠉⠉           ││ user acceleration, g     │",
                "│            ⠠⠤⣀⣀              ││ x  0.012 ───────┼─────── │",
                "│⠙⠒⠲⠤⢤⣀⣀         ⠉⠉            ││ y -0.500 ───━━━━┼─────── │",
                "│░░░░░░░⠉⠉⠒⠒━━━╸◆╺━━━          ││ z  1.200 ───────┼━━━━━━━ │",
                "│░░░░░░░░░░░░░░░⠈⠉⠉⠒⠒⠢⠤⠤⣀⣀⡀    ││ turning      6 0 -57 °/s │",
                "│░░░░░░░░░░░⠤⠤⣀⣀⡀░░░░░░░░░⠈⠉⠉⠓⠒││ bias 0.29 -0.17 0.23 °/s │",
                "│░░░░░░░░░░░░░░░⠈⠁░░░░░░░░░░░░░││ field      45.8 µT, high │",
                "│░░░░░░░░░░⠦⠤⢄⣀⣀░░░░░░░░░░░░░░░││ state            at rest │",
                "│░░░░░░░░░░░░░░░⠁░░░░░░░░░░░░░░││ 12.3 s          100.0 Hz │",
                "│░░░░░░░⠒⠒⠲⠤⠤⣀⣀⡀░░░░░░░░░░░░░░░││                          │",
                "╰──────────────────────────────╯╰──────────────────────────╯",
            ])
    }

    @Test("A narrow terminal shows the numbers below the horizon")
    func narrow() {
        #expect(
            Self.trimmed(Self.motion.picture(width: 42, height: 14, rate: nil).rows(colored: false)) == [
                "╭─ Horizon ──────────────────────────────╮",
                "│  ╷        ╷    ▼ ⢀ ┬⠈⠉⠉     ╷        ╷ │",
                "│                   ⠉⠉⠒⠒⠢⠄30             │",
                "│⠦⢤⣀⡀               ⠒⠢⠤⠄                 │",
                "│░░░⠉⠉⠓⠒⠤⢤⣀⣀       ⠠⢤⣀⣀                  │",
                "│░░░░░░░░░░⠈⠉⠙⠒⠲⠤━━━╸◆╺━━━               │",
                "│░░░░░░░░░░░░░░░░░░░⠉⠉⠑⠒⠒⠤⠤⢄⣀⣀           │",
                "│░░░░░░░░░░░░░░░░░⠈⠑⠒⠒░░░░░░░░⠉⠉⠉⠒⠒⠒⠦⠤⠤⣤⣄│",
                "│░░░░░░░░░░░░░░░░░⠒⠤⠤⡀░░░░░░░░░░░░░░░░░░░│",
                "│░░░░░░░░░░░░░░░⠤⠤⢄⣀⡀░░░░░░░░░░░░░░░░░░░░│",
                "╰────────────────────────────────────────╯",
                " roll  -12.3°  pitch    4.5°  yaw  180.0°",
                " user  0.012 -0.500  1.200 g",
                " heading 123.4°  at rest           12.3 s",
            ])
    }

    @Test("The display of device motion fits into the terminal", arguments: [42, 50, 59, 60, 80, 100])
    func motionSizes(width: Int) {
        for height in [10, 12, 15, 17, 22] {
            let rows = Self.motion.picture(width: width, height: height, rate: 50).rows(colored: false)
            #expect(rows.count <= height, "\(height)")
            #expect(rows.allSatisfy { $0.count == width })
        }
    }

    private static let heading = HeadingReading(
        timestamp: 3.5, magneticHeading: 42, trueHeading: 45.5, headingAccuracy: 5, field: [15, 16, -43])

    @Test("The compass card rotates below its mark, with the numbers next to it")
    func compass() {
        #expect(
            Self.trimmed(Self.heading.picture(width: 60, height: 22, rate: 10).rows(colored: false)) == [
                "╭─ Compass ────────────────────╮╭─ Heading ────────────────╮",
                "│        ⢀⣀⠤⡖⠒⠒⠒▼⠒⢒⠶⠤⣀⡀        ││ toward              ↗ NE │",
                "│      ⡠⠞⠋  ⠈  NE ⠈   ⠋⠳⢄      ││ magnetic           42.0° │",
                "│    ⡠⠊N               E ⠑⢄    ││ true               45.5° │",
                "│  ⢀⡾⠁                    ⠨⢷⡀  ││ declination       3.5° E │",
                "│  ⡜      ⠢⢄                ⢣  ││ accuracy          ± 5.0° │",
                "│ ⢸⠑⠂       ⠑⢄             ⠊⠉⡇ ││ field            48.3 µT │",
                "│ ⢸ NW        ⠑⢄           SE⡇ ││ x   15.0 ───────┼━━───── │",
                "│ ⢸             ⠑⢄           ⡇ ││ y   16.0 ───────┼━━───── │",
                "│ ⢸⡤⠂             ⠑⢄       ⠒⢤⡇ ││ z  -43.0 ──━━━━━┼─────── │",
                "│  ⢣                ⠉⠂      ⡜  ││ 3.5 s            10.0 Hz │",
                "│  ⠈⢯⡀                  S ⢈⡽⠁  ││                          │",
                "│    ⠑⢄W                 ⡠⠊    ││                          │",
                "│      ⠑⢦⣆  ⢠  SW ⠠⡀  ⣦⡴⠊      ││                          │",
                "│        ⠈⠉⠒⠧⠤⠤⠤⠤⠤⠤⠷⠒⠉⠁        ││                          │",
                "╰──────────────────────────────╯╰──────────────────────────╯",
            ])
    }

    @Test("A narrow terminal shows the heading on a tape")
    func tape() {
        #expect(
            Self.trimmed(Self.heading.picture(width: 44, height: 22, rate: nil).rows(colored: false)) == [
                "╭─────────────────────▼────────────────────╮",
                "│·  NW ·  ·  N  ·  ·  NE ·  ·  E  ·  ·  SE │",
                "╰──────────────────────────────────────────╯",
                " magnetic  42.0°  true  45.5°",
                " accuracy ± 5.0°",
                " x 15.0  y 16.0  z -43.0 µT",
            ])
        var lost = Self.heading
        lost.headingAccuracy = -1
        lost.trueHeading = -1
        let rows = lost.picture(width: 44, height: 22, rate: nil).rows(colored: false)
        #expect(rows.contains { $0.contains("unreliable") })
        #expect(rows.contains { $0.contains("true      -") })
    }

    @Test("The display of a heading fits into the terminal", arguments: [42, 59, 60, 80, 100])
    func headingSizes(width: Int) {
        for height in [10, 12, 13, 15, 22] {
            let rows = Self.heading.picture(width: width, height: height, rate: 50).rows(colored: false)
            #expect(rows.count <= height, "\(height)")
            #expect(rows.allSatisfy { $0.count == width })
        }
    }

    @Test(
        "A heading that rounds to 360° is shown as 0°",
        arguments: [(0, "  0.0°"), (359.94, "359.9°"), (359.96, "  0.0°"), (359.999, "  0.0°"), (-1, "     -")])
    func roundedHeading(heading: Double, text: String) { #expect(HeadingReading.degrees(heading) == text) }

    @Test("North is at the top of the card for a heading of 0°, and on the left for 90°")
    func card() throws {
        func north(_ heading: Double) throws -> (column: Int, row: Int) {
            var canvas = Canvas(width: 30, height: 15)
            CompassRose(heading: heading).draw(on: &canvas, x: 0, y: 0, rows: 15)
            let rows = canvas.rows(colored: false).map(Array.init)
            // The N of NE and NW is followed by another letter.
            for (y, row) in rows.enumerated() {
                for (x, character) in row.enumerated() where character == "N" && row[x + 1] != "E" && row[x + 1] != "W"
                {
                    return (x, y)
                }
            }
            throw CancellationError()
        }
        #expect(try north(0).row < 3)
        #expect(try north(180).row > 11)
        #expect(try north(90).column < 5)
        #expect(try north(270).column > 24)
    }

    @Test("Signed bars extend to the side of their sign, at most to the edge")
    func bars() {
        func bar(_ value: Double) -> String {
            var canvas = Canvas(width: 9, height: 1)
            Gauges.signedBar(value, on: &canvas, x: 0, y: 0, width: 9)
            return canvas.rows(colored: false)[0]
        }
        #expect(bar(0) == "────┼────")
        #expect(bar(0.5) == "────┼━━──")
        #expect(bar(-0.25) == "───━┼────")
        #expect(bar(7) == "────┼━━━━")
        #expect(bar(.nan) == "────┼────")
    }
}

@Suite("Sparklines")
struct SparklineTests {
    @Test("A sparkline maps its range to the heights of its bars and drops the oldest readings")
    func bars() {
        var line = Sparkline(width: 4)
        #expect(line.text(from: 0, to: 1) == "    ")
        for reading in [9, -1, 0, 0.5, 1] { line.add(reading) }
        #expect(line.text(from: -1, to: 1) == "▁▅▇█")
        line.add(.nan)
        #expect(line.text(from: -1, to: 1) == "▅▇█·")
        #expect(line.range?.least == 0)
        #expect(line.text(from: 1, to: 1) == "····")
    }
}
