// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorTools

/// A reading that can be drawn in a terminal.
protocol PicturedReading: TimedReading {
    /// Returns a picture's rows. `past` ends with this reading. `rate` is in hertz, or nil if unknown.
    func rows(_ past: [any PicturedReading], size: PictureSize, rate: Double?, ink: TerminalStyle) -> [String]
}

/// A reading whose picture does not depend on earlier readings.
protocol DrawnReading: PicturedReading { func picture(width: Int, height: Int, rate: Double?) -> Canvas }

extension DrawnReading {
    /// Returns a picture of at most 100 columns and 22 rows. Leaves one row free for the cursor.
    func rows(_ past: [any PicturedReading], size: PictureSize, rate: Double?, ink: TerminalStyle) -> [String] {
        picture(width: min(size.width, 100), height: min(size.height - 1, 22), rate: rate).rows(colored: ink.isOn)
    }
}

struct PictureSize: Equatable {
    static let minimumColumns = 42
    static let minimumRows = 12
    /// The minimum terminal width, in columns, for showing values beside the picture instead of below it.
    static let wideColumns = 60
    /// The width of the values beside a picture, in columns.
    static let numbersColumns = 28

    var width: Int
    var height: Int
}

/// Draws readings in a terminal. Each reading replaces the previous one. Must be used on the main thread.
final class PicturePrinter: ReadingPrinter {
    private let clock: any DeviceClock
    private let screen = TerminalScreen(.standardOutput)
    private let output: StandardOutput
    private let ink = TerminalStyle(.standardOutput)
    private var painter: RowPainter
    private var lastDrawn: BootTime?
    private var recent: [any PicturedReading] = []

    init(output: StandardOutput, clock: any DeviceClock) {
        (self.output, self.clock) = (output, clock)
        painter = RowPainter(output: output)
    }

    func print(_ reading: some Reading) {
        guard let reading = reading as? any PicturedReading else { return printBelow(reading) }
        // If the timestamp has not increased, the trace has restarted, so earlier readings are discarded.
        if let last = recent.last, reading.timestamp <= last.timestamp { recent = [] }
        recent.append(reading)
        if recent.count > Sparkline.maximumWidth { recent.removeFirst() }
        let now = clock.now
        if let lastDrawn, now.seconds(since: lastDrawn) < RowPainter.minimumInterval { return }
        lastDrawn = now
        painter.draw(reading.rows(recent, size: screen.measure(), rate: rate, ink: ink))
    }

    /// Prints text below the current picture. Both stay on the screen, and the next picture is drawn below them.
    private func printBelow(_ reading: some Reading) {
        painter.keepRows()
        let failure = reading as? StreamFailure
        let lines = failure.map { [$0.line("no \($0.stream.rawValue)", ink)] } ?? reading.lines(ink)
        for line in lines { output.write(line: line) }
    }

    private var rate: Double? {
        let times = recent.suffix(50).map(\.timestamp)
        guard times.count > 1, let first = times.first, let last = times.last, last > first else { return nil }
        return Double(times.count - 1) / (last - first)
    }
}

/// Displays a calibration's progress. Each picture replaces the previous one.
final class PictureScreen: CalibrationScreen {
    let showsPictures = true
    private let output: StandardOutput
    private let isColored = TerminalStyle(.standardOutput).isOn
    private let screen = TerminalScreen(.standardOutput)
    private var painter: RowPainter

    init(_ output: StandardOutput) {
        self.output = output
        painter = RowPainter(output: output)
    }

    func print(_ line: String) {
        // Erases the picture and prints the line in its place. The next picture is drawn below it.
        painter.draw([])
        painter.keepRows()
        output.write(line: line)
    }

    func show(_ task: any CalibrationTask) {
        let width = min(screen.measure().width, 100)
        var canvas = Canvas(width: width, height: 1)
        let text = String(format: "%3.0f %%  ", task.progress * 100)
        canvas.put(text, x: 2, y: 0, color: Palette.text, bold: true)
        Gauges.bar(task.progress, on: &canvas, x: 9, y: 0, width: min(width - 11, 50))
        var rows = canvas.rows(colored: isColored)
        rows.append("  " + String(task.status.prefix(max(width - 3, 0))))
        if let map = task.map { rows += Self.picture(of: map, width: width).rows(colored: isColored) }
        painter.draw(rows)
    }

    func clear() { painter.draw([]) }

    private static func picture(of map: SphereMap, width: Int) -> Canvas {
        let columns = min(max(width, PictureSize.minimumColumns), 64)
        var canvas = Canvas(width: columns, height: SphereMap.rows + 2)
        canvas.frame(x: 0, y: 0, width: columns, height: SphereMap.rows + 2, title: "Measured field directions")
        for row in 0..<SphereMap.rows {
            for column in 0..<(columns - 4) {
                let isCovered = map.isCovered(row: row, at: Double(column) / Double(columns - 4))
                canvas.put(
                    isCovered ? "█" : "·", x: column + 2, y: row + 1, color: isCovered ? Palette.good : Palette.faint)
            }
        }
        return canvas
    }
}
