// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import SensorTools

/// The visible area of the map, which follows the trail smoothly.
struct MapView {
    private var latitude = 0.0
    private var longitude = 0.0
    /// The scale in metres per dot, or 0 before the first position.
    private var scale = 0.0

    mutating func draw(
        _ state: DemoState, fastest: Double, units: UnitSystem, on canvas: inout Canvas, x: Int, y: Int, columns: Int,
        rows: Int
    ) {
        guard columns > 3, rows > 2, !state.trail.isEmpty else { return }
        var grid = BrailleGrid(columns: columns, rows: rows)
        follow(state, width: grid.width, height: grid.height)
        let size = (width: Double(grid.width), height: Double(grid.height))
        for fence in state.regions { circle(fence, on: &grid, size) }
        var last: (x: Double, y: Double)?
        for trailPoint in state.trail {
            let point = dot(trailPoint.latitude, trailPoint.longitude, size)
            let isGap = trailPoint.isAfterGap && last != nil
            let color = isGap ? 242 : Palette.speed(trailPoint.speed / max(fastest, 0.1))
            grid.line(from: last ?? point, to: point, color: color, dotted: isGap)
            last = point
        }
        grid.draw(on: &canvas, x: x, y: y)
        for fence in state.regions { name(fence, on: &canvas, x: x, y: y, columns, rows, size) }
        if let first = state.trail.first {
            mark("○", at: dot(first.latitude, first.longitude, size), color: 250, &canvas, x: x, y: y, columns, rows)
        }
        if let location = state.location {
            let arrow = location.course >= 0 && location.speed > 0.5 ? Compass.arrow(location.course) : "●"
            let point = dot(location.coordinate.latitude, location.coordinate.longitude, size)
            let isLost = state.failure != nil
            mark(isLost ? "✕" : arrow, at: point, color: isLost ? Palette.bad : 231, &canvas, x: x, y: y, columns, rows)
        }
        ruler(units, on: &canvas, x: x + 1, y: y + rows - 1, columns: columns)
    }

    /// Draws a region's boundary, which is dotted while the device is outside the region.
    private func circle(_ fence: DemoState.Fence, on grid: inout BrailleGrid, _ size: (width: Double, height: Double)) {
        let center = dot(fence.region.center.latitude, fence.region.center.longitude, size)
        let radius = fence.region.radius / scale
        // Skips boundaries smaller than a dot or much larger than the map.
        guard radius.isFinite, radius >= 1, radius < 4 * (size.width + size.height) else { return }
        let color = fence.isInside ? Palette.good : 244
        var last: (x: Double, y: Double)?
        for step in 0...72 {
            let angle = Double(step) * .pi / 36
            let point = (x: center.x + radius * sin(angle), y: center.y - radius * cos(angle))
            if let last { grid.line(from: last, to: point, color: color, dotted: !fence.isInside) }
            last = point
        }
    }

    private func name(
        _ fence: DemoState.Fence, on canvas: inout Canvas, x: Int, y: Int, _ columns: Int, _ rows: Int,
        _ size: (width: Double, height: Double)
    ) {
        let center = dot(fence.region.center.latitude, fence.region.center.longitude, size)
        let text = String(fence.region.name.prefix(columns - 2))
        let column = Int(max(-1e6, min(1e6, center.x))) / 2 - text.count / 2
        let row = Int(max(-1e6, min(1e6, center.y - fence.region.radius / scale))) / 4 - 1
        guard column >= 0, column + text.count <= columns, row >= 0, row < rows - 1 else { return }
        canvas.put(text, x: x + column, y: y + row, color: fence.isInside ? Palette.good : 250, bold: fence.isInside)
    }

    private func mark(
        _ text: String, at point: (x: Double, y: Double), color: Int, _ canvas: inout Canvas, x: Int, y: Int,
        _ columns: Int, _ rows: Int
    ) {
        guard point.x >= 0, point.y >= 0, point.x < Double(columns * 2), point.y < Double(rows * 4) else { return }
        canvas.put(text, x: x + Int(point.x) / 2, y: y + Int(point.y) / 4, color: color, bold: true)
    }

    /// Draws a scale bar whose length is 1, 2 or 5 times a power of ten, and at most a third of the width.
    private func ruler(_ units: UnitSystem, on canvas: inout Canvas, x: Int, y: Int, columns: Int) {
        let maximum = Double(columns) / 3 * 2 * scale
        guard maximum.isFinite, maximum > 0 else { return }
        let unit = units.unit(for: maximum)
        let power = pow(10, floor(log10(maximum * unit.perSI)))
        let number = [5, 2].map { $0 * power }.first { $0 <= maximum * unit.perSI } ?? power
        let length = number / unit.perSI
        let cells = max(2, Int((length / scale / 2).rounded()))
        guard cells < columns else { return }
        let name = String(format: "%g %@", number, unit.name)
        canvas.put("├" + String(repeating: "─", count: cells - 2) + "┤ " + name, x: x, y: y, color: 244)
    }

    private static let metresPerDegree = 111_195.0

    private func dot(_ latitude: Double, _ longitude: Double, _ size: (width: Double, height: Double)) -> (
        x: Double, y: Double
    ) {
        let north = (latitude - self.latitude) * Self.metresPerDegree
        let east = (longitude - self.longitude) * Self.metresPerDegree * cos(self.latitude * .pi / 180)
        return (size.width / 2 + east / scale, size.height / 2 - north / scale)
    }

    /// Moves and scales the map part of the way to an area that contains the whole trail.
    private mutating func follow(_ state: DemoState, width: Int, height: Int) {
        let (latitudes, longitudes) = (state.trail.map(\.latitude), state.trail.map(\.longitude))
        guard let south = latitudes.min(), let north = latitudes.max(), let west = longitudes.min(),
            let east = longitudes.max()
        else { return }
        let middle = (latitude: (south + north) / 2, longitude: (west + east) / 2)
        let tall = (north - south) * Self.metresPerDegree
        let wide = (east - west) * Self.metresPerDegree * cos(middle.latitude * .pi / 180)
        // Leaves a margin of 4 dots on each side. A dot represents at least 0.25 m, so that a stationary receiver's
        // noise does not fill the map.
        let target = max(tall / Double(max(1, height - 8)), wide / Double(max(1, width - 8)), 0.25)
        guard scale > 0 else {
            (latitude, longitude, scale) = (middle.latitude, middle.longitude, target)
            return
        }
        let share = 0.22
        latitude += (middle.latitude - latitude) * share
        longitude += (middle.longitude - longitude) * share
        scale += (target - scale) * share
    }
}
