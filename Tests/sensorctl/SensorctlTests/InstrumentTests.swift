// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import sensorctl

@Suite("Pictures of attitude and heading")
struct InstrumentTests {
    /// A device that is rolled and pitched so many degrees, lying otherwise flat.
    private static func gravity(roll: Double, pitch: Double) -> SIMD3<Double> {
        let (r, p) = (roll * .pi / 180, pitch * .pi / 180)
        // Core Motion's: (cos p · sin r, -sin p, -cos p · cos r).
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

    @Test("Angles come from gravity as Core Motion has them")
    func angles() {
        for (roll, pitch) in [(0.0, 0.0), (30, 10), (-120, 40), (175, -60)] {
            let view = HorizonView(gravity: Self.gravity(roll: roll, pitch: pitch))
            #expect(abs(view.roll * 180 / .pi - roll) < 1e-9)
            #expect(abs(view.pitch * 180 / .pi - pitch) < 1e-9)
        }
        // In free fall nothing is down.
        #expect(HorizonView(gravity: .zero).pitch == 0)
    }

    @Test("Level: the horizon in the middle, the ground below it")
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

    @Test("The top edge raised by 20 degrees: the horizon is lower")
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

    @Test("The right edge lowered by 30 degrees: the horizon turns counterclockwise")
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

    @Test("Face down the ground is above")
    func inverted() {
        let rows = Self.horizon(roll: 180, pitch: 0)
        #expect(rows.prefix(5).dropFirst().allSatisfy { $0.contains("░") })
        #expect(rows.suffix(5).allSatisfy { !$0.contains("░") })
    }

    @Test("Whatever the attitude and the size, it stays within its columns", arguments: [12, 31, 78, 200])
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

    @Test("In 60 columns and 24 rows the numbers stand beside the horizon")
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

    @Test("In a narrow terminal they stand below it")
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

    @Test("No picture of device motion is wider or higher than the terminal", arguments: [42, 50, 59, 60, 80, 100])
    func motionSizes(width: Int) {
        for height in [10, 12, 15, 17, 22] {
            let rows = Self.motion.picture(width: width, height: height, rate: 50).rows(colored: false)
            #expect(rows.count <= height, "\(height)")
            #expect(rows.allSatisfy { $0.count == width })
        }
    }

    private static let heading = HeadingReading(
        timestamp: 3.5, magneticHeading: 42, trueHeading: 45.5, headingAccuracy: 5, field: [15, 16, -43])

    @Test("The compass card turns under its mark; the numbers stand beside it")
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

    @Test("A narrow terminal gets a tape")
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

    @Test("No picture of a heading is wider or higher than the terminal", arguments: [42, 59, 60, 80, 100])
    func headingSizes(width: Int) {
        for height in [10, 12, 13, 15, 22] {
            let rows = Self.heading.picture(width: width, height: height, rate: 50).rows(colored: false)
            #expect(rows.count <= height, "\(height)")
            #expect(rows.allSatisfy { $0.count == width })
        }
    }

    @Test(
        "A heading that is rounded to 360 degrees is shown as 0",
        arguments: [(0, "  0.0°"), (359.94, "359.9°"), (359.96, "  0.0°"), (359.999, "  0.0°"), (-1, "     -")])
    func roundedHeading(heading: Double, text: String) {
        #expect(HeadingReading.degrees(heading) == text)
    }

    @Test("North at the top of the card when the heading is north, and at the left when it is east")
    func card() throws {
        func north(_ heading: Double) throws -> (column: Int, row: Int) {
            var canvas = Canvas(width: 30, height: 15)
            CompassRose(heading: heading).draw(on: &canvas, x: 0, y: 0, rows: 15)
            let rows = canvas.rows(colored: false).map(Array.init)
            // NE and NW hold the letter too, with another one behind it.
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

    @Test("Bars go to the side of their sign and no farther than their half")
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

@Suite("Lines that move")
struct SparklineTests {
    @Test("The least of the range is the lowest bar, the greatest the highest, and old readings fall out")
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
