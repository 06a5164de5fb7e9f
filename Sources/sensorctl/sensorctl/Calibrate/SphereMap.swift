// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A map of directions, whose cells have the same area each: those that were seen, and those that were not.
struct SphereMap {
    static let rows = 8
    static let columns = 16

    private(set) var isSeen = [Bool](repeating: false, count: rows * columns)

    /// The directions of the readings from the center.
    init(_ readings: some Sequence<SIMD3<Double>>, center: SIMD3<Double>) {
        for reading in readings {
            let v = reading - center
            let length = (v * v).sum().squareRoot()
            guard length > 0, length.isFinite else { continue }
            // Slices of the same height have the same area on a sphere (Archimedes).
            let row = min(Int((1 - v.z / length) / 2 * Double(Self.rows)), Self.rows - 1)
            let turn = (atan2(v.y, v.x) / (2 * .pi) + 1).truncatingRemainder(dividingBy: 1)
            let column = min(Int(turn * Double(Self.columns)), Self.columns - 1)
            isSeen[max(row, 0) * Self.columns + max(column, 0)] = true
        }
    }

    /// The part of all cells that was seen.
    var share: Double { Double(isSeen.count { $0 }) / Double(isSeen.count) }

    /// Draws the top of the sphere on the first row.
    func draw(on canvas: inout Canvas, x: Int, y: Int, columns: Int) {
        for row in 0..<Self.rows {
            for column in 0..<max(columns, 0) {
                let cell = row * Self.columns + column * Self.columns / max(columns, 1)
                let seen = isSeen[cell]
                canvas.put(seen ? "█" : "·", x: x + column, y: y + row, color: seen ? Palette.good : Palette.faint)
            }
        }
    }
}
