// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A grid of characters with colours, which becomes one string for the terminal.
struct Canvas {
    struct Style: Equatable {
        /// A colour of xterm's 256; nil for the terminal's own.
        var color: Int?
        var isBold = false
        var isDim = false
    }

    private struct Cell: Equatable {
        var character: Character = " "
        var style = Style()
    }

    let width: Int
    let height: Int
    private var cells: [Cell]

    init(width: Int, height: Int) {
        self.width = max(1, width)
        self.height = max(1, height)
        cells = Array(repeating: Cell(), count: self.width * self.height)
    }

    /// Writes from a place on; what lies outside is left out. All characters are one column wide.
    mutating func put(_ text: String, x: Int, y: Int, _ style: Style = Style()) {
        guard y >= 0, y < height else { return }
        for (offset, character) in text.enumerated() where x + offset >= 0 && x + offset < width {
            cells[y * width + x + offset] = Cell(character: character, style: style)
        }
    }

    mutating func put(_ text: String, x: Int, y: Int, color: Int, bold: Bool = false) {
        put(text, x: x, y: y, Style(color: color, isBold: bold))
    }

    mutating func dim(_ text: String, x: Int, y: Int) { put(text, x: x, y: y, Style(color: 244)) }

    /// A name at the left and a value at the right end of a row.
    mutating func row(_ name: String, _ value: String, x: Int, y: Int, width: Int, color: Int = Palette.text) {
        dim(name, x: x, y: y)
        put(value, x: x + width - value.count, y: y, color: color, bold: true)
    }

    /// A frame with round corners and a title.
    mutating func frame(x: Int, y: Int, width: Int, height: Int, title: String) {
        guard width >= 2, height >= 2 else { return }
        let style = Style(color: 240)
        put("╭" + String(repeating: "─", count: width - 2) + "╮", x: x, y: y, style)
        put("╰" + String(repeating: "─", count: width - 2) + "╯", x: x, y: y + height - 1, style)
        for row in (y + 1)..<max(y + 1, y + height - 1) {
            put("│", x: x, y: row, style)
            put("│", x: x + width - 1, y: row, style)
        }
        if !title.isEmpty, title.count + 4 <= width {
            put(" \(title) ", x: x + 2, y: y, Style(color: 250, isBold: true))
        }
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
            return colored && current != Style() ? text + "\u{1B}[0m" : text
        }
    }
}

extension Canvas.Style {
    fileprivate var escape: String {
        var codes = ["0"]
        if isBold { codes.append("1") }
        if isDim { codes.append("2") }
        if let color { codes.append("38;5;\(color)") }
        return "\u{1B}[\(codes.joined(separator: ";"))m"
    }
}

/// A picture of dots, two by four in each character, with one colour a character.
struct BrailleGrid {
    /// The dots' bits in U+2800..., by row and column.
    private static let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

    let columns: Int
    let rows: Int
    private var masks: [UInt8]
    private var colors: [Int]

    init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
        masks = Array(repeating: 0, count: self.columns * self.rows)
        colors = Array(repeating: 0, count: self.columns * self.rows)
    }

    var width: Int { columns * 2 }
    var height: Int { rows * 4 }

    mutating func dot(x: Int, y: Int, color: Int) {
        guard x >= 0, y >= 0, x < width, y < height else { return }
        let cell = y / 4 * columns + x / 2
        masks[cell] |= Self.bits[y % 4][x % 2]
        colors[cell] = color
    }

    /// A straight line; with gaps when it stands for what is not known.
    mutating func line(
        from start: (x: Double, y: Double), to end: (x: Double, y: Double), color: Int, dotted: Bool = false
    ) {
        let length = max(abs(end.x - start.x), abs(end.y - start.y))
        // What is far outside, or no number at all, is not drawn.
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

    func draw(on canvas: inout Canvas, x: Int, y: Int) {
        for row in 0..<rows {
            for column in 0..<columns where masks[row * columns + column] != 0 {
                let cell = row * columns + column
                guard let scalar = Unicode.Scalar(0x2800 + UInt32(masks[cell])) else { continue }
                canvas.put(String(Character(scalar)), x: x + column, y: y + row, color: colors[cell])
            }
        }
    }
}
