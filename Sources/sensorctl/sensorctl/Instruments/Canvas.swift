// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A grid of characters with colours, which becomes one string for the terminal.
struct Canvas {
    /// What a character looks like.
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

    /// The rows as text, with colours or without.
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
