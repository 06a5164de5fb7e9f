// SPDX-License-Identifier: Apache-2.0

import SensorTools
import SystemCalls

/// A terminal that shows pictures on its alternate screen. ``begin()`` hides the cursor and disables echo;
/// ``restore()`` undoes both.
final class TerminalScreen {
    private let descriptor: Descriptor
    private let ink: TerminalStyle
    private var attributes: termios?
    private var isActive = false
    private var displayedRows: [String] = []
    private var size = PictureSize(width: 0, height: 0)

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
        ink = TerminalStyle(descriptor)
    }

    deinit { restore() }

    func measure() -> PictureSize {
        let size = descriptor.terminalSize ?? (80, 24)
        return PictureSize(width: size.columns, height: size.rows)
    }

    func begin() {
        guard !isActive else { return }
        isActive = true
        var current = termios()
        // Keyboard input arrives on descriptor 0 (standard input). If it is not a terminal, only the output changes.
        if tcgetattr(0, &current) == 0 {
            attributes = current
            current.c_lflag &= ~tcflag_t(ECHO | ICANON)
            // Disables Ctrl-Z and Ctrl-\, because suspending or quitting the program with them would leave the terminal
            // on the alternate screen. Ctrl-C still ends the program.
            withUnsafeMutableBytes(of: &current.c_cc) { keys in
                for key in [Int(VSUSP), Int(VQUIT)] where keys.indices.contains(key) { keys[key] = 0 }
            }
            tcsetattr(0, TCSANOW, &current)
        }
        _ = write("\(TerminalStyle.escape)?1049h\(TerminalStyle.escape)?25l\(TerminalStyle.escape)2J")
    }

    func restore() {
        guard isActive else { return }
        isActive = false
        _ = write("\(TerminalStyle.escape)0m\(TerminalStyle.escape)?25h\(TerminalStyle.escape)?1049l")
        if var attributes {
            // Discards keys typed while the picture was visible, so that the shell does not receive them.
            tcflush(0, TCIFLUSH)
            tcsetattr(0, TCSANOW, &attributes)
        }
    }

    /// Writes the rows that changed. Returns false if the write fails.
    func show(_ canvas: Canvas) -> Bool {
        let rows = canvas.rows(colored: ink.isOn)
        var text = ""
        let drawn = PictureSize(width: canvas.width, height: canvas.height)
        if size != drawn {
            text += "\(TerminalStyle.escape)2J"
            (displayedRows, size) = ([], drawn)
        }
        for (index, row) in rows.enumerated()
        where !displayedRows.indices.contains(index) || displayedRows[index] != row {
            text += "\(TerminalStyle.escape)\(index + 1);1H\(row)"
        }
        displayedRows = rows
        guard !text.isEmpty else { return true }
        // Requests a synchronized update. A terminal that supports it shows all changed rows at once.
        return write("\(TerminalStyle.escape)?2026h\(text)\(TerminalStyle.escape)?2026l")
    }

    private func write(_ text: String) -> Bool { descriptor.write(TerminalText.lines(text)) == .written }
}

/// Redraws rows in place, without using the terminal's alternate screen.
struct RowPainter {
    /// The minimum interval between pictures, in seconds. Serial terminals may be too slow for a shorter one.
    static let minimumInterval = 0.05

    private let output: StandardOutput
    private var drawnRows = 0

    init(output: StandardOutput) { self.output = output }

    mutating func draw(_ rows: [String]) {
        var text = drawnRows > 0 ? "\(TerminalStyle.escape)\(drawnRows)A" : ""
        for row in rows { text += "\(TerminalStyle.escape)1G\(TerminalStyle.escape)2K\(row)\n" }
        // If the previous picture had more rows, erases the surplus rows.
        if drawnRows > rows.count { text += "\(TerminalStyle.escape)J" }
        drawnRows = rows.count
        output.write(lines: text)
    }

    /// Leaves the current rows on the screen. The next rows are drawn below them.
    mutating func keepRows() { drawnRows = 0 }
}
