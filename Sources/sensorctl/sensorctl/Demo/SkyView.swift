// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation

/// The satellites: where they stand, and how many of each system are used.
struct SkyView {
    private struct Kind {
        let name: String
        let system: Satellite.System?
        let color: Int
    }

    private static let kinds = [
        Kind(name: "GPS", system: .gps, color: 84), Kind(name: "GLONASS", system: .glonass, color: 209),
        Kind(name: "Galileo", system: .galileo, color: 81), Kind(name: "BeiDou", system: .beiDou, color: 221),
        Kind(name: "SBAS", system: .sbas, color: 177), Kind(name: "QZSS", system: .qzss, color: 213),
        Kind(name: "NavIC", system: .navIC, color: 159), Kind(name: "other", system: nil, color: 250),
    ]

    let satellites: [Satellite]
    /// True while there is no position, and what is known of the sky is from before.
    let isStale: Bool

    /// The horizon as a circle with the satellites in it, north at the top; twice as wide as high.
    func drawPlot(on canvas: inout Canvas, x: Int, y: Int, rows: Int) {
        guard rows >= 5 else { return }
        let columns = rows * 2
        var grid = BrailleGrid(columns: columns, rows: rows)
        let radius = Double(grid.height) / 2 - 1
        let center = (x: Double(grid.width) / 2 - 0.5, y: Double(grid.height) / 2 - 0.5)
        for share in [1.0, 0.5] {
            let count = Int(radius * share * 8)
            for step in 0..<max(1, count) where share == 1 || step % 3 == 0 {
                let angle = Double(step) / Double(max(1, count)) * 2 * .pi
                let dotX = Int((center.x + sin(angle) * radius * share).rounded())
                let dotY = Int((center.y - cos(angle) * radius * share).rounded())
                grid.dot(x: dotX, y: dotY, color: Palette.faint)
            }
        }
        grid.draw(on: &canvas, x: x, y: y)
        canvas.dim("N", x: x + columns / 2, y: y)
        // Those in use come last, so that they are on top.
        for satellite in satellites.sorted(by: { !$0.isUsed && $1.isUsed }) {
            guard satellite.elevation >= 0, satellite.elevation <= 90, satellite.azimuth.isFinite else { continue }
            let distance = (90 - satellite.elevation) / 90 * (radius - 1)
            let angle = satellite.azimuth * .pi / 180
            let column = Int((center.x + sin(angle) * distance).rounded()) / 2
            let row = Int((center.y - cos(angle) * distance).rounded()) / 4
            let isUsed = satellite.isUsed && !isStale
            canvas.put(
                isUsed ? "●" : "∘", x: x + column, y: y + row, color: isUsed ? Self.kind(of: satellite).color : 242,
                bold: isUsed)
        }
    }

    /// One line for each system: its name, how many are used of those in view, and a mark for each as far as there is
    /// room.
    func drawSystems(on canvas: inout Canvas, x: Int, y: Int, columns: Int, rows: Int) {
        var row = y
        for kind in Self.kinds {
            let members = satellites.filter { Self.kind(of: $0).name == kind.name }
            guard !members.isEmpty, row < y + rows else { continue }
            let used = isStale ? 0 : members.count { $0.isUsed }
            canvas.put(kind.name, x: x, y: row, color: used > 0 ? kind.color : 242)
            let count = "\(used)/\(members.count)"
            canvas.put(count, x: x + columns - count.count, y: row, color: used > 0 ? Palette.text : 242)
            row += 1
            guard rows >= 10, row < y + rows else { continue }
            let marks = min(members.count, columns)
            let lit = min(used, marks)
            canvas.put(String(repeating: "▪", count: lit), x: x, y: row, color: kind.color)
            canvas.put(String(repeating: "▫", count: marks - lit), x: x + lit, y: row, color: 240)
            row += 1
        }
    }

    /// How many of those rows the systems take.
    func systemRows(_ rows: Int) -> Int {
        let systems = Set(satellites.map { Self.kind(of: $0).name }).count
        return min(rows, rows >= 10 ? systems * 2 : systems)
    }

    private static func kind(of satellite: Satellite) -> Kind {
        kinds.first { $0.system == satellite.system } ?? Kind(name: "other", system: nil, color: 250)
    }
}
