// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorTools

/// A terminal screen that draws the progress of a calibration repeatedly in the same rows.
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
        // Erases the picture. The next one is drawn below the line.
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
                let isSeen = map.isSeen(row: row, at: Double(column) / Double(columns - 4))
                canvas.put(isSeen ? "█" : "·", x: column + 2, y: row + 1, color: isSeen ? Palette.good : Palette.faint)
            }
        }
        return canvas
    }
}
