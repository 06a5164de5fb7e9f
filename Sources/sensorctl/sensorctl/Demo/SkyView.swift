// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation

/// Draws the satellites at their positions in the sky, and lists the number in use from each system.
struct SkyView {
    private typealias Kind = (name: String, system: Satellite.System?, color: Int)

    private static let other: Kind = ("other", nil, 250)
    private static let kinds: [Kind] = [
        ("GPS", .gps, 84), ("GLONASS", .glonass, 209), ("Galileo", .galileo, 81), ("BeiDou", .beiDou, 221),
        ("SBAS", .sbas, 177), ("QZSS", .qzss, 213), ("NavIC", .navIC, 159), other,
    ]

    let satellites: [Satellite]
    /// True if there is no current position, so the satellites may be outdated.
    let isStale: Bool

    /// Draws the sky as a circle with north at the top. It has twice as many columns as rows.
    func drawPlot(on canvas: inout Canvas, x: Int, y: Int, rows: Int) {
        guard rows >= 5 else { return }
        let columns = rows * 2
        var grid = BrailleGrid(columns: columns, rows: rows)
        for share in [1.0, 0.5] {
            let count = max(1, Int(grid.radius * share * 8))
            for step in 0..<count where share == 1 || step % 3 == 0 {
                let angle = Double(step) / Double(count) * 2 * .pi
                grid.dot(at: grid.point(angle, grid.radius * share), color: Palette.faint)
            }
        }
        grid.draw(on: &canvas, x: x, y: y)
        canvas.dim("N", x: x + columns / 2, y: y)
        // Satellites in use are drawn last, on top of the others.
        for satellite in satellites.sorted(by: { !$0.isUsed && $1.isUsed }) {
            guard satellite.elevation >= 0, satellite.elevation <= 90, satellite.azimuth.isFinite else { continue }
            let distance = (90 - satellite.elevation) / 90 * (grid.radius - 1)
            let point = grid.point(satellite.azimuth * .pi / 180, distance)
            let isUsed = satellite.isUsed && !isStale
            canvas.put(
                isUsed ? "●" : "∘", x: x + Int(point.x.rounded()) / 2, y: y + Int(point.y.rounded()) / 4,
                color: isUsed ? Self.kind(of: satellite).color : 242, bold: isUsed)
        }
    }

    /// Draws a row per system with the numbers of satellites used and visible. If there is room, draws a second row
    /// with a mark for each satellite.
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

    func systemRows(_ rows: Int) -> Int {
        let systems = Set(satellites.map { Self.kind(of: $0).name }).count
        return min(rows, rows >= 10 ? systems * 2 : systems)
    }

    private static func kind(of satellite: Satellite) -> Kind { kinds.first { $0.system == satellite.system } ?? other }
}
