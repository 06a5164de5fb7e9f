// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation

/// The part of the world that the trail is drawn in; it moves and zooms softly.
struct MapView {
    private var latitude = 0.0
    private var longitude = 0.0
    /// Metres a dot; 0 before the first place.
    private var scale = 0.0

    /// Draws the trail and the present place into a frame.
    mutating func draw(
        _ state: DemoState, fastest: Double, on canvas: inout Canvas, x: Int, y: Int, columns: Int, rows: Int
    ) {
        guard columns > 3, rows > 2, !state.trail.isEmpty else { return }
        var grid = BrailleGrid(columns: columns, rows: rows)
        follow(state, width: grid.width, height: grid.height)
        let size = (width: Double(grid.width), height: Double(grid.height))
        var last: (x: Double, y: Double)?
        for place in state.trail {
            let point = dot(place.latitude, place.longitude, size)
            let isGap = place.isAfterGap && last != nil
            let color = isGap ? 242 : Palette.speed(place.speed / max(fastest, 0.1))
            grid.line(from: last ?? point, to: point, color: color, dotted: isGap)
            last = point
        }
        grid.draw(on: &canvas, x: x, y: y)
        if let first = state.trail.first {
            mark("○", at: dot(first.latitude, first.longitude, size), color: 250, &canvas, x: x, y: y, columns, rows)
        }
        if let location = state.location {
            let arrow = location.course >= 0 && location.speed > 0.5 ? Compass.arrow(location.course) : "●"
            let point = dot(location.coordinate.latitude, location.coordinate.longitude, size)
            let isLost = state.failure != nil
            mark(isLost ? "✕" : arrow, at: point, color: isLost ? Palette.bad : 231, &canvas, x: x, y: y, columns, rows)
        }
        ruler(on: &canvas, x: x + 1, y: y + rows - 1, columns: columns)
    }

    private func mark(
        _ text: String, at point: (x: Double, y: Double), color: Int, _ canvas: inout Canvas, x: Int, y: Int,
        _ columns: Int, _ rows: Int
    ) {
        guard point.x >= 0, point.y >= 0, point.x < Double(columns * 2), point.y < Double(rows * 4) else { return }
        canvas.put(text, x: x + Int(point.x) / 2, y: y + Int(point.y) / 4, color: color, bold: true)
    }

    /// A length of 1, 2 or 5 times a power of ten that takes up to a third of the width.
    private func ruler(on canvas: inout Canvas, x: Int, y: Int, columns: Int) {
        let most = Double(columns) / 3 * 2 * scale
        guard most.isFinite, most > 0 else { return }
        let power = pow(10, floor(log10(most)))
        let length = [5, 2].map { $0 * power }.first { $0 <= most } ?? power
        let cells = max(2, Int((length / scale / 2).rounded()))
        guard cells < columns else { return }
        let name = length >= 1000 ? String(format: "%g km", length / 1000) : String(format: "%g m", length)
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

    /// Comes a little nearer to where the whole trail is to be seen.
    private mutating func follow(_ state: DemoState, width: Int, height: Int) {
        let (latitudes, longitudes) = (state.trail.map(\.latitude), state.trail.map(\.longitude))
        guard let south = latitudes.min(), let north = latitudes.max(), let west = longitudes.min(),
            let east = longitudes.max()
        else { return }
        let middle = (latitude: (south + north) / 2, longitude: (west + east) / 2)
        let tall = (north - south) * Self.metresPerDegree
        let wide = (east - west) * Self.metresPerDegree * cos(middle.latitude * .pi / 180)
        // Some room around, and not so near that the noise of a parked receiver fills the picture.
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
