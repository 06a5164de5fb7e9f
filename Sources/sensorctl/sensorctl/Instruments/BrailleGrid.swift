// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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

    /// The size in dots.
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

    /// Puts the characters that have dots onto a canvas.
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
