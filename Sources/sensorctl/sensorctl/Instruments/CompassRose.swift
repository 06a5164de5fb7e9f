// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A compass card that turns under a fixed mark at the top.
struct CompassRose {
    private static let names = [
        (0, "N"), (45, "NE"), (90, "E"), (135, "SE"), (180, "S"), (225, "SW"), (270, "W"), (315, "NW"),
    ]

    /// Degrees clockwise from north, of what the mark points to.
    let heading: Double

    /// Draws a card of that many rows and twice as many columns.
    func draw(on canvas: inout Canvas, x: Int, y: Int, rows: Int) {
        guard rows >= 7, heading.isFinite else { return }
        let columns = rows * 2
        var grid = BrailleGrid(columns: columns, rows: rows)
        let middle = (x: Double(grid.width) / 2 - 0.5, y: Double(grid.height) / 2 - 0.5)
        let radius = Double(grid.height) / 2 - 1
        func place(_ bearing: Double, _ distance: Double) -> (x: Double, y: Double) {
            let angle = (bearing - heading) * .pi / 180
            return (middle.x + sin(angle) * distance, middle.y - cos(angle) * distance)
        }
        for step in 0..<360 {
            let dot = place(Double(step), radius)
            grid.dot(x: Int(dot.x.rounded()), y: Int(dot.y.rounded()), color: 244)
        }
        for bearing in stride(from: 0, to: 360, by: 15) where bearing % 45 != 0 || rows < 11 {
            let length = bearing % 30 == 0 ? 3.0 : 1.5
            grid.line(
                from: place(Double(bearing), radius - length), to: place(Double(bearing), radius), color: 244)
        }
        // The needle: its north half is bright.
        grid.line(from: middle, to: place(0, radius * 0.55), color: 203)
        grid.line(from: middle, to: place(180, radius * 0.55), color: 244)
        grid.draw(on: &canvas, x: x, y: y)
        for (bearing, name) in Self.names where rows >= 11 || bearing % 90 == 0 {
            let spot = place(Double(bearing), radius - 3.5)
            let column = Int((spot.x / 2).rounded(.down)) - (name.count - 1) / 2
            canvas.put(
                name, x: x + column, y: y + Int(spot.y / 4), color: bearing == 0 ? 203 : bearing % 90 == 0 ? 231 : 250,
                bold: bearing % 90 == 0)
        }
        canvas.put("▼", x: x + columns / 2, y: y, color: Palette.fair, bold: true)
    }
}
