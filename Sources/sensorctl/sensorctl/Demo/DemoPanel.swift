// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import SensorTools

/// The demo's screen, with the trail on the left, the instruments and the sky on the right, and the time at the bottom.
struct DemoPanel {
    let trace: DemoTrace
    let factor: Double
    var map = MapView()

    mutating func draw(_ state: DemoState, elapsed: Double, width: Int, height: Int) -> Canvas {
        var canvas = Canvas(width: width, height: height)
        title(on: &canvas)
        // The instruments take up two fifths of the terminal's width, but at least 34 and at most 52 columns.
        let instrumentsWidth = min(max(width * 2 / 5, 34), 52)
        let mapWidth = width - instrumentsWidth
        let bodyHeight = height - 2
        if mapWidth >= 18 {
            canvas.frame(x: 0, y: 1, width: mapWidth, height: bodyHeight, title: "Trail")
            map.draw(
                state, fastest: trace.fastest, units: trace.units, on: &canvas, x: 1, y: 2, columns: mapWidth - 2,
                rows: bodyHeight - 2)
            status(state, on: &canvas, x: 2, y: bodyHeight, width: mapWidth - 4)
            instruments(state, on: &canvas, x: mapWidth, y: 1, width: instrumentsWidth, height: bodyHeight)
        } else {
            instruments(state, on: &canvas, x: 0, y: 1, width: min(width, instrumentsWidth + 10), height: bodyHeight)
        }
        progress(elapsed, state, on: &canvas)
        return canvas
    }

    private func title(on canvas: inout Canvas) {
        canvas.put(" Core Location on Linux", x: 0, y: 0, color: Palette.accent, bold: true)
        let x = canvas.width - trace.title.count - 1
        if x > 24 { canvas.put(trace.title, x: x, y: 0, color: trace.isSynthetic ? 221 : 250) }
    }

    private func instruments(_ state: DemoState, on canvas: inout Canvas, x: Int, y: Int, width: Int, height: Int) {
        let tall = height >= 25
        let fixRows = tall ? 12 : 9
        fix(state, on: &canvas, x: x, y: y, width: width, rows: fixRows, spaced: tall)
        let skyTop = y + fixRows + 1
        let skyHeight = y + height - skyTop
        guard skyHeight >= 4 else { return }
        let satellites = state.location?.sky?.satellites ?? []
        let isStale = state.failure != nil
        let used = isStale ? 0 : satellites.count { $0.isUsed }
        let heading = satellites.isEmpty ? "Satellites" : "Satellites \(used) of \(satellites.count)"
        canvas.frame(x: x, y: skyTop, width: width, height: skyHeight, title: heading)
        guard !satellites.isEmpty else {
            canvas.dim("none reported", x: x + 2, y: skyTop + 1)
            return
        }
        let view = SkyView(satellites: satellites, isStale: isStale)
        let plotRows = min(skyHeight - 2, (width - 17) / 2)
        view.drawPlot(on: &canvas, x: x + 2, y: skyTop + 1 + (skyHeight - 2 - plotRows) / 2, rows: plotRows)
        let left = x + 3 + (plotRows >= 5 ? plotRows * 2 + 1 : 0)
        let systemsTop = skyTop + 1 + (skyHeight - 2 - view.systemRows(skyHeight - 2)) / 2
        view.drawSystems(on: &canvas, x: left, y: systemsTop, columns: x + width - 2 - left, rows: skyHeight - 2)
    }

