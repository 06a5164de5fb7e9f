// SPDX-License-Identifier: Apache-2.0

import SensorTools
import SystemCalls

/// The terminal while a picture is on it: another screen, no cursor, no echo. `restore` gives everything back.
final class TerminalScreen {
    private let descriptor: Descriptor
    private let ink: Ink
    private var attributes: termios?
    private var isActive = false
    private var shown: [String] = []
    private var size = PictureSize(width: 0, height: 0)

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
        ink = Ink(descriptor)
    }

    deinit { restore() }

    /// Columns and rows; 80 by 24 when the terminal does not say.
    func measure() -> PictureSize {
        var window = winsize()
        guard ioctl(descriptor.number, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return PictureSize(width: 80, height: 24)
        }
        return PictureSize(width: Int(window.ws_col), height: Int(window.ws_row))
    }

    func begin() {
        guard !isActive else { return }
        isActive = true
        var current = termios()
        if tcgetattr(0, &current) == 0 {
            attributes = current
            current.c_lflag &= ~tcflag_t(ECHO | ICANON)
            // No key may leave the picture behind; Ctrl-C still ends it.
            withUnsafeMutableBytes(of: &current.c_cc) { keys in
                for key in [Int(VSUSP), Int(VQUIT)] where keys.indices.contains(key) { keys[key] = 0 }
            }
            tcsetattr(0, TCSANOW, &current)
        }
        _ = write("\(Ink.escape)?1049h\(Ink.escape)?25l\(Ink.escape)2J")
    }

    func restore() {
        guard isActive else { return }
        isActive = false
        _ = write("\(Ink.escape)0m\(Ink.escape)?25h\(Ink.escape)?1049l")
        if var attributes {
            // What was typed meanwhile was not meant for the shell.
            tcflush(0, TCIFLUSH)
            tcsetattr(0, TCSANOW, &attributes)
        }
    }

    /// Shows a picture, writing only the rows that have changed; false when the terminal is gone.
    func show(_ canvas: Canvas) -> Bool {
        let rows = canvas.rows(colored: ink.isOn)
        var text = ""
        let drawn = PictureSize(width: canvas.width, height: canvas.height)
        if size != drawn {
            text += "\(Ink.escape)2J"
            (shown, size) = ([], drawn)
        }
        for (index, row) in rows.enumerated() where !shown.indices.contains(index) || shown[index] != row {
            text += "\(Ink.escape)\(index + 1);1H\(row)"
        }
        shown = rows
        guard !text.isEmpty else { return true }
        // The terminal shows it all at once where it can.
        return write("\(Ink.escape)?2026h\(text)\(Ink.escape)?2026l")
    }

    private func write(_ text: String) -> Bool { descriptor.write(Printable.lines(text)) == .written }
}

/// Draws rows of a terminal over the ones it drew before, without taking the screen.
struct RowPainter {
    /// Seconds between pictures: an eye does not need more, and a terminal at the end of a line may not take more.
    static let pause = 0.05

    private let output: StandardOutput
    private var drawnRows = 0

    init(output: StandardOutput) { self.output = output }

    mutating func draw(_ rows: [String]) {
        var text = drawnRows > 0 ? "\(Ink.escape)\(drawnRows)A" : ""
        for row in rows { text += "\(Ink.escape)1G\(Ink.escape)2K\(row)\n" }
        // What is left of a higher picture.
        if drawnRows > rows.count { text += "\(Ink.escape)J" }
        drawnRows = rows.count
        output.write(lines: text)
    }

    /// Leaves the rows where they are; the next ones come below.
    mutating func leave() { drawnRows = 0 }
}
