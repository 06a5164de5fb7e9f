// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A map of directions, whose cells have the same area each: those that were seen, and those that were not.
package struct SphereMap: Sendable {
    package static let rows = 8
    static let columns = 16

    private var cells = [Bool](repeating: false, count: rows * columns)

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
            cells[max(row, 0) * Self.columns + max(column, 0)] = true
        }
    }

    /// The part of all cells that was seen.
    var share: Double { Double(cells.count { $0 }) / Double(cells.count) }

    /// True where a direction was seen: in the row, whose first one is the top of the sphere, at a share of the width.
    package func isSeen(row: Int, at share: Double) -> Bool {
        let column = Int(share * Double(Self.columns))
        let cell = row * Self.columns + column
        return (0..<Self.columns).contains(column) && cells.indices.contains(cell) && cells[cell]
    }
}