    private func fix(_ state: DemoState, on canvas: inout Canvas, x: Int, y: Int, width: Int, rows: Int, spaced: Bool) {
        canvas.frame(x: x, y: y, width: width, height: rows + 1, title: "Fix")
        let (left, inner) = (x + 2, width - 4)
        guard let location = state.location else {
            return canvas.put("waiting for the first fix", x: left, y: y + 1, color: Palette.fair)
        }
        let isLost = state.failure != nil
        let main = isLost ? 244 : Palette.text
        let gap = spaced ? 2 : 1
        var row = y + 1
        func line(_ name: String, _ value: String, color: Int) {
            canvas.row(name, value, x: left, y: row, width: inner, color: color)
            row += 1
        }
        let (latitude, longitude) = (location.coordinate.latitude, location.coordinate.longitude)
        let position =
            "\(trimmed(LocationFormatter.latitude(latitude)))  \(trimmed(LocationFormatter.longitude(longitude)))"
        canvas.put(position, x: left, y: row, color: isLost ? 244 : 231, bold: true)
        row += gap
        line("altitude", trimmed(LocationFormatter.altitude(location, trace.units)), color: main)
        Gauges.profile(state.altitudes, duration: trace.duration, on: &canvas, x: left, y: row, width: inner)
        row += gap
        line("speed", isLost ? "-" : trimmed(LocationFormatter.speed(location.speed, trace.units)), color: main)
        let share = isLost ? 0 : location.speed / max(trace.fastest, 1)
        Gauges.bar(share, on: &canvas, x: left, y: row, width: inner)
        row += gap
        if location.course >= 0 {
            let (arrow, name) = (Compass.arrow(location.course), Compass.name(location.course))
            line("course", String(format: "%.0f° %@ %@", location.course, arrow, name), color: main)
            Gauges.compassTape(location.course, on: &canvas, x: left, y: row, width: inner)
        } else {
            line("course", "standing", color: 244)
            canvas.put(String(repeating: "·  ", count: inner / 3), x: left, y: row, color: Palette.faint)
        }
        row += 1
        let color = isLost ? Palette.bad : Palette.accuracy(location.horizontalAccuracy)
        let unit = trace.units.length
        var accuracy = String(format: "± %.1f %@", location.horizontalAccuracy * unit.perSI, unit.name)
        if location.verticalAccuracy >= 0 {
            accuracy += String(format: "  ↕ %.1f %@", location.verticalAccuracy * unit.perSI, unit.name)
        }
        line("accuracy", isLost ? "no fix" : accuracy, color: color)
    }

    private func trimmed(_ text: String) -> String { String(text.drop { $0 == " " || $0 == "~" }) }

    private func status(_ state: DemoState, on canvas: inout Canvas, x: Int, y: Int, width: Int) {
        if let failure = state.failure {
            let text = " ● no position: \(failure) "
            canvas.put(String(text.prefix(width)), x: x, y: y, color: Palette.bad, bold: true)
        } else if state.locations > 0 {
            let losses = state.losses == 0 ? "" : state.losses == 1 ? " · lost once" : " · lost \(state.losses) times"
            let inside = state.regions.filter(\.isInside).map { " · in \($0.region.name)" }
            let text = " ● \(state.locations) locations · \(state.length(trace.units))\(losses)\(inside.joined()) "
            canvas.put(String(text.prefix(width)), x: x, y: y, color: Palette.good)
        }
    }

    private func progress(_ elapsed: Double, _ state: DemoState, on canvas: inout Canvas) {
        let y = canvas.height - 1
        let playedTime = min(max(elapsed, 0), trace.duration)
        let clock = CivilDate(trace.start.advanced(bySeconds: playedTime))
        let before = " \(clock.timeOfDay) UTC  \(Self.minutes(playedTime)) "
        let after = " -\(Self.minutes(trace.duration - playedTime))  ×\(Self.number(factor)) "
        let width = canvas.width - before.count - after.count
        canvas.put(before, x: 0, y: y, color: 250)
        guard width > 4 else { return }
        let filled = Int((playedTime / max(trace.duration, 0.001) * Double(width)).rounded())
        canvas.put(String(repeating: "━", count: min(filled, width)), x: before.count, y: y, color: Palette.accent)
        canvas.put(
            String(repeating: "─", count: max(0, width - filled)), x: before.count + filled, y: y, color: Palette.faint)
        canvas.put(after, x: canvas.width - after.count, y: y, color: 250)
    }

    static func minutes(_ seconds: Double) -> String {
        let whole = Int(min(max(seconds, 0), 359_999).rounded())
        return String(format: "%d:%02d", whole / 60, whole % 60)
    }

    static func number(_ factor: Double) -> String { String(format: factor < 9.95 ? "%.1f" : "%.0f", factor) }
}
