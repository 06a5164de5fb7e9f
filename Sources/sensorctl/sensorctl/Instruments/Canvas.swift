// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorTools

/// A grid of coloured characters for terminal output.
struct Canvas {
    private struct Style: Equatable {
        /// The number of one of xterm's 256 colours, or nil for the terminal's default colour.
        var color: Int?
        var isBold = false

        var escape: String { "\(TerminalStyle.escape)0\(isBold ? ";1" : "")\(color.map { ";38;5;\($0)" } ?? "")m" }
    }

    let width: Int
    let height: Int
    private var cells: [(character: Character, style: Style)]

    init(width: Int, height: Int) {
        self.width = max(1, width)
        self.height = max(1, height)
        cells = Array(repeating: (" ", Style()), count: self.width * self.height)
    }

    /// Writes text. Characters outside the canvas are not drawn. All characters must be one column wide.
    mutating func put(_ text: String, x: Int, y: Int, color: Int, bold: Bool = false) {
        guard y >= 0, y < height else { return }
        for (offset, character) in text.enumerated() where x + offset >= 0 && x + offset < width {
            cells[y * width + x + offset] = (character, Style(color: color, isBold: bold))
        }
    }

    mutating func dim(_ text: String, x: Int, y: Int) { put(text, x: x, y: y, color: 244) }

    mutating func row(_ name: String, _ value: String, x: Int, y: Int, width: Int, color: Int = Palette.text) {
        dim(name, x: x, y: y)
        put(value, x: x + width - value.count, y: y, color: color, bold: true)
    }

    mutating func frame(x: Int, y: Int, width: Int, height: Int, title: String) {
        guard width >= 2, height >= 2 else { return }
        let line = String(repeating: "─", count: width - 2)
        put("╭\(line)╮", x: x, y: y, color: 240)
        put("╰\(line)╯", x: x, y: y + height - 1, color: 240)
        for row in (y + 1)..<(y + height - 1) {
            for column in [x, x + width - 1] { put("│", x: column, y: row, color: 240) }
        }
        if !title.isEmpty, title.count + 4 <= width { put(" \(title) ", x: x + 2, y: y, color: 250, bold: true) }
    }

    func rows(colored: Bool) -> [String] {
        (0..<height).map { y in
            var text = ""
            var current = Style()
            for cell in cells[(y * width)..<((y + 1) * width)] {
                if colored, cell.style != current {
                    text += cell.style.escape
                    current = cell.style
                }
                text.append(cell.character)
            }
            return colored && current != Style() ? text + "\(TerminalStyle.escape)0m" : text
        }
    }
}

/// A picture of Braille dots. Each character has four rows of two dots, all in the same colour.
struct BrailleGrid {
    /// The bit of each dot in a Braille character (U+2800 and above), by row and column.
    private static let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

    let columns: Int
    let rows: Int
    private var cells: [(mask: UInt8, color: Int)]

    init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
        cells = Array(repeating: (0, 0), count: self.columns * self.rows)
    }

    var width: Int { columns * 2 }
    var height: Int { rows * 4 }

    mutating func dot(x: Int, y: Int, color: Int) {
        guard x >= 0, y >= 0, x < width, y < height else { return }
        let cell = y / 4 * columns + x / 2
        cells[cell] = (cells[cell].mask | Self.bits[y % 4][x % 2], color)
    }

    mutating func line(
        from start: (x: Double, y: Double), to end: (x: Double, y: Double), color: Int, dotted: Bool = false
    ) {
        let length = max(abs(end.x - start.x), abs(end.y - start.y))
        // Skips lines that have non-finite coordinates or are so long that they extend far outside the picture.
        guard length.isFinite, length < 20_000 else { return }
        let steps = max(1, Int(length.rounded(.up)))
        for step in 0...steps where !dotted || step % 4 == 0 {
            let part = Double(step) / Double(steps)
            let x = start.x + (end.x - start.x) * part
            let y = start.y + (end.y - start.y) * part
            guard abs(x) < 1e6, abs(y) < 1e6 else { continue }
            dot(x: Int(x.rounded(.down)), y: Int(y.rounded(.down)), color: color)
        }
    }

    /// The radius of the largest circle that fits the picture's height, in dots.
    var radius: Double { Double(height) / 2 - 1 }

    /// Converts polar coordinates to a position in the picture. The angle is in radians, clockwise from the top. The
    /// distance from the centre is in dots.
    func point(_ radians: Double, _ distance: Double) -> (x: Double, y: Double) {
        (Double(width) / 2 - 0.5 + sin(radians) * distance, Double(height) / 2 - 0.5 - cos(radians) * distance)
    }

    mutating func dot(at point: (x: Double, y: Double), color: Int) {
        dot(x: Int(point.x.rounded()), y: Int(point.y.rounded()), color: color)
    }

    func draw(on canvas: inout Canvas, x: Int, y: Int) {
        for (index, cell) in cells.enumerated() where cell.mask != 0 {
            guard let scalar = Unicode.Scalar(0x2800 + UInt32(cell.mask)) else { continue }
            canvas.put(String(scalar), x: x + index % columns, y: y + index / columns, color: cell.color)
        }
    }
}
