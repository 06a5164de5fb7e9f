// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An artificial horizon. The device lies with its screen facing up, and the viewer looks in the direction of its top
/// edge. If the top edge is raised (pitch), the horizon moves down. If the right edge is lowered (roll), the horizon
/// turns counterclockwise.
struct HorizonView {
    /// The vertical field of view of the picture, in degrees.
    private static let span = 70.0
    private static let sky = 75
    private static let earth = 137
    private static let line = 255

    /// The unit vector that points up, in the device's axes.
    let up: SIMD3<Double>

    /// - Parameter gravity: A vector of any length that points down, in the device's axes.
    init(gravity: SIMD3<Double>) {
        let length = (gravity * gravity).sum().squareRoot()
        up = length.isFinite && length > 1e-9 ? -gravity / length : SIMD3(0, 0, 1)
    }

    /// The pitch in radians, positive if the top edge is raised.
    var pitch: Double { asin(min(max(up.y, -1), 1)) }

    /// The roll in radians, positive if the right edge is lowered.
    var roll: Double { atan2(-up.x, up.z) }

    func draw(on canvas: inout Canvas, x: Int, y: Int, columns: Int, rows: Int) {
        guard columns >= 12, rows >= 5 else { return }
        var grid = BrailleGrid(columns: columns, rows: rows)
        // Dots are as wide as they are high, so the step is the same in both directions.
        let step = Self.span / Double(grid.height)
        let (sine, cosine) = (sin(roll), cos(roll))
        let half = min(Double(grid.width) * step / 2, Self.span / 2)
        for dotY in 0..<grid.height {
            for dotX in 0..<grid.width {
                let across = (Double(dotX) + 0.5 - Double(grid.width) / 2) * step
                let above = (Double(grid.height) / 2 - Double(dotY) - 0.5) * step
                let height = elevation(across: across, above: above)
                // The distance from the centre parallel to the horizon, in degrees.
                let side = abs(across * cosine + above * sine)
                let rung = (height / 10).rounded()
                guard abs(height - rung * 10) <= step / 2 else { continue }
                if rung == 0 {
                    grid.dot(x: dotX, y: dotY, color: Self.line)
                } else if side < half * (Int(rung) % 3 == 0 ? 0.36 : 0.2) {
                    grid.dot(x: dotX, y: dotY, color: rung > 0 ? Self.sky : Self.earth)
                }
            }
        }
        ground(on: &canvas, x: x, y: y, columns: columns, rows: rows, step: step)
        grid.draw(on: &canvas, x: x, y: y)
        labels(on: &canvas, x: x, y: y, columns: columns, rows: rows, step: step, side: half * 0.36)
        pointer(on: &canvas, x: x, y: y, columns: columns)
        canvas.put("━━━╸◆╺━━━", x: x + columns / 2 - 4, y: y + rows / 2, color: Palette.fair, bold: true)
    }

    /// Returns the elevation of a point in the picture, in degrees above the horizon. The point is `across` degrees to
    /// the right of the centre and `above` degrees above it.
    private func elevation(across: Double, above: Double) -> Double {
        let distance = (across * across + above * above).squareRoot()
        let angle = min(distance, 180) * .pi / 180
        let share = distance > 0 ? sin(angle) / distance : 0
        let ray = SIMD3(across * share, cos(angle), above * share)
        return asin(min(max((ray * up).sum(), -1), 1)) * 180 / .pi
    }

    private func ground(on canvas: inout Canvas, x: Int, y: Int, columns: Int, rows: Int, step: Double) {
        for row in 0..<rows {
            for column in 0..<columns {
                let across = (Double(column) + 0.5 - Double(columns) / 2) * step * 2
                let above = (Double(rows) / 2 - Double(row) - 0.5) * step * 4
                guard elevation(across: across, above: above) < 0 else { continue }
                canvas.put("░", x: x + column, y: y + row, color: 94)
            }
        }
    }

    /// Draws labels beside every third line of the pitch scale.
    private func labels(on canvas: inout Canvas, x: Int, y: Int, columns: Int, rows: Int, step: Double, side: Double) {
        // Omits the labels near the zenith and the nadir. The label positions assume straight lines, but lines are
        // strongly curved there.
        guard abs(pitch) < 80 * .pi / 180 else { return }
        let degrees = pitch * 180 / .pi
        for rung in [-60, -30, 30, 60] {
            let away = Double(rung) - degrees
            guard abs(away) < Self.span / 2 else { continue }
            let across = -away * sin(roll) + (side + 2) * cos(roll)
            let above = away * cos(roll) + (side + 2) * sin(roll)
            let column = Int((Double(columns) / 2 + across / (step * 2)).rounded(.down))
            let row = Int((Double(rows) / 2 - above / (step * 4)).rounded(.down))
            guard row > 0, row < rows, column >= 0, column + 2 < columns else { continue }
            canvas.put("\(rung)", x: x + column, y: y + row, color: rung > 0 ? Self.sky : Self.earth)
        }
    }

    /// Draws a roll scale in the top row, from -60° to 60°.
    private func pointer(on canvas: inout Canvas, x: Int, y: Int, columns: Int) {
        let half = columns / 2 - 2
        let middle = x + columns / 2
        for tick in stride(from: -60, through: 60, by: 30) {
            canvas.put(tick == 0 ? "┬" : "╷", x: middle + tick * half / 60, y: y, color: 250)
        }
        let share = min(max(roll * 180 / .pi / 60, -1), 1)
        canvas.put("▼", x: middle + Int((share * Double(half)).rounded()), y: y, color: Palette.fair, bold: true)
    }
}
